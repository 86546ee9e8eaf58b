"""A store of any size in memory: the story, recorded through the append use case and the real fold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from precedent.append import Appender
from precedent.aws.keys import Key, Keys
from precedent.consume import Scope
from precedent.entry import Dot
from precedent.ports import Pointer
from precedent.request import AppendRequest
from precedent.resolve import Verdicts
from precedent.rows import COMPLETE, DotRow, KeyRow, LiveRow, MarkRow, PathRow, SearchRow, WordRow

from tests.bench.story import Step
from tests.fakes.memory import Item, MemoryLog, MemoryPointers, MemoryProjection

BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
BETWEEN = timedelta(minutes=30)

_AROUND_A_KEY = len("pk" + "sk" + "v") + 2
"""Bytes of an item that is all key beside what its key holds."""

Progress = Callable[[int], None]


class Partitions(dict[Key, Item]):
    """A table that also knows which items share a partition, so that a fold takes no scans."""

    def __init__(self) -> None:
        super().__init__()
        self._by_pk: dict[str, dict[str, Item]] = defaultdict(dict)

    def of(self, pk: str) -> Iterable[Item]:
        return list(self._by_pk[pk].values()) if pk in self._by_pk else ()

    def __setitem__(self, key: Key, item: Item) -> None:
        super().__setitem__(key, item)
        self._by_pk[key.pk][key.sk] = item

    def setdefault(self, key: Key, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Key, default: Any = None) -> Any:
        if partition := self._by_pk.get(key.pk):
            partition.pop(key.sk, None)
        return super().pop(key, default)


@dataclass
class PartitionedProjection(MemoryProjection):
    """The tests' projection in memory, with what an append reads found by partition."""

    table: Partitions = field(default_factory=Partitions)
    asked: frozenset[str] | None = None
    """The terms that will be searched for: the rows of others are counted and left out, for want of memory."""

    left_out: int = 0
    bytes_left_out: int = 0

    def write(self, puts: Iterable[SearchRow | WordRow], deletes: Iterable[SearchRow] = ()) -> None:
        super().write(self._kept(puts, 1), self._kept(deletes, -1))

    def _kept(self, rows: Iterable[Any], sign: int) -> Iterator[Any]:
        for row in rows:
            if isinstance(row, SearchRow) and self.asked is not None and row.term not in self.asked:
                self.left_out += sign
                self.bytes_left_out += sign * (sum(map(len, self.keys.row(row))) + _AROUND_A_KEY)
            else:
                yield row

    def live(self, element: str, slot: str | None = None) -> list[LiveRow]:
        rows = self._in(LiveRow, "L", element)
        return sorted(
            (row for row in rows if slot in (None, row.slot)), key=lambda row: (row.slot, row.dot)
        )

    def dots(self, decision: str) -> list[Dot]:
        return sorted(row.dot for row in self._in(DotRow, "D", decision))

    def results(self, writer: str, key: str) -> list[KeyRow]:
        # A key of the bench names one decision.
        row = self.table.get(self.keys.row(KeyRow(key, 0, 1, "", "", Dot(writer, 1), 1)))
        return [row] if isinstance(row, KeyRow) else []

    def paths(self, folder: str) -> list[PathRow]:
        rows = (row for row in self.table.of(self.keys.folder(folder)) if isinstance(row, PathRow))
        return sorted(rows, key=lambda row: (row.element, row.dot))

    def marks(self) -> set[MarkRow]:
        return set(self._in(MarkRow, "M"))

    def _in(self, kind: type[Any], *parts: str) -> list[Any]:
        return [row for row in self.table.of(self.keys.partition(*parts)) if isinstance(row, kind)]


@dataclass
class OnePointer(MemoryPointers):
    """A pointer that always leads to the same partitioned projection."""

    projection: PartitionedProjection = field(default_factory=PartitionedProjection)

    def open(self, pointer: Pointer) -> PartitionedProjection:
        return self.projection


@dataclass
class Clock:
    """Time goes on by half an hour a decision."""

    time: datetime = BEGAN

    def __call__(self) -> str:
        self.time += BETWEEN
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class Store:
    """A project recorded in memory, ready to be put on AWS under the same pointer."""

    scope: Scope
    pointer: Pointer
    asked: frozenset[str] | None = None
    log: MemoryLog = field(default_factory=MemoryLog)
    projection: PartitionedProjection = field(init=False)

    def __post_init__(self) -> None:
        keys = Keys(self.pointer.generation, self.scope.tenant, self.scope.project)
        self.projection = PartitionedProjection(keys=keys, asked=self.asked)
        self.projection.put(COMPLETE)

    def record(self, steps: Iterable[Step], progress: Progress = lambda _: None) -> None:
        pointers = OnePointer(
            self.scope.tenant, self.scope.project, self.pointer, projection=self.projection
        )
        now = Clock()
        for number, step in enumerate(steps, 1):
            appender = Appender(self.scope, step.writer, self.log, pointers, now)
            appended = appender.append(request_of(step, f"key-{number:08}"))
            assert appended.written
            progress(number)

    def newest_objects(self) -> dict[tuple[str, int], bytes]:
        """The last log object of each writer."""
        last: dict[str, int] = {}
        for writer, first in self.log.objects:
            last[writer] = max(first, last.get(writer, 0))
        return {key: self.log.objects[key] for key in last.items()}


def request_of(step: Step, key: str) -> AppendRequest:
    verdicts = Verdicts(seen=frozenset(step.seen), on_unseen="branch" if step.branch else "refuse")
    return AppendRequest((step.decision,), verdicts, key, step.circumstances)
