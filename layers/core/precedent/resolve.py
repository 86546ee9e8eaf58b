"""Resolving what a request displaces: nobody overrules what they have not read.

Pure: a working copy of the statuses that matter goes in, drafts of entries or the unseen heads come out.
The decisions of one request are resolved in order on one working copy, all or nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from precedent.dates import is_later
from precedent.decision import Decision, value_hash
from precedent.element import ADDRESSES, NOTE
from precedent.entry import Claim, Displaced, Dot
from precedent.errors import SlotSetTwice, TooLarge, UnknownDecision
from precedent.orset import Lost, Status, contests

DISPLACED_LIMIT = 500
"""Claims one request may displace: each is a few writes, and all of an element's stand in one item."""

OnUnseen = Literal["refuse", "branch", "historical"]
Standing = Literal["already_in_force", "already_superseded", "already_recorded"]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the author has read and how they judged it: the request's side of the matter."""

    seen: frozenset[str] = frozenset()
    overrule: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    on_unseen: OnUnseen = "refuse"


class Unseen(NamedTuple):
    """A head the author has not read, on a slot the decision at `position` would set."""

    position: int
    element: str
    slot: str
    dot: Dot
    decision: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the entry of one decision will say."""

    dot: Dot
    claims: tuple[Claim, ...]
    mentions: tuple[str, ...]
    historical: tuple[Claim, ...]
    displaces: tuple[Displaced, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one decision: a draft to write, or why nothing needs writing."""

    decision: Decision
    result: Draft | Standing


@dataclass(frozen=True, slots=True)
class Resolution:
    """The outcomes in the request's order, or the unseen heads that refuse all of it."""

    outcomes: tuple[Outcome, ...]
    unseen: tuple[Unseen, ...]
    working: Working

    @property
    def drafts(self) -> list[tuple[int, Decision, Draft]]:
        """What is to be written, with its index in the request."""
        return [
            (index, outcome.decision, outcome.result)
            for index, outcome in enumerate(self.outcomes)
            if isinstance(outcome.result, Draft)
        ]


class Working:
    """A working copy of statuses, indexed by slot and by decision; `same` are other names of an element."""

    def __init__(
        self, statuses: Iterable[Status], same: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self._same = same or {}
        self._statuses: dict[Dot, Status] = {}
        self._by_slot: dict[tuple[str, str], set[Dot]] = defaultdict(set)
        self._by_decision: dict[str, set[Dot]] = defaultdict(set)
        for status in statuses:
            self.add(status)

    def add(self, status: Status) -> None:
        self._statuses[status.dot] = status
        self._by_decision[status.decision].add(status.dot)
        for claim in status.claims:
            self._by_slot[claim.element, claim.slot].add(status.dot)

    def lose(self, dot: Dot, lost: Lost) -> None:
        self._statuses[dot] = self._statuses[dot].losing([lost])

    def entries(self, decision: str) -> list[Status]:
        """Every entry that recorded a decision, by dot."""
        return [self._statuses[dot] for dot in sorted(self._by_decision.get(decision, ()))]

    def heads(self, element: str, slot: str) -> list[tuple[Status, Claim]]:
        """The live claims of a slot with their statuses, by dot."""
        found = (self._statuses[dot] for dot in sorted(self._by_slot.get((element, slot), ())))
        return [
            (status, claim)
            for status in found
            for claim in status.live
            if (claim.element, claim.slot) == (element, slot)
        ]

    def heads_under_any_name(self, element: str, slot: str) -> list[tuple[Status, Claim]]:
        """The same of the slot on every element that is the same thing."""
        names = self._same.get(element, [element]) if contests(slot) else [element]
        return [head for name in names for head in self.heads(name, slot)]

    def lost_to(self, dot: Dot, element: str, slot: str) -> frozenset[Dot]:
        """What displaced a claim of an entry; nothing where the working copy does not hold it."""
        status = self._statuses.get(dot)
        return status.lost_to(element, slot) if status else frozenset()

    def decision_of(self, dot: Dot) -> str:
        """Whose entry a dot is; empty where the working copy does not hold it."""
        status = self._statuses.get(dot)
        return status.decision if status else ""


def resolve(
    decisions: Sequence[Decision],
    verdicts: Verdicts,
    working: Working,
    *,
    writer: str,
    seq: int,
    now: str,
    salt: str,
) -> Resolution:
    """Judge every decision against the heads it meets. (writer, seq) is the first dot written.

    `working` must hold every live claim of the elements concerned, every entry of the decisions
    themselves and of those they supersede, and what displaced any of these; it is changed on the way.
    Raises UnknownDecision, SlotSetTwice and TooLarge.
    """
    run = _Run(verdicts, working, Dot(writer, seq), now, salt)
    outcomes = tuple(
        Outcome(decision, run.judge(index, decision)) for index, decision in enumerate(decisions)
    )
    resolution = Resolution(outcomes, tuple(run.unseen), working)
    displaced = sum(len(draft.displaces) for _, _, draft in resolution.drafts)
    if displaced > DISPLACED_LIMIT:
        raise TooLarge("", DISPLACED_LIMIT, displaced, "claims to displace")
    return resolution


@dataclass(slots=True)
class _Run:
    """One request being resolved."""

    verdicts: Verdicts
    working: Working
    next: Dot
    now: str
    salt: str
    unseen: list[Unseen] = field(default_factory=list)
    drafted: set[Dot] = field(default_factory=set)

    def judge(self, index: int, decision: Decision) -> Draft | Standing:
        self._check_known(decision)
        claims = tuple(
            Claim(
                setting.element,
                setting.slot,
                value_hash(self.salt, decision.value(setting)) if setting.pointer else "",
            )
            for setting in decision.claimed
        )
        mine = self.working.entries(decision.id)
        held = {(c.element, c.slot) for status in mine for c in status.live}
        displaces = self._named(decision)
        historical: list[Claim] = []
        unseen: list[Unseen] = []
        for claim in claims:
            if claim.slot == NOTE:
                continue
            gone, met = self._judge_heads(index, decision, claim)
            unseen += met
            if self._is_past(decision, claim, met, mine, held):
                historical.append(claim)
            else:
                displaces |= {item[:3]: item for item in gone}
        unread = self._unread_displacers(index, decision, claims, mine, held)
        if standing := self._standing(claims, mine, held, displaces, historical, unread):
            return standing
        if self.verdicts.on_unseen == "refuse":
            # A head of the slot may also be what displaced this decision before: say it once.
            self.unseen += {met[:3] + met[4:]: met for met in unread + unseen}.values()
        return self._draft(decision, claims, historical, displaces)

    def _check_known(self, decision: Decision) -> None:
        unknown = [name for name in decision.supersedes if not self.working.entries(name)]
        if unknown:
            raise UnknownDecision(unknown)

    def _named(self, decision: Decision) -> dict[tuple[str, str, Dot], Displaced]:
        """Rule 1, everywhere: what decisions named in `supersedes` hold, addresses apart."""
        found: dict[tuple[str, str, Dot], Displaced] = {}
        for name in decision.supersedes:
            for status in self.working.entries(name):
                for claim in status.holding:
                    gone = Displaced(claim.element, claim.slot, status.dot, "supersedes")
                    found[gone[:3]] = gone
        return found

    def _judge_heads(
        self, index: int, decision: Decision, claim: Claim
    ) -> tuple[list[Displaced], list[Unseen]]:
        """Judge each head of a slot: what this claim displaces, and what its author has not read."""
        gone: list[Displaced] = []
        unseen: list[Unseen] = []
        address = claim.slot in ADDRESSES
        for status, head in self.working.heads_under_any_name(claim.element, claim.slot):
            name = status.decision
            if name == decision.id:
                continue
            if status.dot in self.drafted and name not in decision.supersedes and not address:
                raise SlotSetTwice(index, str(decision.elements[claim.element]), claim.slot)
            # An address that agrees and was read is replaced, or every repetition of it would stay.
            agrees = head.value == claim.value and not (address and name in self.verdicts.seen)
            match self._verdict(name, decision.supersedes, agrees=agrees):
                case "stands":
                    pass
                case "unseen":
                    if not address:
                        met = Unseen(index, head.element, head.slot, status.dot, name)
                        unseen.append(met)
                case why:
                    gone.append(Displaced(head.element, head.slot, status.dot, why))
        return gone, unseen

    def _is_past(
        self,
        decision: Decision,
        claim: Claim,
        unseen: Iterable[Unseen],
        mine: Iterable[Status],
        held: set[tuple[str, str]],
    ) -> bool:
        """Whether a slot is recorded as history: an unseen head is dated later, or it was before."""
        slot = (claim.element, claim.slot)
        if self.verdicts.on_unseen != "historical" or slot in held:
            return False
        date = decision.date or self.now
        # A head under another name ends no period here, so beside it nothing becomes history.
        unseen = [met for met in unseen if (met.element, met.slot) == slot]
        heads = {status.dot: status for status, _ in self.working.heads(*slot)}
        return any(is_later(heads[met.dot].date, date) for met in unseen) or any(
            slot == (past.element, past.slot) for status in mine for past in status.historical
        )

    def _verdict(self, head: str, supersedes: tuple[str, ...], *, agrees: bool) -> str:
        """The five rules, in order."""
        if head in supersedes:
            return "supersedes"
        if head in self.verdicts.beside or agrees:
            return "stands"
        if head in self.verdicts.overrule:
            return "overrule"
        if head in self.verdicts.seen:
            return "seen"
        return "unseen"

    def _unread_displacers(
        self,
        index: int,
        decision: Decision,
        claims: Iterable[Claim],
        mine: Sequence[Status],
        held: set[tuple[str, str]],
    ) -> list[Unseen]:
        """What took this very decision out of force since, and the author has not read: notes too.

        What an entry of this decision displaced in its turn was read by whoever recorded that entry.
        """
        own = {status.dot for status in mine}
        read = {*decision.supersedes, *self.verdicts.seen}
        read |= self.verdicts.overrule | self.verdicts.beside
        found: dict[tuple[str, str, str], Unseen] = {}
        for claim in claims:
            if claim.slot in ADDRESSES or (claim.element, claim.slot) in held:
                continue
            for status in mine:
                for dot in sorted(status.lost_to(claim.element, claim.slot)):
                    if own & self.working.lost_to(dot, claim.element, claim.slot):
                        continue
                    name = self.working.decision_of(dot)
                    if dot in self.drafted:
                        element = str(decision.elements[claim.element])
                        raise SlotSetTwice(index, element, claim.slot)
                    if name not in read:
                        met = Unseen(index, claim.element, claim.slot, dot, name)
                        found.setdefault((claim.element, claim.slot, name), met)
        return list(found.values())

    def _standing(
        self,
        claims: Sequence[Claim],
        mine: Sequence[Status],
        held: set[tuple[str, str]],
        displaces: dict[tuple[str, str, Dot], Displaced],
        historical: Sequence[Claim],
        unread: Sequence[Unseen],
    ) -> Standing | None:
        """Whether recording this again would change nothing, or must not."""
        if not mine:
            return None
        if unread and self.verdicts.on_unseen != "refuse":
            return "already_superseded"
        past = {(claim.element, claim.slot) for claim in historical}
        wanted = {(claim.element, claim.slot) for claim in claims}
        # An import run again must not take out what was put back in force since it ran first.
        fresh = [
            gone
            for gone in displaces.values()
            if self.verdicts.on_unseen == "refuse" or gone.why != "supersedes"
        ]
        if fresh or not wanted <= held | past:
            return None
        return "already_recorded" if past and not held else "already_in_force"

    def _draft(
        self,
        decision: Decision,
        claims: Sequence[Claim],
        historical: Sequence[Claim],
        displaces: dict[tuple[str, str, Dot], Displaced],
    ) -> Draft:
        dot, self.next = self.next, Dot(self.next.writer, self.next.seq + 1)
        kept = tuple(claim for claim in claims if claim not in historical)
        gone = tuple(displaces[key] for key in sorted(displaces))
        draft = Draft(dot, kept, decision.mentions, tuple(historical), gone)
        self.drafted.add(dot)
        self.working.add(
            Status(
                dot=dot,
                decision=decision.id,
                date=decision.date or self.now,
                claims=kept,
                mentions=draft.mentions,
                historical=draft.historical,
            )
        )
        for claim in gone:
            self.working.lose(claim.dot, Lost(claim.element, claim.slot, dot))
        return draft
