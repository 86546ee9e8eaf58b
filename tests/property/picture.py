"""What a reader can see of a projection, and what the fold says a reader must see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from precedent.element import NOTE, PATHS, parse_name
from precedent.entry import Claim, Dot
from precedent.live import read_live
from precedent.orset import Status, digest
from precedent.recall import recall, show, targets
from precedent.rows import DirectoryRow

from tests.fakes.memory import MemoryProjection
from tests.property.worlds import ELEMENTS

NAMES = [parse_name(name, "") for name in ELEMENTS]
Shown = set[tuple[str, Dot]]


def picture(projection: MemoryProjection) -> dict[str, Any]:
    """Everything an answer is made from, hints apart: equal pictures give equal answers."""
    statuses = {status.dot: status for status in projection.all_statuses()}
    decisions = sorted({status.decision for status in statuses.values() if status.arrived})
    directory = [row for row in projection.table.values() if isinstance(row, DirectoryRow)]
    return {
        "statuses": statuses,
        "digest": digest(statuses.values()),
        "live": shown_live(projection),
        "recall": recall(projection, "shop", targets(projection, NAMES, [])),
        "show": [show(projection, decision) for decision in decisions],
        "history": {name.id: list(projection.history(name.id)) for name in NAMES},
        "conflicts": real_conflicts(projection),
        "directory": sorted(directory, key=lambda row: row.element),
    }


def shown_live(projection: MemoryProjection) -> dict[str, Shown]:
    """What read_live answers, element by element."""
    return {
        name.id: {(live.row.slot, live.row.dot) for live in read_live(projection, name.id)}
        for name in NAMES
    }


def meant_live(state: Mapping[Dot, Status]) -> dict[str, Shown]:
    """What is live on each element, from the fold alone: claims at both ends of a link, mentions."""
    meant: dict[str, Shown] = {name.id: set() for name in NAMES}
    for status in state.values():
        live = [claim for claim in status.claims if not _displaced(status, claim)]
        for claim in live:
            meant[claim.element].add((claim.slot, status.dot))
            if claim.slot.startswith("l:"):
                _, kind, to = claim.slot.split(":")
                meant[to].add((f"r:{kind}:{claim.element}", status.dot))
        if any(claim.slot != PATHS for claim in live):
            for element in status.mentions:
                meant[element].add(("~", status.dot))
    return meant


def _displaced(status: Status, claim: Claim) -> bool:
    return any((lost.element, lost.slot) == (claim.element, claim.slot) for lost in status.lost)


def heads_of(state: Mapping[Dot, Status]) -> dict[tuple[str, str], dict[Dot, str]]:
    """Slot → its heads and their value hashes, from the fold alone."""
    heads: dict[tuple[str, str], dict[Dot, str]] = defaultdict(dict)
    for status in state.values():
        for claim in status.claims:
            if not _displaced(status, claim):
                heads[claim.element, claim.slot][status.dot] = claim.value
    return heads


def contradictions(state: Mapping[Dot, Status]) -> Iterator[tuple[str, str, Dot, Dot]]:
    """Every pair of heads of one slot whose values differ; notes and addresses never do."""
    for (element, slot), heads in heads_of(state).items():
        if slot in (NOTE, PATHS):
            continue
        for one, value in heads.items():
            for other, different in heads.items():
                if one < other and value != different:
                    yield element, slot, one, other


def hinted_conflicts(projection: MemoryProjection) -> set[tuple[str, str, Dot]]:
    return {(row.element, row.slot, row.dot) for row in projection.conflicts()}


def real_conflicts(projection: MemoryProjection) -> set[tuple[str, str]]:
    """The hinted slots that hold a contradiction when looked at: what `conflicts` will answer."""
    state = {status.dot: status for status in projection.all_statuses()}
    contested = {(element, slot) for element, slot, _, _ in contradictions(state)}
    return {(row.element, row.slot) for row in projection.conflicts()} & contested


def claims_of(statuses: Iterable[Status]) -> set[tuple[Dot, str, str]]:
    """Every live claim as (dot, element, slot)."""
    return {
        (status.dot, claim.element, claim.slot)
        for status in statuses
        for claim in status.claims
        if not _displaced(status, claim)
    }
