"""Composing the answers of an append: names, titles and values, read once the matter is decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from precedent.answers import Appended, ConflictAnswer, DotAnswer, Overruled, Result
from precedent.consume import Object, Progress
from precedent.decision import Decision
from precedent.element import slot_label
from precedent.entry import Arrived, Claim, Displaced
from precedent.errors import UnseenHead
from precedent.live import read_live
from precedent.orset import Status, contests, differ
from precedent.ports import Projection
from precedent.project import Conflict, conflicts_of
from precedent.reading import Texts
from precedent.request import AppendRequest
from precedent.resolve import Draft, Resolution, Standing, Unseen, Working
from precedent.withdrawing import restorable

UNSEEN_TEXT_LIMIT = 256 * 1024
"""Bytes of decision text one 409 carries; the rest is named by id."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was put and projected: nothing, an object without its projection, or both."""

    opened: Object | None = None
    progress: Progress | None = None


@dataclass(slots=True)
class Composer:
    """Words for what an append did, read from the projection it was resolved on."""

    projection: Projection
    texts: Texts = field(init=False)

    def __post_init__(self) -> None:
        self.texts = Texts(self.projection)

    def appended(
        self, request: AppendRequest, resolution: Resolution, written: Written
    ) -> Appended:
        """The answer to a request that was resolved: what was put, or that nothing had to be."""
        conflicts = written.progress.conflicts if written.progress else []
        results = [
            self._drafted(outcome.decision, outcome.result, resolution.working, conflicts)
            if isinstance(outcome.result, Draft)
            else self._standing(outcome.decision, outcome.result, resolution.working)
            for outcome in resolution.outcomes
        ]
        results[0].warnings.extend(_unused_verdicts(request, resolution))
        return Appended(results, written.opened is None or written.progress is not None)

    def durable(self, resolution: Resolution, written: Written) -> Appended:
        """The answer where the projection can't be read once the object is durable: a 2xx stands."""
        results = [
            Result(
                outcome.decision.id,
                "recorded" if isinstance(outcome.result, Draft) else outcome.result,
                DotAnswer(*outcome.result.dot) if isinstance(outcome.result, Draft) else None,
                warnings=["what it overruled and contradicts could not be read just now"],
            )
            for outcome in resolution.outcomes
        ]
        return Appended(results, written.progress is not None)

    def repeated(
        self, request: AppendRequest, entries: Sequence[Arrived], *, projected: bool
    ) -> Appended:
        """The answer to a key that is known: what was written then."""
        by_index = {entry.intent.index: entry for entry in entries}
        results = [
            self._recorded_then(by_index[index], decision)
            if index in by_index
            else Result(decision.id, self._standing_now(decision))
            for index, decision in enumerate(request.decisions)
        ]
        return Appended(results, projected)

    def unseen_head(self, resolution: Resolution) -> UnseenHead:
        """The 409: every unseen head with its decision in full and all it holds, up to a limit."""
        ids = sorted({met.decision for met in resolution.unseen})
        self.texts.fetch(ids)
        entries = {name: self._entries(name) for name in ids}
        self._names_of(resolution)
        spent = 0
        items: list[dict[str, Any]] = []
        for met in resolution.unseen:
            told = self._told(met.decision, entries[met.decision])
            spent += len(msgspec.json.encode(told))
            if spent > UNSEEN_TEXT_LIMIT:
                told = {"id": met.decision}
            items.append(self._unseen(met, told, entries[met.decision]))
        return UnseenHead(items)

    def _unseen(
        self, met: Unseen, told: dict[str, Any], entries: Iterable[Status]
    ) -> dict[str, Any]:
        status = next((status for status in entries if status.dot == met.dot), None)
        body = self.texts.bodies.get(met.decision)
        return {
            "index": met.position,
            "element": self.texts.name(met.element),
            "slot": self.texts.label(met.slot),
            "value": body.value(met.element, met.slot) if body else None,
            "decision": told,
            "recorded": {"writer": met.dot.writer, "at": status.at if status else ""},
        }

    def _told(self, decision: str, entries: Iterable[Status]) -> dict[str, Any]:
        body = self.texts.bodies.get(decision)
        content = body.content if body else {}
        return {
            "id": decision,
            "title": content.get("title", ""),
            "rationale": content.get("rationale", ""),
            "outcome": content.get("outcome", "adopted"),
            "rejected": content.get("rejected", []),
            "holds": self.texts.holds(entries),
        }

    def _names_of(self, resolution: Resolution) -> None:
        """The request's own spellings, for elements the heads' texts do not name."""
        for outcome in resolution.outcomes:
            for element, name in outcome.decision.elements.items():
                self.texts.names.setdefault(element, name)

    def _drafted(
        self,
        decision: Decision,
        draft: Draft,
        working: Working,
        conflicts: Iterable[Conflict],
    ) -> Result:
        mine = [
            conflict
            for conflict in conflicts
            if any(status.dot == draft.dot for status, _ in conflict.heads)
        ]
        displaced = [(gone, working.decision_of(gone.dot)) for gone in draft.displaces]
        return Result(
            decision.id,
            "recorded",
            DotAnswer(*draft.dot),
            self._overruled(displaced),
            self._conflicts([*mine, *_under_other_names(draft, working)]),
            _warnings(decision, draft.historical, draft.displaces),
            restorable(self.texts, decision, {gone.dot for gone in draft.displaces}),
        )

    def _standing(self, decision: Decision, standing: Standing, working: Working) -> Result:
        slots = [(s.element, s.slot) for s in decision.claimed if contests(s.slot)]
        heads = {slot: tuple(working.heads(*slot)) for slot in slots}
        contested = [
            Conflict(*slot, found)
            for slot, found in heads.items()
            if differ(claim for _, claim in found)
        ]
        return Result(decision.id, standing, conflicts=self._conflicts(contested))

    def _recorded_then(self, arrived: Arrived, decision: Decision) -> Result:
        gone = arrived.entry.displaces
        statuses = self.projection.statuses({*(item.dot for item in gone), arrived.dot})
        displaced = [(item, statuses[item.dot].decision) for item in gone if item.dot in statuses]
        own = statuses.get(arrived.dot)
        conflicts = conflicts_of(self.projection, arrived, own) if own else []
        return Result(
            decision.id,
            "recorded",
            DotAnswer(*arrived.dot),
            self._overruled(displaced),
            self._conflicts(conflicts),
            _warnings(decision, arrived.entry.historical, gone),
            restorable(self.texts, decision, {item.dot for item in gone}),
        )

    def _standing_now(self, decision: Decision) -> Standing:
        entries = self._entries(decision.id)
        if any(status.holding for status in entries):
            return "already_in_force"
        return "already_superseded" if any(s.lost for s in entries) else "already_recorded"

    def _overruled(self, displaced: Sequence[tuple[Displaced, str]]) -> list[Overruled]:
        """Displaced claims by decision, element and reason, with what they leave undecided."""
        self.texts.fetch(decision for _, decision in displaced)
        groups: dict[tuple[str, str, str], list[str]] = {}
        for gone, decision in displaced:
            slots = groups.setdefault((decision, gone.element, gone.why), [])
            if gone.slot not in slots:
                slots.append(gone.slot)
        return [
            Overruled(
                decision,
                self.texts.title(decision),
                self.texts.name(element),
                [self.texts.label(slot) for slot in slots],
                why,
                [self.texts.label(slot) for slot in slots if self._is_undecided(element, slot)],
            )
            for (decision, element, why), slots in groups.items()
        ]

    def _is_undecided(self, element: str, slot: str) -> bool:
        return contests(slot) and not read_live(self.projection, element, slot)

    def _conflicts(self, conflicts: Sequence[Conflict]) -> list[ConflictAnswer]:
        self.texts.fetch(s.decision for conflict in conflicts for s, _ in conflict.heads)
        return [self.texts.conflict(conflict) for conflict in conflicts]

    def _entries(self, decision: str) -> list[Status]:
        statuses = self.projection.statuses(self.projection.dots(decision))
        return [statuses[dot] for dot in sorted(statuses)]


def _under_other_names(draft: Draft, working: Working) -> list[Conflict]:
    """The slots a decision sets that are decided otherwise on an element which is the same thing."""
    found = []
    for claim in draft.claims:
        heads = tuple(working.heads_under_any_name(claim.element, claim.slot))
        elsewhere = any(head.element != claim.element for _, head in heads)
        if elsewhere and differ(head for _, head in heads):
            found.append(Conflict(claim.element, claim.slot, heads))
    return found


def _warnings(
    decision: Decision, historical: Sequence[Claim], displaces: Sequence[Displaced]
) -> list[str]:
    found: list[str] = []
    if not str(decision.content.get("rationale", "")).strip():
        found.append("no rationale: whoever reads this later cannot know why")
    if decision.outcome != "adopted" and decision.settings:
        found.append(f"outcome {decision.outcome}: its values are kept as text and set nothing")
    if decision.withdraws and not displaces:
        found.append("it withdraws nothing: what it supersedes was not in force")
    if historical:
        names = ", ".join(sorted({slot_label(c.slot, decision.elements) for c in historical}))
        found.append(f"recorded as history, since a later decision holds: {names}")
    return found


def _unused_verdicts(request: AppendRequest, resolution: Resolution) -> list[str]:
    """An `overrule` that displaced nothing is a mistake somebody should hear of."""
    used = {
        resolution.working.decision_of(gone.dot)
        for _, _, draft in resolution.drafts
        for gone in draft.displaces
    }
    return [
        f"{name} in `overrule` holds none of these slots; `supersedes` takes it out everywhere"
        for name in sorted(request.verdicts.overrule - used)
    ]
