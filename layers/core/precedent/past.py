"""What was in force at a date, from an element's history: each claim holds for a period.

A claim holds from its effective date to the later of that and its displacer's date. A slot that was recorded
as history ends what stood before it by date, if that was displaced at all, and is ended by the next. What is
live now was never ended, so that at this moment, where no date lies in the future, the answer is today's.

The dates are those decisions are about, not those they were recorded at: a back-dated import tells of the past.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from precedent.dates import Instant, begins, ends
from precedent.element import owner_of
from precedent.entry import Claim, Dot
from precedent.errors import PastTooLong
from precedent.live import Live
from precedent.orset import Lost, Status
from precedent.ports import Projection
from precedent.rows import MENTION, HistoryRow, LiveRow

ROWS = 10_000
"""Events of history that one answer about the past is made from."""


class End(NamedTuple):
    """When a period was over, and the entry that ended it."""

    date: str
    dot: Dot


def periods(
    rows: Sequence[HistoryRow], statuses: Mapping[Dot, Status]
) -> dict[tuple[Dot, str], End | None]:
    """Each slot that rows of one element decided, by (dot, slot), and when it ceased to hold there.

    None for what still holds, by these rows. `statuses` are those of the rows and of their displacers.
    """
    anything, history = _Starts(), _Starts()
    for row in sorted(rows, key=_order):
        for slot in (*row.claims, *row.historical):
            anything.add(slot, row)
        for slot in row.historical:
            history.add(slot, row)
    found: dict[tuple[Dot, str], End | None] = {}
    for row in rows:
        status = statuses.get(row.dot, Status(row.dot))
        for slot in row.claims:
            by = status.lost_to(*owner_of(row.element, slot))
            displaced = [End(statuses[dot].date if dot in statuses else "", dot) for dot in by]
            ended = displaced and displaced + history.after(slot, row)
            found[row.dot, slot] = _first(row, ended)
        for slot in row.historical:
            found[row.dot, slot] = _first(row, anything.after(slot, row))
    return found


class _Starts:
    """When something began to hold on each slot: rows in their order, and the instants to search in."""

    def __init__(self) -> None:
        self._instants: dict[str, list[Instant]] = defaultdict(list)
        self._rows: dict[str, list[HistoryRow]] = defaultdict(list)

    def add(self, slot: str, row: HistoryRow) -> None:
        self._instants[slot].append(begins(row.date))
        self._rows[slot].append(row)

    def after(self, slot: str, row: HistoryRow) -> list[End]:
        """The first that began later than a row, if any did."""
        place = bisect_right(self._instants[slot], begins(row.date))
        return [End(one.date, one.dot) for one in self._rows[slot][place : place + 1]]


def _order(row: HistoryRow) -> tuple[Instant, Dot]:
    return begins(row.date), row.dot


def _first(row: HistoryRow, found: Iterable[End]) -> End | None:
    """The earliest of some ends, and never before the beginning."""
    end = min(found, key=lambda one: (begins(one.date), one.dot), default=None)
    if end is None or begins(end.date) > begins(row.date):
        return end
    return End(row.date, end.dot)


@dataclass
class Past:
    """A projection as it was at a date. One object answers one question: what it reads is counted."""

    projection: Projection
    at: str
    read: int = 0
    known: dict[Dot, Status] = field(default_factory=dict)

    def live(
        self, element: str, window: Callable[[list[LiveRow]], list[LiveRow]] = list
    ) -> list[Live]:
        """What `read_live` would have answered then. Raises PastTooLong.

        Each status is as it was then: with what had displaced it by then, and with what holds as history.
        """
        rows = self._rows(element)
        self._fetch({row.dot for row in rows})
        self._fetch({gone.by for row in rows for gone in self._status(row.dot).lost})
        over = {key: end for key, end in periods(rows, self.known).items() if end}
        views = {row.dot: self._view(row, over) for row in rows}
        return [
            Live(row, views[row.dot])
            for row in window(sorted(_shown(rows, views), key=lambda row: (row.slot, row.dot)))
        ]

    def _rows(self, element: str) -> list[HistoryRow]:
        limit = ends(self.at)
        found: list[HistoryRow] = []
        for row in self.projection.history(element):
            if row.date[:19] > limit[0]:  # beyond it; fractions of a second are in no order
                break
            self.read += 1
            if self.read > ROWS:
                raise PastTooLong(ROWS)
            if begins(row.date) <= limit:
                found.append(row)
        return found

    def _fetch(self, dots: set[Dot]) -> None:
        self.known |= self.projection.statuses(dots - self.known.keys())

    def _status(self, dot: Dot) -> Status:
        return self.known.get(dot, Status(dot))

    def _view(self, row: HistoryRow, over: Mapping[tuple[Dot, str], End]) -> Status:
        """An entry's status as it was then, as far as this element's history tells."""
        status, limit = self._status(row.dot), ends(self.at)
        lost = {gone for gone in status.lost if begins(self._status(gone.by).date) <= limit}
        past: list[Claim] = []
        for slot in (*row.claims, *row.historical):
            owner = owner_of(row.element, slot)
            end = over.get((row.dot, slot))
            if end and begins(end.date) <= limit:
                lost.add(Lost(*owner, end.dot))
            elif slot in row.historical:
                past += [claim for claim in status.historical if claim[:2] == owner]
        return replace(status, claims=(*status.claims, *past), lost=frozenset(lost))


def _shown(rows: Iterable[HistoryRow], views: Mapping[Dot, Status]) -> Iterable[LiveRow]:
    """The live rows of then: of what is decided here, and of entries that are only attached."""
    for row in rows:
        view = views[row.dot]
        slots = [*row.claims, *row.historical]
        if row.element in view.mentions:
            slots.append(MENTION)
        shown = (LiveRow(row.element, slot, row.dot, row.decision) for slot in slots)
        yield from (each for each in shown if each.holds(view))
