"""Withdrawing: what a decision had displaced that is taken out of force, to be recorded again by whoever wants it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from precedent.answers import Restorable
from precedent.decision import Decision
from precedent.element import ADDRESSES, NOTE
from precedent.entry import Claim, Dot
from precedent.live import read_live
from precedent.orset import Status
from precedent.reading import Texts


def restorable(texts: Texts, decision: Decision, withdrawn: Collection[Dot]) -> list[Restorable]:
    """The decisions that entries taken out of force by a withdrawal had displaced, where that leaves a gap.

    Found by the history rows of what these entries claimed, and by what their decisions superseded by name.
    """
    if not decision.withdraws or not withdrawn:
        return []
    projection = texts.projection
    statuses = projection.statuses(withdrawn).values()
    places = {(claim.element, one.date, one.dot) for one in statuses for claim in one.claims}
    dots = {dot for row in projection.events(places) for _, dot, _ in row.displaced}
    dots |= {dot for name in _superseded(texts, statuses) for dot in projection.dots(name)}
    held: dict[str, dict[Claim, None]] = {}
    for status in projection.statuses(dots).values():
        for claim in status.claims:
            if status.lost_to(*claim[:2]) & set(withdrawn) and _is_gap(texts, claim):
                held.setdefault(status.decision, {})[claim] = None
    texts.fetch(held)
    return [Restorable(name, texts.title(name), texts.held(held[name])) for name in sorted(held)]


def _superseded(texts: Texts, statuses: Iterable[Status]) -> set[str]:
    names = {status.decision for status in statuses}
    texts.fetch(names)
    bodies = (texts.bodies[name] for name in names & texts.bodies.keys())
    return {str(name) for body in bodies for name in body.content.get("supersedes", ())}


def _is_gap(texts: Texts, claim: Claim) -> bool:
    """Whether nobody holds the slot now; a note holds nothing that another could."""
    if claim.slot in ADDRESSES:
        return False
    return claim.slot == NOTE or not read_live(texts.projection, claim.element, claim.slot)
