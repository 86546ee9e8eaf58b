"""What the domain needs of the world. Each port has two adapters that pass one contract suite:
`precedent.aws` and the in-memory one the tests run on.

Every method may raise StoreError: the store did not answer, and whether a write was applied is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from precedent.entry import GENESIS, Body, Dot
from precedent.orset import Lost, Status
from precedent.rows import (
    ConflictRow,
    DirectoryRow,
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


class StoreError(Exception):
    """A store failed or did not answer; a write may or may not have been applied."""


class StoreMissing(StoreError):
    """The table or bucket is not there at all; asking again changes nothing."""


class Stored(NamedTuple):
    """One log object: the seq in its name and its bytes."""

    first: int
    data: bytes


class Listed(NamedTuple):
    """What lies under a project's prefix, an object of the log or not: its name below it, and its bytes."""

    name: str
    size: int


class Summary(NamedTuple):
    """What the store lists of an object: its bytes, and its ETag, which changes whenever they do.

    The ETag is the MD5 of the bytes where the store encrypts with its own keys, as the log's bucket does.
    """

    size: int
    etag: str


class Log(Protocol):
    """The log of one project: per writer, immutable objects named by the first seq they hold."""

    def put(self, writer: str, first: int, data: bytes) -> bool:
        """Write an object unless its name is taken. True: written and durable. False: taken.

        After an unknown outcome a retry may answer False for an object that is the caller's own:
        `get` it and compare the bytes.
        """

    def get(self, writer: str, first: int) -> bytes | None:
        """An object's bytes, None where there is none."""

    def get_all(self, writer: str, firsts: Iterable[int]) -> Iterator[bytes | None]:
        """The same of several objects, in the order they are asked for; several may be under way at once."""

    def summaries(self, writer: str, first: int, end: int) -> dict[int, Summary]:
        """What is listed of each object named from `first` on and before `end`, by name."""

    def first_after(self, writer: str, seq: int) -> int | None:
        """The smallest object name greater than `seq`, None at the end of the log."""

    def last(self, writer: str, seq: int) -> Stored | None:
        """The object with the greatest name greater than `seq`, None where there is none."""

    def writers(self) -> Iterator[str]:
        """Every writer that has a prefix in the log, in order."""

    def names(self) -> Iterator[Listed]:
        """Everything under the project's prefix, whatever it is called, in no particular order."""


class Packs(Protocol):
    """The packs of one project (see `precedent.packs`): a cache, of which anything may be missing or wrong."""

    def writers(self) -> Iterator[str]:
        """Every writer that has a prefix among the packs, in order."""

    def names(self, writer: str) -> list[str]:
        """What lies under a writer's prefix, a pack or not, in order."""

    def get(self, writer: str, name: str) -> bytes | None:
        """A pack's bytes, None where there is none."""

    def put(self, writer: str, name: str, data: bytes) -> None:
        """Keep a pack. What lay under its name before is gone."""

    def delete(self, writer: str, name: str) -> None:
        """Delete a pack, if it is there."""


class Offset(NamedTuple):
    """How far a consumer has read one writer's log, and the hash of the last line read.

    `promised` is the highest seq known to have been given out, where the log was found to end before it.
    """

    seq: int = 0
    hash: str = GENESIS
    promised: int = 0

    @property
    def short(self) -> bool:
        """Whether the log ends before what was acknowledged: its numbers must not be given out again."""
        return self.promised > self.seq


class Bookmark(NamedTuple):
    """One writer's offset, as an item of the projection."""

    writer: str
    offset: Offset


Item = Body | Status | Row | Bookmark
Key = tuple[str, str]


class Found(NamedTuple):
    """What a scan met under a key. `item` is None for what is no row: aids, and what newer code added."""

    generation: str
    key: Key
    item: Item | None


class Projection(Protocol):
    """One generation of one project's read model. Reads are strongly consistent.

    Writes are single items and idempotent. `put` keeps an existing row, but for a DirectoryRow, which
    keeps the smaller spelling of the name, so that the order of arrival does not matter.
    """

    def put_body(self, body: Body) -> None:
        """Keep a decision's text, once."""

    def put_status(self, status: Status) -> Status:
        """Set an entry's status unless it is there; return what is there, earlier `lost` included."""

    def add_lost(self, dot: Dot, lost: Iterable[Lost]) -> Status:
        """Add to an entry's `lost`, making a stub if it has not arrived; return the status after."""

    def put(self, row: Row) -> None: ...

    def delete(self, row: Row) -> None: ...

    def write(self, puts: Iterable[SearchRow | WordRow], deletes: Iterable[SearchRow] = ()) -> None:
        """Put many rows and delete many, none of them twice; on an error any part of it may be applied."""

    def move_offset(self, writer: str, old: Offset, new: Offset) -> bool:
        """Move a writer's offset if it still stands at `old`; False if somebody else moved it.

        What was `promised` stays.
        """

    def rewind(self, writer: str, old: Offset, new: Offset) -> bool:
        """Put a writer's offset anywhere, what is `promised` included, if it still stands at `old`."""

    def live(self, element: str, slot: str | None = None) -> list[LiveRow]:
        """The live rows of an element, or of one slot of it, ordered by slot and dot."""

    def aliases(self, element: str) -> list[LiveRow]:
        """The live rows that say that an element is the same as another, from either end; by slot and dot."""

    def statuses(self, dots: Iterable[Dot]) -> dict[Dot, Status]:
        """The statuses there are of these dots, stubs included."""

    def bodies(self, decisions: Iterable[str]) -> dict[str, Body]:
        """The bodies there are of these decisions."""

    def dots(self, decision: str) -> list[Dot]:
        """Every entry that recorded a decision."""

    def results(self, writer: str, key: str) -> list[KeyRow]:
        """What the decisions of the request with this key became, by index."""

    def history(
        self, element: str, start: HistoryRow | None = None, *, newest_first: bool = False
    ) -> Iterator[HistoryRow]:
        """An element's history by effective date and dot, or the other way round; what follows `start`."""

    def events(self, places: Iterable[tuple[str, str, Dot]]) -> list[HistoryRow]:
        """The history rows there are at these (element, effective date, dot), by element, date and dot."""

    def paths(self, folder: str) -> list[PathRow]:
        """The elements that have a glob under a folder, its subfolders apart; by element and dot."""

    def directory(self, kind: str | None, start: DirectoryRow | None) -> Iterator[DirectoryRow]:
        """The elements of a (normalised) kind, or all, by kind and id; what follows `start`."""

    def conflicts(
        self, start: ConflictRow | None = None, *, element: str | None = None
    ) -> Iterator[ConflictRow]:
        """The conflict hints, of one element or all, by element, slot and dot; what follows `start`."""

    def postings(self, term: str, shelf: str, limit: int) -> list[SearchRow]:
        """The search rows of a term on a shelf: so many, by falling weight, then by dot."""

    def words(self, length: int, half: str, limit: int, *, backwards: bool = False) -> list[str]:
        """So many of the words of a length that begin with this half or end with it (see `spelling`)."""

    def known_words(self, words: Iterable[str]) -> set[str]:
        """Which of these words were ever written; none is named twice."""

    def quarantined(self) -> Iterator[QuarantineRow]:
        """Every seq that was stepped over."""

    def marks(self) -> set[MarkRow]:
        """What is said of this generation as a whole."""

    def offset(self, writer: str) -> Offset:
        """How far a writer's log has been projected; seq 0 where nothing has."""

    def offsets(self) -> dict[str, Offset]:
        """Every writer's offset."""

    def entries(self, writer: str, after: int) -> Iterator[Status]:
        """A writer's statuses with a greater seq, stubs included, by seq."""

    def all_statuses(self) -> Iterator[Status]:
        """Every status, stubs included, in no particular order."""


class Loader(Protocol):
    """One generation of a read model while it is made: many items at once, none of which is read back."""

    def load(self, items: Iterable[Item]) -> int:
        """Write items, and count them. Done twice, or late, it takes nothing away: of a status `lost` only
        grows, of a directory row the smaller spelling stays, and of any other kind all say the same.
        """


@dataclass(frozen=True, slots=True)
class Pointer:
    """Which projection serves a project, and the salt of its value hashes."""

    table: str
    generation: str
    salt: str


class Pointers(Protocol):
    """The pointer of one project. Read uncached, strongly consistent."""

    def read(self) -> Pointer | None:
        """The pointer; None for a project nothing was ever recorded in."""

    def proposed(self, salt: str) -> Pointer:
        """What `ensure` would make of a project that has no pointer. Asks nobody."""

    def ensure(self, salt: str) -> Pointer:
        """Make the pointer unless there is one; return the one there is."""

    def fresh(self, old: Pointer, generation: str) -> Pointer:
        """What the pointer becomes once a new generation of the deployed table serves."""

    def flip(self, old: Pointer, new: Pointer) -> bool:
        """Point to another table and generation if the pointer still is `old`."""

    def open(self, pointer: Pointer) -> Projection:
        """The projection a pointer names."""

    def inventory(self, pointer: Pointer) -> Inventory:
        """The same generation, as an operator sees it."""


class Inventory(Protocol):
    """The items of one generation as they lie in its table: what checks, repairs and takes away needs."""

    def scan(self) -> Iterator[Found]:
        """Every item this project has in the table, of whatever generation. Reads the whole table."""

    def key(self, item: Item) -> Key:
        """Where an item lies in this generation."""

    def forget(self, items: Iterable[Item | Found]) -> None:
        """Delete items of this generation, and what was found in any."""
