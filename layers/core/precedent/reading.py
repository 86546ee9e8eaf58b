"""Putting words to ids: titles, values and names for what the statuses say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from precedent.answers import ConflictAnswer, Head, Recorded, SetSlot
from precedent.decision import Value
from precedent.element import ADDRESSES, NOTE, Name, slot_label
from precedent.entry import Body, Claim
from precedent.orset import Status
from precedent.ports import Projection
from precedent.project import Conflict


@dataclass(slots=True)
class Texts:
    """Bodies read from a projection, and the names they give to elements."""

    projection: Projection
    bodies: dict[str, Body] = field(default_factory=dict)
    names: dict[str, Name] = field(default_factory=dict)

    def fetch(self, decisions: Iterable[str]) -> None:
        """Read the bodies not read yet, in one batch."""
        if missing := sorted(set(decisions) - self.bodies.keys()):
            found = self.projection.bodies(missing)
            self.bodies |= found
            for decision in sorted(found):
                for element, name in found[decision].elements.items():
                    self.names.setdefault(element, name)

    def title(self, decision: str) -> str:
        """A decision's title; empty once redacted."""
        body = self.bodies.get(decision)
        return str(body.content.get("title", "")) if body else ""

    def value(self, decision: str, claim: Claim) -> Value:
        """The value behind a claim; None for a note and once redacted."""
        body = self.bodies.get(decision)
        return body.value(claim.element, claim.slot) if body else None

    def name(self, element: str) -> str:
        """`kind:name` as written, the id where no body at hand names it."""
        return str(self.names.get(element, element))

    def label(self, slot: str) -> str:
        return slot_label(slot, self.names)

    def holds(self, statuses: Iterable[Status]) -> list[str]:
        """What entries hold, addresses apart: `feature:search.engine`, a note by its element alone."""
        return self.held(claim for status in statuses for claim in status.holding)

    def held(self, claims: Iterable[Claim]) -> list[str]:
        """Claims as people read them, each once."""
        slots = {(claim.element, claim.slot) for claim in claims if claim.slot not in ADDRESSES}
        return sorted(self._full(element, slot) for element, slot in slots)

    def sets(self, decision: str, statuses: Iterable[Status]) -> list[SetSlot]:
        """The values of what entries hold, wherever that is; of what is not adopted, all it would have set."""
        body = self.bodies.get(decision)
        if body is None:
            return []
        adopted = body.content.get("outcome", "adopted") == "adopted"
        held = {(claim.element, claim.slot) for status in statuses for claim in status.holding}
        return [
            SetSlot(self._full(element, slot), body.value(element, slot), slot.startswith("l:"))
            for element, slot, _ in body.sets
            if slot not in ADDRESSES and ((element, slot) in held or not adopted)
        ]

    def _full(self, element: str, slot: str) -> str:
        return self.name(element) if slot == NOTE else f"{self.name(element)}.{self.label(slot)}"

    def conflict(self, conflict: Conflict) -> ConflictAnswer:
        """A conflict with its sides' values and titles; fetch the heads' bodies first."""
        return ConflictAnswer(
            self.name(conflict.element),
            self.label(conflict.slot),
            [
                Head(
                    self.value(status.decision, claim),
                    status.decision,
                    self.title(status.decision),
                    recorded(status),
                )
                for status, claim in conflict.heads
            ],
        )


def recorded(status: Status) -> Recorded:
    """Who recorded an entry, when and from where."""
    return Recorded(*status.dot, status.at, status.branch, status.commit)
