"""What became of decisions that were handed out: used, rejected, contradicted, each counted once a session.

No decision, and nothing that the log says: it changes what comes first, never what is in force or what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from precedent.ports import Projection

Kind = Literal["used", "rejected", "contradicted"]
KINDS: tuple[Kind, ...] = ("used", "rejected", "contradicted")

SPAN = 0.1
"""How far feedback may move a score, up or down."""

ENOUGH = 8
"""Writers that move it as far as it goes: no number of sessions of one writer does."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How often one thing was said of a decision: in how many sessions, by how many writers."""

    sessions: int = 0
    writers: int = 0


Counts = Mapping[Kind, Tally]
"""Of one decision; what was never said is not in it."""


class Feedbacks(Protocol):
    """The feedback of one project. Every method raises StoreError where the store does not answer."""

    def add(self, writer: str, session: str, decision: str, kind: Kind) -> bool:
        """Count it, unless this writer said it in this session before; whether it was counted."""

    def counts(self, decisions: Collection[str]) -> dict[str, Counts]:
        """What was said of each of at most 100 decisions; those of which nothing was are left out."""


@dataclass(frozen=True, slots=True)
class Said:
    """What became of feedback: newly counted, counted before, and ids nobody here knows."""

    counted: int
    before: int
    unknown: list[str]


def give(
    feedbacks: Feedbacks,
    projection: Projection | None,
    writer: str,
    session: str,
    said: Iterable[tuple[Kind, str]],
) -> Said:
    """Count what a writer says of decisions in a session. Saying it again changes nothing.

    Raises StoreError.
    """
    asked = list(dict.fromkeys(said))
    known = projection.bodies({decision for _, decision in asked}) if projection else {}
    added = [
        feedbacks.add(writer, session, decision, kind)
        for kind, decision in asked
        if decision in known
    ]
    unknown = sorted({decision for _, decision in asked} - known.keys())
    return Said(added.count(True), added.count(False), unknown)


def factor(counts: Counts) -> float:
    """What a decision's score is multiplied by: from 1 - SPAN to 1 + SPAN, 1 where nothing was said.

    Writers count, not sessions: a writer is vouched for, a session is only told.
    """
    weighed = {"used": 1, "rejected": -1, "contradicted": -1}
    total = sum(weighed[kind] * tally.writers for kind, tally in counts.items())
    size = min(1.0, math.log1p(abs(total)) / math.log1p(ENOUGH))
    return 1 + SPAN * math.copysign(size, total) if total else 1.0
