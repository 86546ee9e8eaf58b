"""A rebuild in shares: each worker reads the whole log and writes the items of its share of a new generation.

`plan` says how far the log is read, so that all workers read the same; `build` does a share; `finish`, once all
are done, lets the generation catch up with what was appended meanwhile, and serve. Nobody reads the generation before,
and every write may be done twice or too late: a worker that was given up and still goes on does no harm.

What an entry makes follows from it alone and is written as it is read. What is live, and what displaced an entry,
follows from all of them and is written at the end. An item belongs to the share of its element, else of its decision.
"""

from __future__ import annotations

import gc
import hashlib
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec

from precedent.consume import Object, Scope, next_object
from precedent.element import other_end
from precedent.entry import Arrived, Dot
from precedent.errors import TooLarge, Unavailable
from precedent.expected import contradictions
from precedent.indexing import search_rows, words_of
from precedent.orset import Lost, Status, status_of
from precedent.pointer import current_pointer
from precedent.ports import Bookmark, Item, Loader, Log, Offset, Pointer, Pointers
from precedent.rebuild import Rebuilt, begin, serve
from precedent.rows import (
    ConflictRow,
    DirectoryRow,
    DotRow,
    HistoryRow,
    LiveRow,
    PathRow,
    QuarantineRow,
    WordRow,
    immutable_rows,
    key_row,
    live_rows,
)
from precedent.sweep import sweep

SHARE_ENTRIES = 50_000
"""Entries a share is meant for: some 450,000 items, which one function writes in a few minutes."""

SHARES_LIMIT = 400

WRITERS_LIMIT = 1_500
"""Writers of a plan. It and what is built have to fit the 256 KB that a state machine hands on."""


class Plan(msgspec.Struct, frozen=True):
    """What a rebuild in shares will make, and `until` which object of each writer's log it reads."""

    tenant: str
    project: str
    table: str
    generation: str
    shares: int
    until: dict[str, int]

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant, self.project)

    def of(self, text: str) -> int:
        """The share of an element's or a decision's id."""
        return zlib.crc32(text.encode()) % self.shares


class Built(msgspec.Struct, frozen=True):
    """What a worker did, and a digest of what it read: the same for every share of a plan."""

    share: int
    items: int
    entries: int
    read: str


def plan(
    scope: Scope, log: Log, pointers: Pointers, generation: str, table: str | None = None
) -> Plan:
    """Plan a rebuild. `table` is another than the deployed one. Raises NotFound, TooLarge, StoreError."""
    _, new = begin(scope, log, pointers, generation)
    until: dict[str, int] = {}
    for writer in log.writers():
        if last := log.last(writer, 0):
            until[writer] = last.first
    if len(until) > WRITERS_LIMIT:
        raise TooLarge("/project", WRITERS_LIMIT, len(until), "writers")
    shares = min(SHARES_LIMIT, 1 + sum(until.values()) // SHARE_ENTRIES)
    return Plan(scope.tenant, scope.project, table or new.table, generation, shares, until)


def build(plan: Plan, log: Log, loader: Loader, share: int) -> Built:
    """Write a share of the generation. May be cut short and done again. Raises StoreError."""
    work = _Share(plan, log, share)
    with collecting_seldom():
        return Built(share, loader.load(work.items()), work.entries, work.read)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Have the cyclic collector look at what is new seldom, and at what was kept not at all.

    A fold keeps everything and makes no cycles; it would take a third of the time. Holds for the process meanwhile.
    """
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 1_000_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def finish(
    plan: Plan, log: Log, pointers: Pointers, built: Iterable[Built], *, accept_loss: bool = False
) -> Rebuilt:
    """Let the generation catch up, and serve. May be done again.

    Raises Unavailable if the workers did not all read the same, NotFound, StoreError.
    """
    old = current_pointer(plan.scope, log, pointers)
    new = Pointer(plan.table, plan.generation, old.salt)
    if old == new:  # an earlier attempt came so far
        return Rebuilt(plan.generation, sweep(plan.scope, log, pointers), flipped=True, old=old)
    reads = {each.share: each.read for each in built}
    if set(reads) != set(range(plan.shares)) or len(set(reads.values())) != 1:
        raise Unavailable(
            "The workers did not all read the same log: something in it changed meanwhile. "
            "What serves is as it was; start the rebuild again."
        )
    projection = pointers.open(new)
    for writer, last in plan.until.items():
        opened = next_object(plan.scope, log, writer, Offset(last - 1))
        # If it is gone by now, this writer is caught up from the beginning.
        if opened and opened.lines[0].first == last:
            projection.move_offset(writer, Offset(), opened.end)
    return serve(plan.scope, log, pointers, old, new, accept_loss=accept_loss)


@dataclass
class _Share:
    """One worker's reading of the log."""

    plan: Plan
    log: Log
    share: int
    entries: int = 0
    _total: int = 0
    _ends: list[Bookmark] = field(default_factory=list)
    _state: dict[Dot, Status] = field(default_factory=dict)
    _lost: dict[Dot, set[Lost]] = field(default_factory=lambda: defaultdict(set))
    _names: dict[str, DirectoryRow] = field(default_factory=dict)
    _texts: dict[Dot, bytes] = field(default_factory=dict)
    _words: set[str] = field(default_factory=set)
    _there: set[Dot] = field(default_factory=set)

    @property
    def read(self) -> str:
        """A digest of every line read and of where each log ended."""
        ends = msgspec.json.encode(sorted(self._ends))
        return hashlib.sha256(b"%d %d " % (self.entries, self._total) + ends).hexdigest()

    def items(self) -> Iterator[Item]:
        for opened in self._objects():
            for line in opened.lines:
                match line:
                    case Arrived():
                        yield from self._arrived(line)
                    case QuarantineRow() if self.share == 0:
                        yield line
        yield from self._names.values()
        # Another share may have the same words: they are written twice, and say nothing but that they are there.
        for word in sorted(self._words):
            yield from (WordRow(word, backwards=True), WordRow(word))
        yield from self._folded()

    def _objects(self) -> Iterator[Object]:
        for writer, last in sorted(self.plan.until.items()):
            offset = Offset()
            while offset.seq < last:
                opened = next_object(self.plan.scope, self.log, writer, offset)
                if opened is None:
                    break
                yield opened
                offset = opened.end
            self._ends.append(Bookmark(writer, offset))

    def _arrived(self, arrived: Arrived) -> Iterator[Item]:
        """Fold an entry; what it makes by itself of this share."""
        entry, dot = arrived.entry, arrived.dot
        self.entries += 1
        self._total += int(arrived.hash, 16)
        for gone in entry.displaces:
            self._lost[gone.dot].add(Lost(gone.element, gone.slot, dot))
        if self.share == 0:
            self._there.add(dot)
        own = self._mine(entry.decision[0])
        if not own and not any(map(self._mine, _touched(arrived))):
            return
        self._state[dot] = status_of(arrived)
        if own:
            yield key_row(arrived)
            if body := arrived.body:
                yield body
                self._texts[dot] = arrived.decision or b""
                self._words |= words_of(body.content)
        yield from self._immutable(arrived, own=own)

    def _immutable(self, arrived: Arrived, *, own: bool) -> Iterator[Item]:
        for row in immutable_rows(arrived):
            match row:
                case DirectoryRow() if self._mine(row.element):
                    known = self._names.setdefault(row.element, row)
                    if row.name < known.name:
                        self._names[row.element] = row
                case HistoryRow() if self._mine(row.element):
                    yield row
                case DotRow() if own:
                    yield row

    def _folded(self) -> Iterator[Item]:
        """What follows from all entries together."""
        for dot, pairs in self._lost.items():
            if dot in self._state:
                self._state[dot] = self._state[dot].losing(pairs)
            elif self.share == 0 and dot not in self._there:
                yield Status(dot).losing(pairs)
        for status in self._state.values():
            yield from self._shown(status)
        for element, slot, heads in contradictions(self._state.values()):
            if self._mine(element):
                yield from (ConflictRow(element, slot, dot) for dot in heads)

    def _shown(self, status: Status) -> Iterator[Item]:
        """An entry's status, and the rows that say what of it is live."""
        if self._mine(status.decision):
            yield status
            if text := self._texts.get(status.dot):
                yield from search_rows(status, msgspec.json.decode(text))
        for row in live_rows(status):
            if isinstance(row, LiveRow | PathRow) and self._mine(row.element):
                yield row

    def _mine(self, identifier: str) -> bool:
        return self.plan.of(identifier) == self.share


def _touched(arrived: Arrived) -> set[str]:
    """Every element that shows something of an entry."""
    slots = arrived.entry.slots
    touched = {element for element, _ in slots}.union(arrived.entry.mentions)
    touched.update(to for _, slot in slots if (to := other_end(slot)))
    return touched.union(arrived.context.elements if arrived.context else ())
