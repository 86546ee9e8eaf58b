"""Feedback in memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from precedent.feedback import KINDS, Counts, Kind, Tally


@dataclass
class MemoryFeedbacks:
    """`precedent.feedback.Feedbacks`. What was said, each once."""

    said: set[tuple[str, Kind, str, str]] = field(default_factory=set)

    def add(self, writer: str, session: str, decision: str, kind: Kind) -> bool:
        before = len(self.said)
        self.said.add((decision, kind, writer, session))
        return len(self.said) > before

    def counts(self, decisions: Collection[str]) -> dict[str, Counts]:
        return {one: found for one in decisions if (found := self._of(one))}

    def _of(self, decision: str) -> Counts:
        found: dict[Kind, Tally] = {}
        for kind in KINDS:
            writers = [w for d, k, w, _ in self.said if (d, k) == (decision, kind)]
            if writers:
                found[kind] = Tally(len(writers), len(set(writers)))
        return found
