"""What is measured: the use cases as the functions call them, over the adapters of AWS.

Each is run on the same elements in every store, so that a difference comes from the rest of the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from precedent import browse
from precedent.append import Appender
from precedent.aws.items import items_of
from precedent.aws.log import s3_client
from precedent.changes import Since, changes
from precedent.consume import Scope
from precedent.decision import parse
from precedent.element import ADDRESSES, parse_name
from precedent.live import read_live
from precedent.pointer import follow
from precedent.ports import Projection
from precedent.query import parse as parse_query
from precedent.recall import recall, targets
from precedent.request import AppendRequest
from precedent.resolve import Verdicts
from precedent.rows import LiveRow
from precedent.search import search
from precedent.terms import stem

from tests.bench import story
from tests.bench.aws import LocalAws
from tests.bench.meter import Cost, Meter
from tests.bench.store import Store

SAMPLE = range(30, 50)
"""The elements asked about; without an open conflict, so that an append meets one head."""

QUESTIONS = {
    "common words": "postgres cache latency",
    "an element's name": "area0004-00042",
    "one slip in a word": "postgers worker",
}
"""What is asked in words: every word of a story is common, an element's name is in few decisions."""

ASKED = frozenset(
    term for question in QUESTIONS.values() for term in parse_query(question).terms
) | {stem("postgres")}
RECENT_WRITERS, RECENT = 10, 4
"""Changes are asked for since a point that many writers' last entries back."""


@dataclass(frozen=True)
class Measured:
    """An operation and its mean cost. `flat` is whether it must not grow with the store."""

    name: str
    cost: Cost
    flat: bool = True


def meter_of(aws: LocalAws) -> Meter:
    """A meter on every client the adapters talk through."""
    meter = Meter()
    table = items_of(aws.deployed.projection_table)
    for client in (
        s3_client(),
        aws.access._client,
        table._get_connection().connection.client,
    ):
        meter.listen(client)
    return meter


@dataclass
class Bench:
    """One loaded store and the adapters it is measured through."""

    aws: LocalAws
    store: Store
    meter: Meter

    @property
    def scope(self) -> Scope:
        return self.store.scope

    def run(self) -> Iterator[Measured]:
        """Every operation in turn: what reads first, since an append changes the store."""
        yield self._measure("recall by element", [*map(self._recall, SAMPLE)])
        yield self._measure("recall by path", [self._recall_path(n) for n in SAMPLE if n % 2 == 0])
        yield self._measure("recall, busiest element", [lambda: self._named(story.BUSIEST, 8)])
        yield self._measure("history page", [self._history])
        yield self._measure("conflicts page", [self._conflicts])
        yield self._measure("changes page", [self._changes])
        for name, question in QUESTIONS.items():
            yield self._measure(f"search, {name}", [self._search(question)])
        yield self._measure("append", [*map(self._append, SAMPLE)])
        yield self._measure("wake-up", [self._wake_up])
        yield self._measure("recall, hub of links", [lambda: self._named(story.HUB, 1)], flat=False)

    def _measure(
        self, name: str, calls: list[Callable[[], None]], *, flat: bool = True
    ) -> Measured:
        total = Cost()
        for call in calls:
            self.meter.start()
            call()
            total += self.meter.spent
        return Measured(name, total / len(calls), flat)

    def _projection(self) -> Projection:
        pointers = self.aws.pointers(self.scope)
        pointer = pointers.read()
        assert pointer == self.store.pointer
        return pointers.open(pointer)

    def _recall(self, number: int) -> Callable[[], None]:
        return lambda: self._named(story.name_of(number), 1)

    def _named(self, name: str, fewest: int) -> None:
        projection = self._projection()
        asked = targets(projection, [parse_name(name, "")], [])
        found, _ = recall(projection, self.scope.project, asked)
        assert len(found.decisions) >= fewest

    def _recall_path(self, number: int) -> Callable[[], None]:
        def call() -> None:
            projection = self._projection()
            asked = targets(projection, [], [story.file_of(number)])
            assert [target.element for target in asked] == [element_of(number)]
            found, _ = recall(projection, self.scope.project, asked)
            assert found.decisions

        return call

    def _history(self) -> None:
        busiest = parse_name(story.BUSIEST, "").id
        page, more = browse.history(self._projection(), busiest, None)
        assert len(page.events) == browse.PAGE
        assert more

    def _conflicts(self) -> None:
        page, more = browse.conflicts(self._projection(), None)
        assert len(page.conflicts) > len(story.CONTESTED) // 2
        assert more is None

    def _changes(self) -> None:
        offsets = {writer: at.seq for writer, at in self.store.projection.offsets().items()}
        for writer in story.WRITERS[:RECENT_WRITERS]:
            offsets[writer] -= RECENT
        found, _, more = changes(self._projection(), Since(offsets))
        assert len(found) == RECENT_WRITERS * RECENT
        assert not more

    def _search(self, question: str) -> Callable[[], None]:
        def call() -> None:
            found = search(self._projection(), self.scope.project, parse_query(question))
            assert found.hits

        return call

    def _append(self, number: int) -> Callable[[], None]:
        """One slot of an element that exists, in place of the decision that holds it, which was read."""
        head = self._head(number)
        writer = next(name for name in _from(number) if name != head.dot.writer)
        decision = parse(
            {
                "title": f"What we learned since ({number})",
                "rationale": "It was right for the load we had then, and that has changed. " * 4,
                "rejected": [{"option": "As it was", "reason": "Too slow at night."}],
                "mutations": [
                    {
                        "op": "set_prop",
                        "element": story.name_of(number),
                        "key": head.slot.removeprefix("p:"),
                        "value": "something else",
                    }
                ],
            }
        )
        verdicts = Verdicts(seen=frozenset([head.decision]))
        request = AppendRequest((decision,), verdicts, f"bench-{number}", {})
        appender = Appender(
            self.scope,
            writer,
            self.aws.log(self.scope),
            self.aws.pointers(self.scope),
            lambda: "2026-11-30T20:38:14.123Z",
        )

        def call() -> None:
            appended = appender.append(request)
            assert appended.written
            assert appended.projected
            assert appended.results[0].overruled

        return call

    def _head(self, number: int) -> LiveRow:
        """The first of an element's properties that one decision holds alone."""
        rows = [live.row for live in read_live(self.store.projection, element_of(number))]
        slots = Counter(row.slot for row in rows if row.slot.startswith("p:"))
        return next(row for row in rows if slots[row.slot] == 1 and row.slot not in ADDRESSES)

    def _wake_up(self) -> None:
        """What the event of an append causes where the append has projected its entry itself."""
        log, pointers = self.aws.log(self.scope), self.aws.pointers(self.scope)
        assert follow(self.scope, log, pointers, story.WRITERS[-1]).entries == 0


def element_of(number: int) -> str:
    return parse_name(story.name_of(number), "").id


def _from(number: int) -> tuple[str, ...]:
    start = number % len(story.WRITERS)
    return story.WRITERS[start:] + story.WRITERS[:start]
