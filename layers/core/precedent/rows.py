"""The hint rows of the projection: keys that end in the dot that caused them.

Hints can be stale, never missing: every read checks them against the statuses it fetches anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from precedent.element import PATHS, Name, normalise, other_end, owner_of, reverse_slot
from precedent.entry import Arrived, Dot
from precedent.globs import literal_folder
from precedent.orset import Lost, Status

MENTION = "~"
"""The slot of a live row that says: attached here, in force while its entry holds a claim somewhere."""

WEIGHT_LIMIT = 999
"""What a search row's weight ends at."""


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A claim or mention shown on an element. A link is shown at its other end under `r:<kind>:<owner>`."""

    element: str
    slot: str
    dot: Dot
    decision: str

    def holds(self, status: Status) -> bool:
        """Whether the entry's status still bears this hint out."""
        if self.slot == MENTION:
            return bool(status.holding)
        owner, slot = self.owner
        return any((claim.element, claim.slot) == (owner, slot) for claim in status.live)

    @property
    def owner(self) -> tuple[str, str]:
        """The (element, slot) of the claim behind this row."""
        return owner_of(self.element, self.slot)


@dataclass(frozen=True, slots=True)
class PathRow:
    """An element that has a glob under a folder; which globs is in the status."""

    folder: str
    element: str
    dot: Dot


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """A slot on which an entry met a head of another value that it did not displace."""

    element: str
    slot: str
    dot: Dot


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """What one entry did on one element: immutable, ordered by effective date and dot.

    `claims` and `historical` are slots; `displaced` are (slot, dot, why).
    """

    element: str
    date: str
    dot: Dot
    decision: str
    claims: tuple[str, ...]
    historical: tuple[str, ...]
    displaced: tuple[tuple[str, Dot, str], ...]


@dataclass(frozen=True, slots=True)
class DotRow:
    """One of the entries that recorded a decision."""

    decision: str
    dot: Dot


@dataclass(frozen=True, slots=True)
class DirectoryRow:
    """An element that was ever named. `kind` is normalised, `name` as written."""

    element: str
    kind: str
    name: Name


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What one decision of a request with an idempotency key became; `first` names the log object."""

    key: str
    index: int
    count: int
    request: str
    decision: str
    dot: Dot
    first: int


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    """A seq that could not be folded and why; the sweep asks for it again. `first` names the object.

    Of a gap only the first seq has a row; `until` is where the log went on then.
    """

    dot: Dot
    first: int
    reason: str
    until: int = 0


@dataclass(frozen=True, slots=True)
class SearchRow:
    """A term in an entry's text, on the shelf the entry stands on (see `indexing`).

    `weight` is 0 to WEIGHT_LIMIT. The rows of a term lie by falling weight, so that its first page holds its best.
    """

    term: str
    shelf: str
    weight: int
    dot: Dot


@dataclass(frozen=True, slots=True)
class WordRow:
    """A word that was ever written, found by how it begins or (`backwards`) by how it ends."""

    word: str
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class MarkRow:
    """What is true of a whole generation; see `precedent.complete`."""

    mark: str


COMPLETE = MarkRow("complete")
"""It holds what the log held when it began to serve; appends and wake-ups add to it since."""

REFILLING = MarkRow("refilling")
"""It was lost, and its offsets say how far the log has been read since."""

Hint = LiveRow | PathRow | ConflictRow | SearchRow
Row = Hint | HistoryRow | DotRow | DirectoryRow | KeyRow | QuarantineRow | WordRow | MarkRow


def key_row(arrived: Arrived) -> KeyRow:
    """Which request an entry was written for."""
    entry, intent = arrived.entry, arrived.intent
    return KeyRow(
        intent.key,
        intent.index,
        intent.count,
        intent.request,
        entry.decision[0],
        entry.dot,
        arrived.first,
    )


def immutable_rows(arrived: Arrived) -> Iterator[Row]:
    """History, decision → dot and directory rows: true for ever once the entry is."""
    entry = arrived.entry
    decision = entry.decision[0]
    claims: dict[str, list[str]] = defaultdict(list)
    past: dict[str, list[str]] = defaultdict(list)
    displaced: dict[str, list[tuple[str, Dot, str]]] = defaultdict(list)
    for claim in entry.claims:
        for element, slot in _ends(claim.element, claim.slot):
            claims[element].append(slot)
    for claim in entry.historical:
        for element, slot in _ends(claim.element, claim.slot):
            past[element].append(slot)
    for gone in entry.displaces:
        for element, slot in _ends(gone.element, gone.slot):
            displaced[element].append((slot, gone.dot, gone.why))
    for element in sorted({*claims, *past, *displaced, *entry.mentions}):
        yield HistoryRow(
            element,
            entry.effective,
            entry.dot,
            decision,
            claims=tuple(claims.get(element, ())),
            historical=tuple(past.get(element, ())),
            displaced=tuple(displaced.get(element, ())),
        )
    yield DotRow(decision, entry.dot)
    if body := arrived.body:
        for element, name in body.elements.items():
            yield DirectoryRow(element, normalise(name.kind), name)


def live_rows(status: Status) -> Iterator[Row]:
    """The rows that show an entry's live claims and mentions, at both ends of a link."""
    for claim in status.live:
        yield from _claim_rows(status, claim.element, claim.slot)
    if status.holding:
        for element in status.mentions:
            yield LiveRow(element, MENTION, status.dot, status.decision)


def superfluous_rows(status: Status, lost: Iterable[Lost]) -> Iterator[Row]:
    """The rows that losing these claims makes stale, from the status as it is afterwards."""
    for gone in lost:
        yield from _claim_rows(status, gone.element, gone.slot)
        yield ConflictRow(gone.element, gone.slot, status.dot)
    if not status.holding:
        for element in status.mentions:
            yield LiveRow(element, MENTION, status.dot, status.decision)


def _claim_rows(status: Status, element: str, slot: str) -> Iterator[Row]:
    yield LiveRow(element, slot, status.dot, status.decision)
    if to := other_end(slot):
        yield LiveRow(to, reverse_slot(slot, element), status.dot, status.decision)
    if slot == PATHS:
        globs = (glob for owner, glob in status.globs if owner == element)
        for folder in sorted({literal_folder(glob) for glob in globs if glob[:1] != "!"}):
            yield PathRow(folder, element, status.dot)


def _ends(owner: str, slot: str) -> Iterator[tuple[str, str]]:
    """The elements a slot is listed on, and under which name."""
    yield owner, slot
    to = other_end(slot)
    if to and to != owner:
        yield to, reverse_slot(slot, owner)
