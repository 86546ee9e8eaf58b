"""Strategies for worlds: what a few writers decide, on a few things, knowing more or less of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from precedent.decision import parse
from precedent.entry import Arrived
from precedent.errors import Invalid, Refusal
from precedent.request import AppendRequest
from precedent.resolve import OnUnseen

from tests.property.shop import Shop, adopted, attach, link, prop, request_of, unlink

WRITERS = ("alice.laptop", "bob.desk", "ci.main")
ELEMENTS = ("feature:search", "service:db", "team:core")
KEYS = ("engine", "timeout")
VALUES = ("postgres", "elastic", None, True, 7, ["a", "b"])
GLOBS = (["search/**"], ["db/*.sql", "!db/old/**"], None)
DATES = (None, None, "2025-06-01", "2026-01-01", "2026-01-01T00:00:30Z", "2027-02-03")


@dataclass(frozen=True)
class Plan:
    """A decision still to be made: what it names is picked from what is known when it is."""

    title: str
    mutations: tuple[dict[str, Any], ...]
    outcome: str
    date: str | None
    supersedes: tuple[int, ...]

    def content(self, known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        supersedes = picked([*known], self.supersedes)
        content: dict[str, Any] = {
            "title": self.title,
            "outcome": self.outcome,
            "mutations": list(self.mutations) or [attach(ELEMENTS[0])] * (not supersedes),
            "supersedes": supersedes,
        }
        return content if self.date is None else {**content, "date": self.date}


@dataclass(frozen=True)
class Again:
    """A decision sent before, sent again word for word."""

    number: int

    def content(self, known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        return [*known.values()][self.number % len(known)] if known else adopted("None yet")


@dataclass(frozen=True)
class Move:
    """One request: who sends what, knowing what, and how the unseen is to be treated.

    `unaware`: resolved on the first so many entries of the log and the writer's own, not on all.
    """

    writer: str
    plans: tuple[Plan | Again, ...]
    seen: tuple[int, ...]
    overrule: tuple[int, ...]
    beside: tuple[int, ...]
    on_unseen: OnUnseen
    unaware: int | None


@dataclass
class History:
    """A shop, the decisions ever sent to it by id, and the requests that were refused."""

    shop: Shop = field(default_factory=Shop, repr=False)
    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)

    def request(self, move: Move) -> AppendRequest | None:
        """The request a move makes now; None where the plan breaks a rule of the model."""
        sent = dict(self.known)
        contents = []
        for plan in move.plans:
            content = plan.content(sent)
            try:
                sent[parse(content).id] = content
            except Invalid:
                return None
            contents.append(content)
        overrule = set(picked([*self.known], move.overrule))
        self.shop.sent += 1
        request = request_of(
            *contents,
            key=f"move-{self.shop.sent}",
            seen=picked([*self.known], move.seen),
            overrule=overrule,
            beside=set(picked([*self.known], move.beside)) - overrule,
            on_unseen=move.on_unseen,
        )
        self.known = sent
        return request

    def play(self, move: Move) -> None:
        request = self.request(move)
        if request is None:
            return
        try:
            if move.unaware is None:
                self.shop.sweep()
                self.shop.appender(move.writer).append(request)
            else:
                self.shop.send_unaware(move.writer, self.view(move), request)
        except Refusal as refusal:
            self.refused.append(refusal)

    def view(self, move: Move) -> list[Arrived]:
        """What an unaware writer knows: whatever it displaced is recorded by what it also knows."""
        entries = sorted(self.shop.arrived(), key=lambda arrived: arrived.entry.recorded_at)
        assert move.unaware is not None
        return [
            arrived
            for place, arrived in enumerate(entries)
            if place < move.unaware or arrived.dot.writer == move.writer
        ]


def picked(known: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Distinct known ids by number, counted from the latest; numbers beyond them name nothing."""
    return sorted({known[-1 - number] for number in numbers if number < len(known)})


few = st.lists(st.integers(0, 9), max_size=2).map(tuple)
none_mostly = st.one_of(st.just(()), st.just(()), st.just(()), few)

settings_of_a_slot = st.one_of(
    st.builds(prop, st.sampled_from(ELEMENTS[:2]), st.just("engine"), st.sampled_from(VALUES)),
    st.builds(prop, st.sampled_from(ELEMENTS), st.sampled_from(KEYS), st.sampled_from(VALUES)),
    st.builds(prop, st.sampled_from(ELEMENTS[:2]), st.just("paths"), st.sampled_from(GLOBS)),
    st.builds(
        lambda act, ends: act(ends[0], "USES", ends[1]),
        st.sampled_from((link, unlink)),
        st.permutations(ELEMENTS),
    ),
    st.builds(attach, st.sampled_from((*ELEMENTS, "Feature:Search", "team: CORE"))),
)


def _slot_named(mutation: dict[str, Any]) -> str:
    return str({name: mutation[name] for name in mutation if name not in ("op", "value")})


def plans() -> st.SearchStrategy[Plan]:
    """Decisions from so small a stock that they meet, agree and contradict."""
    return st.builds(
        Plan,
        title=st.sampled_from(("One", "Two")),
        mutations=st.lists(settings_of_a_slot, max_size=3, unique_by=_slot_named).map(tuple),
        outcome=st.sampled_from(("adopted",) * 5 + ("rejected", "note")),
        date=st.sampled_from(DATES),
        supersedes=none_mostly,
    )


UNAWARE_OR_NOT = st.none() | st.integers(0, 12)
ANY_TREATMENT: st.SearchStrategy[OnUnseen] = st.sampled_from(("branch", "refuse", "historical"))


def moves(
    unaware: st.SearchStrategy[int | None] = UNAWARE_OR_NOT,
    on_unseen: st.SearchStrategy[OnUnseen] = ANY_TREATMENT,
    max_plans: int = 3,
) -> st.SearchStrategy[Move]:
    decided = st.one_of(plans(), plans(), plans(), st.builds(Again, st.integers(0, 9)))
    return st.builds(
        Move,
        writer=st.sampled_from(WRITERS),
        plans=st.lists(decided, min_size=1, max_size=max_plans).map(tuple),
        seen=few,
        overrule=none_mostly,
        beside=none_mostly,
        on_unseen=on_unseen,
        unaware=unaware,
    )


@st.composite
def histories(draw: st.DrawFn, min_size: int = 1, max_size: int = 16, **choices: Any) -> History:
    """A history played to its end. Half of them are long, or contradictions would be rare."""
    long = draw(st.booleans())
    low = (min_size + max_size) // 2 if long else min_size
    history = History()
    for move in draw(st.lists(moves(**choices), min_size=low, max_size=max_size)):
        history.play(move)
    return history
