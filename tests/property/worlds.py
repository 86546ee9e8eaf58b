"""Strategies for worlds: what a few writers decide, on a few things, knowing more or less of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from precedent.decision import parse
from precedent.entry import Arrived
from precedent.errors import Invalid, Refusal
from precedent.request import AppendRequest
from precedent.resolve import OnUnseen
from tests.property.shop import Shop, attach, link, prop, request_of, unlink

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

    def content(self, known: Sequence[str]) -> dict[str, Any]:
        content: dict[str, Any] = {
            "title": self.title,
            "outcome": self.outcome,
            "mutations": list(self.mutations),
            "supersedes": picked(known, self.supersedes),
        }
        return content if self.date is None else {**content, "date": self.date}


@dataclass(frozen=True)
class Move:
    """One request: who sends what, knowing what, and how the unseen is to be treated.

    `unaware`: resolved on the first so many entries of the log and the writer's own, not on all.
    """

    writer: str
    plans: tuple[Plan, ...]
    seen: tuple[int, ...]
    overrule: tuple[int, ...]
    beside: tuple[int, ...]
    on_unseen: OnUnseen
    unaware: int | None


@dataclass
class History:
    """A shop, the decisions ever sent to it, and the requests that were refused."""

    shop: Shop = field(default_factory=Shop, repr=False)
    known: list[str] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    def request(self, move: Move) -> AppendRequest | None:
        """The request a move makes now; None where the plan breaks a rule of the model."""
        contents: list[dict[str, Any]] = []
        names = list(self.known)
        for plan in move.plans:
            contents.append(plan.content(names))
            try:
                names.append(parse(contents[-1]).id)
            except Invalid:
                return None
        overrule = set(picked(self.known, move.overrule))
        request = request_of(
            *contents,
            key=f"move-{len(self.known)}-{self.shop.sent}",
            seen=picked(self.known, move.seen),
            overrule=overrule,
            beside=set(picked(self.known, move.beside)) - overrule,
            on_unseen=move.on_unseen,
        )
        self.known += [name for name in names if name not in self.known]
        self.shop.sent += 1
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
                self.shop.send_unaware(move.writer, self._view(move), request)
        except Refusal as refusal:
            self.refused.append(refusal)

    def _view(self, move: Move) -> list[Arrived]:
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


some = st.lists(st.integers(0, 9), max_size=3).map(tuple)

settings_of_a_slot = st.one_of(
    st.builds(prop, st.sampled_from(ELEMENTS), st.sampled_from(KEYS), st.sampled_from(VALUES)),
    st.builds(prop, st.sampled_from(ELEMENTS[:2]), st.just("paths"), st.sampled_from(GLOBS)),
    st.builds(
        lambda act, ends: act(ends[0], "USES", ends[1]),
        st.sampled_from((link, unlink)),
        st.permutations(ELEMENTS),
    ),
    st.builds(attach, st.sampled_from(ELEMENTS)),
)


def plans(supersedes: st.SearchStrategy[tuple[int, ...]] = some) -> st.SearchStrategy[Plan]:
    """Decisions from so small a stock that they meet, agree, contradict and come again."""
    return st.builds(
        Plan,
        title=st.sampled_from(("One", "Two")),
        mutations=st.lists(settings_of_a_slot, max_size=3).map(tuple),
        outcome=st.sampled_from(("adopted",) * 5 + ("rejected", "note")),
        date=st.sampled_from(DATES),
        supersedes=supersedes,
    )


def moves(
    unaware: st.SearchStrategy[int | None] = st.none() | st.integers(0, 12),
    on_unseen: st.SearchStrategy[OnUnseen] = st.sampled_from(("refuse", "branch", "historical")),
) -> st.SearchStrategy[Move]:
    return st.builds(
        Move,
        writer=st.sampled_from(WRITERS),
        plans=st.lists(plans(), min_size=1, max_size=3).map(tuple),
        seen=some,
        overrule=some,
        beside=some,
        on_unseen=on_unseen,
        unaware=unaware,
    )


@st.composite
def histories(draw: st.DrawFn, max_size: int = 14, **choices: Any) -> History:
    """A history played to its end."""
    history = History()
    for move in draw(st.lists(moves(**choices), min_size=1, max_size=max_size)):
        history.play(move)
    return history
