"""The ports in memory: every call one atomic step (see `steps`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TypeVar

from precedent.aws.keys import Key, Keys
from precedent.element import aliased
from precedent.entry import Body, Dot
from precedent.orset import Lost, Status
from precedent.packs import md5
from precedent.ports import Listed, Offset, Pointer, Stored, Summary
from precedent.rows import (
    ConflictRow,
    DirectoryRow,
    DotRow,
    HistoryRow,
    KeyRow,
    LiveRow,
    MarkRow,
    PathRow,
    QuarantineRow,
    Row,
    SearchRow,
    WordRow,
)

from tests.fakes.inventory import MemoryInventory
from tests.fakes.steps import Stepped
from tests.fakes.table import Kinds

Item = Body | Status | Offset | Row
Table = dict[Key, Item]
R = TypeVar("R", bound=Row)


@dataclass
class MemoryLog(Stepped):
    """A project's log. `objects` is (writer, first seq) → bytes, `strays` what else lies there by name."""

    objects: dict[tuple[str, int], bytes] = field(default_factory=dict)
    strays: dict[str, bytes] = field(default_factory=dict)

    def put(self, writer: str, first: int, data: bytes) -> bool:
        with self._step("put"):
            free = (writer, first) not in self.objects
            if free:
                self.objects[writer, first] = bytes(data)
        return free

    def get(self, writer: str, first: int) -> bytes | None:
        with self._step("get"):
            return self.objects.get((writer, first))

    def get_all(self, writer: str, firsts: Iterable[int]) -> Iterator[bytes | None]:
        return (self.get(writer, first) for first in firsts)

    def summaries(self, writer: str, first: int, end: int) -> dict[int, Summary]:
        with self._step("summaries"):
            found = sorted(n for n in self._firsts(writer, first - 1) if n < end)
            objects = {name: self.objects[writer, name] for name in found}
            return {name: Summary(len(data), md5(data)) for name, data in objects.items()}

    def first_after(self, writer: str, seq: int) -> int | None:
        with self._step("first_after"):
            return min(self._firsts(writer, seq), default=None)

    def last(self, writer: str, seq: int) -> Stored | None:
        with self._step("last"):
            first = max(self._firsts(writer, seq), default=None)
            return None if first is None else Stored(first, self.objects[writer, first])

    def writers(self) -> Iterator[str]:
        with self._step("writers"):
            found = sorted({writer for writer, _ in self.objects})
        return iter(found)

    def names(self) -> Iterator[Listed]:
        with self._step("names"):
            found = {f"{w}/{first:012d}.jsonl": data for (w, first), data in self.objects.items()}
            return iter([Listed(n, len(data)) for n, data in {**found, **self.strays}.items()])

    def _firsts(self, writer: str, seq: int) -> Iterator[int]:
        return (first for owner, first in self.objects if owner == writer and first > seq)


@dataclass
class MemoryPacks(Stepped):
    """A project's packs. `objects` is (writer, name) → bytes."""

    objects: dict[tuple[str, str], bytes] = field(default_factory=dict)

    def writers(self) -> Iterator[str]:
        with self._step("writers"):
            return iter(sorted({writer for writer, _ in self.objects}))

    def names(self, writer: str) -> list[str]:
        with self._step("names"):
            return sorted(name for owner, name in self.objects if owner == writer)

    def get(self, writer: str, name: str) -> bytes | None:
        with self._step("get"):
            return self.objects.get((writer, name))

    def put(self, writer: str, name: str, data: bytes) -> None:
        with self._step("put"):
            self.objects[writer, name] = bytes(data)

    def delete(self, writer: str, name: str) -> None:
        with self._step("delete"):
            self.objects.pop((writer, name), None)


@dataclass
class MemoryProjection(Stepped):
    """One generation of a project's read model. `table` holds every item under its key in DynamoDB."""

    table: Table = field(default_factory=Kinds)
    keys: Keys = field(default_factory=lambda: Keys("g1", "acme", "shop"))

    def put_body(self, body: Body) -> None:
        with self._step("put_body"):
            self.table.setdefault(self.keys.body(body.id), deepcopy(body))

    def put_status(self, status: Status) -> Status:
        with self._step("put_status"):
            there = self._status(status.dot)
            if not there.arrived:
                # An earlier `lost` stays, whatever the caller brings.
                there = replace(status, lost=there.lost)
                self.table[self.keys.status(status.dot)] = there
        return there

    def add_lost(self, dot: Dot, lost: Iterable[Lost]) -> Status:
        with self._step("add_lost"):
            there = self._status(dot).losing(lost)
            self.table[self.keys.status(dot)] = there
        return there

    def put(self, row: Row) -> None:
        with self._step("put"):
            there = self.table.setdefault(self.keys.row(row), row)
            if (
                isinstance(row, DirectoryRow)
                and isinstance(there, DirectoryRow)
                and row.name < there.name
            ):
                self.table[self.keys.row(row)] = row

    def delete(self, row: Row) -> None:
        with self._step("delete"):
            self.table.pop(self.keys.row(row), None)

    def write(self, puts: Iterable[SearchRow | WordRow], deletes: Iterable[SearchRow] = ()) -> None:
        with self._step("write"):
            for row in puts:
                self.table[self.keys.row(row)] = row
            for row in deletes:
                self.table.pop(self.keys.row(row), None)

    def move_offset(self, writer: str, old: Offset, new: Offset) -> bool:
        with self._step("move_offset"):
            there = self._offset(writer)
            moved = there[:2] == old[:2] and new.seq > old.seq
            if moved:
                self.table[self.keys.offset(writer)] = new._replace(promised=there.promised)
        return moved

    def rewind(self, writer: str, old: Offset, new: Offset) -> bool:
        with self._step("rewind"):
            moved = self._offset(writer)[:2] == old[:2]
            if moved:
                self.table[self.keys.offset(writer)] = new
        return moved

    def live(self, element: str, slot: str | None = None) -> list[LiveRow]:
        with self._step("live"):
            rows = [
                row
                for row in self._rows(LiveRow)
                if row.element == element and slot in (None, row.slot)
            ]
        return sorted(rows, key=lambda row: (row.slot, row.dot))

    def aliases(self, element: str) -> list[LiveRow]:
        with self._step("aliases"):
            rows = [r for r in self._rows(LiveRow) if r.element == element and aliased(r.slot)]
        return sorted(rows, key=lambda row: (row.slot, row.dot))

    def statuses(self, dots: Iterable[Dot]) -> dict[Dot, Status]:
        with self._step("statuses"):
            found = {dot: self.table.get(self.keys.status(dot)) for dot in dots}
        return {dot: item for dot, item in found.items() if isinstance(item, Status)}

    def bodies(self, decisions: Iterable[str]) -> dict[str, Body]:
        with self._step("bodies"):
            found = {name: self.table.get(self.keys.body(name)) for name in decisions}
        return {name: deepcopy(item) for name, item in found.items() if isinstance(item, Body)}

    def dots(self, decision: str) -> list[Dot]:
        with self._step("dots"):
            dots = [row.dot for row in self._rows(DotRow) if row.decision == decision]
        return sorted(dots)

    def results(self, writer: str, key: str) -> list[KeyRow]:
        with self._step("results"):
            rows = [
                row for row in self._rows(KeyRow) if row.dot.writer == writer and row.key == key
            ]
        return sorted(rows, key=lambda row: row.index)

    def history(
        self, element: str, start: HistoryRow | None = None, *, newest_first: bool = False
    ) -> Iterator[HistoryRow]:
        with self._step("history"):
            rows = [row for row in self._rows(HistoryRow) if row.element == element]
        return self._following(rows, start, newest_first=newest_first)

    def events(self, places: Iterable[tuple[str, str, Dot]]) -> list[HistoryRow]:
        wanted = set(places)
        with self._step("events"):
            rows = [r for r in self._rows(HistoryRow) if (r.element, r.date, r.dot) in wanted]
        return sorted(rows, key=lambda row: (row.element, row.date, row.dot))

    def paths(self, folder: str) -> list[PathRow]:
        with self._step("paths"):
            rows = [row for row in self._rows(PathRow) if row.folder == folder]
        return sorted(rows, key=lambda row: (row.element, row.dot))

    def directory(self, kind: str | None, start: DirectoryRow | None) -> Iterator[DirectoryRow]:
        with self._step("directory"):
            rows = [row for row in self._rows(DirectoryRow) if kind in (None, row.kind)]
        return self._following(rows, start)

    def conflicts(
        self, start: ConflictRow | None = None, *, element: str | None = None
    ) -> Iterator[ConflictRow]:
        with self._step("conflicts"):
            rows = [row for row in self._rows(ConflictRow) if element in (None, row.element)]
        return self._following(rows, start)

    def quarantined(self) -> Iterator[QuarantineRow]:
        with self._step("quarantined"):
            return iter(sorted(self._rows(QuarantineRow), key=lambda row: row.dot))

    def marks(self) -> set[MarkRow]:
        with self._step("marks"):
            return set(self._rows(MarkRow))

    def postings(self, term: str, shelf: str, limit: int) -> list[SearchRow]:
        with self._step("postings"):
            rows = [row for row in self._rows(SearchRow) if (row.term, row.shelf) == (term, shelf)]
        return sorted(rows, key=lambda row: (-row.weight, row.dot))[:limit]

    def words(self, length: int, half: str, limit: int, *, backwards: bool = False) -> list[str]:
        with self._step("words"):
            pk = self.keys.words(length, half, backwards=backwards)
            return sorted(key.sk for key in self.table if key.pk == pk)[:limit]

    def known_words(self, words: Iterable[str]) -> set[str]:
        with self._step("known_words"):
            return {word for word in words if self.keys.row(WordRow(word)) in self.table}

    def offset(self, writer: str) -> Offset:
        with self._step("offset"):
            return self._offset(writer)

    def offsets(self) -> dict[str, Offset]:
        with self._step("offsets"):
            pk = self.keys.offset("").pk
            return {
                key.sk: item
                for key, item in sorted(self.table.items())
                if key.pk == pk and isinstance(item, Offset)
            }

    def entries(self, writer: str, after: int) -> Iterator[Status]:
        with self._step("entries"):
            found = [
                item
                for item in self._statuses()
                if item.dot.writer == writer and item.dot.seq > after
            ]
        return iter(sorted(found, key=lambda status: status.dot))

    def all_statuses(self) -> Iterator[Status]:
        with self._step("all_statuses"):
            return iter(self._statuses())

    def _statuses(self) -> list[Status]:
        mine = self.keys.partition("E", "")
        return [
            item
            for key, item in _of(self.table, Status)
            if key.pk.startswith(mine) and isinstance(item, Status)
        ]

    def _status(self, dot: Dot) -> Status:
        item = self.table.get(self.keys.status(dot))
        return item if isinstance(item, Status) else Status(dot)

    def _offset(self, writer: str) -> Offset:
        item = self.table.get(self.keys.offset(writer))
        return item if isinstance(item, Offset) else Offset()

    def _following(
        self, rows: list[R], start: R | None, *, newest_first: bool = False
    ) -> Iterator[R]:
        def order(row: R) -> str:
            return self.keys.row(row).sk

        if start is not None:
            here = order(start)
            rows = [
                row for row in rows if order(row) != here and (order(row) < here) == newest_first
            ]
        return iter(sorted(rows, key=order, reverse=newest_first))

    def _rows(self, kind: type[R]) -> list[R]:
        mine = self.keys.partition("")
        return [
            item
            for key, item in _of(self.table, kind)
            if isinstance(item, kind) and key.pk.startswith(mine)
        ]


def _of(table: Table, kind: type) -> list[tuple[Key, Item]]:
    """The items of a kind, and in a plain dictionary whatever others."""
    return list((table.of(kind) if isinstance(table, Kinds) else table).items())


@dataclass
class MemoryPointers(Stepped):
    """The pointer of one project, and every generation it ever named in one table."""

    tenant: str = "acme"
    project: str = "shop"
    pointer: Pointer | None = None
    table: Table = field(default_factory=Kinds)

    def read(self) -> Pointer | None:
        with self._step("read"):
            return self.pointer

    def proposed(self, salt: str) -> Pointer:
        return Pointer("projection", "g1", salt)

    def ensure(self, salt: str) -> Pointer:
        with self._step("ensure"):
            if self.pointer is None:
                self.pointer = self.proposed(salt)
            return self.pointer

    def fresh(self, old: Pointer, generation: str) -> Pointer:
        return replace(old, generation=generation)

    def flip(self, old: Pointer, new: Pointer) -> bool:
        with self._step("flip"):
            flipped = self.pointer == old
            if flipped:
                self.pointer = new
        return flipped

    def open(self, pointer: Pointer) -> MemoryProjection:
        """The projection a pointer names. It shares this object's hooks, lock and table."""
        keys = Keys(pointer.generation, self.tenant, self.project)
        return MemoryProjection(
            self.table,
            keys,
            before=self._before,
            after=self._after,
            _lock=self._lock,
        )

    def inventory(self, pointer: Pointer) -> MemoryInventory:
        return MemoryInventory(self.open(pointer))

    def _before(self, name: str) -> None:
        # Looked up at each call: a test may set the hooks after opening.
        self.before(name)

    def _after(self, name: str) -> None:
        self.after(name)
