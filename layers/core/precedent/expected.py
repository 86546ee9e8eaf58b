"""What a projection has to hold, by the log: kept beside the log's reading, compared with what a table holds.

Entries up to an offset must be there. What lies beyond may be on its way while we look, so it may be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from precedent import canonical
from precedent.entry import Arrived, Body, Dot
from precedent.indexing import search_rows, words_of
from precedent.orset import Lost, Status, contests, status_of
from precedent.ports import Inventory, Key
from precedent.rows import (
    ConflictRow,
    DirectoryRow,
    Row,
    WordRow,
    immutable_rows,
    key_row,
    live_rows,
)

State = dict[Dot, Status]


@dataclass
class Expected:
    """The rows, statuses and texts of the entries added, by where they lie. Holds a project in memory."""

    inventory: Inventory
    offsets: Mapping[str, int]
    must: State = field(default_factory=dict)
    may: State = field(default_factory=dict)
    rows: dict[Key, tuple[Row, ...]] = field(default_factory=dict)
    required: dict[Key, Dot] = field(default_factory=dict)
    texts: dict[str, set[str]] = field(default_factory=dict)
    recorded: dict[str, Dot] = field(default_factory=dict)
    contents: dict[Dot, dict[str, Any]] = field(default_factory=dict)

    def add(self, arrived: Arrived) -> None:
        """Fold one entry."""
        projected = arrived.dot.seq <= self.offsets.get(arrived.dot.writer, 0)
        _fold(self.may, arrived)
        if projected:
            _fold(self.must, arrived)
        for row in (key_row(arrived), *immutable_rows(arrived)):
            self._expect(row, arrived.dot, required=projected)
        if body := arrived.body:
            self.texts.setdefault(body.id, set()).add(fingerprint(body))
            if projected:
                self.recorded.setdefault(body.id, arrived.dot)
            self.contents[arrived.dot] = body.content
            for word in words_of(body.content):
                for row in (WordRow(word), WordRow(word, backwards=True)):
                    self._expect(row, arrived.dot, required=projected)

    def hints(self) -> None:
        """Expect the rows of what is live, once every entry is added."""
        for dot, status in self.must.items():
            held = {*self._hints(self.may[dot])}
            for row in self._hints(status):
                self._expect(row, dot, required=row in held)
        for status in self.may.values():
            for row in self._hints(status):
                self._expect(row, status.dot, required=False)
        self._contradictions = contradictions(self.may.values())
        for element, slot, heads in self._contradictions:
            for dot in heads:
                self._expect(ConflictRow(element, slot, dot), dot, required=False)

    def unhinted(self, there: set[ConflictRow]) -> Iterator[ConflictRow]:
        """A hint for each contradiction that must be listed and has none on either side."""
        hinted = {(row.element, row.slot): set[Dot]() for row in there}
        for row in there:
            hinted[row.element, row.slot].add(row.dot)
        certain = {(element, slot) for element, slot, _ in contradictions(self.must.values())}
        for element, slot, heads in self._contradictions:
            without = {dot: heads[dot] for dot in heads.keys() - hinted.get((element, slot), set())}
            if (element, slot) in certain and len(set(without.values())) > 1:
                yield ConflictRow(element, slot, max(without))

    def named(self, writer: str) -> int:
        """The highest seq of a writer that an entry displaces and the log does not hold."""
        stubs = (dot for dot, status in self.must.items() if not status.arrived)
        return max((dot.seq for dot in stubs if dot.writer == writer), default=0)

    def allows(self, key: Key, row: Row) -> bool:
        """Whether a row is one of those that may lie under its key."""
        known = self.rows[key]
        if isinstance(row, DirectoryRow) and self.settled:
            return row == min((r for r in known if isinstance(r, DirectoryRow)), key=_spelling)
        return row in known

    @property
    def settled(self) -> bool:
        """Whether everything in the log has to be there already."""
        return self.must == self.may

    def _hints(self, status: Status) -> Iterator[Row]:
        yield from live_rows(status)
        if content := self.contents.get(status.dot):
            yield from search_rows(status, content)

    def _expect(self, row: Row, dot: Dot, *, required: bool) -> None:
        key = self.inventory.key(row)
        known = self.rows.get(key, ())
        if row not in known:
            self.rows[key] = (*known, row)
        if required:
            self.required.setdefault(key, dot)


def contradictions(statuses: Iterable[Status]) -> list[tuple[str, str, dict[Dot, str]]]:
    """Each slot whose heads differ, with its heads and the hashes of their values."""
    heads: dict[tuple[str, str], dict[Dot, str]] = {}
    for status in statuses:
        for claim in status.live:
            if contests(claim.slot):
                heads.setdefault((claim.element, claim.slot), {})[status.dot] = claim.value
    return [(*slot, found) for slot, found in heads.items() if len(set(found.values())) > 1]


def fingerprint(body: Body) -> str:
    """Equal for equal texts."""
    return canonical.sha256(
        msgspec.json.encode([body.id, body.content, body.elements, body.sets], order="sorted")
    )


def _fold(state: State, arrived: Arrived) -> None:
    gone = state.get(arrived.dot, Status(arrived.dot)).lost
    state[arrived.dot] = replace(status_of(arrived), lost=gone)
    for claim in arrived.entry.displaces:
        there = state.get(claim.dot, Status(claim.dot))
        state[claim.dot] = there.losing([Lost(claim.element, claim.slot, arrived.dot)])


def _spelling(row: DirectoryRow) -> tuple[str, str]:
    return row.name
