"""Loading the working copy a request is resolved on: statuses only, never a body."""

from __future__ import annotations

from collections.abc import Iterable

from precedent.decision import Decision
from precedent.element import NOTE
from precedent.entry import Dot
from precedent.live import equivalents, read_live
from precedent.orset import Status, contests
from precedent.ports import Projection
from precedent.resolve import Working


def load(projection: Projection, decisions: Iterable[Decision]) -> Working:
    """Every head of the slots the decisions set, on other elements that are the same thing as well; every
    entry of the decisions themselves and of those they supersede, and what displaced any of these entries.
    """
    known: dict[Dot, Status] = {}
    slots: dict[tuple[str, str], None] = {}
    named: dict[str, None] = {}
    for decision in decisions:
        slots |= {(s.element, s.slot): None for s in decision.claimed if s.slot != NOTE}
        named |= dict.fromkeys((decision.id, *decision.supersedes))
    same: dict[str, list[str]] = {}
    for element, slot in slots:
        if contests(slot) and element not in same:
            same[element] = equivalents(projection, element)
        for one in same[element] if contests(slot) else [element]:
            read_live(projection, one, slot, known)
    dots = {dot for decision in named for dot in projection.dots(decision)}
    known |= projection.statuses(dots - known.keys())
    displacers = {lost.by for dot in dots & known.keys() for lost in known[dot].lost}
    known |= projection.statuses(displacers - known.keys())
    return Working((status for status in known.values() if status.arrived), same)
