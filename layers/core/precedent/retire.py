"""Taking a generation away: the log is replayed over its keys, so that the table is not scanned for them.

What the log does not make stays behind; `verify` tells of it, and of what a rebuild that died has left.
"""

from __future__ import annotations

from collections.abc import Iterator

from precedent.consume import Scope
from precedent.entry import Arrived, Dot
from precedent.errors import NotFound
from precedent.indexing import SHELVES, rows_on, words_of
from precedent.logcheck import LogCheck
from precedent.orset import Status, status_of
from precedent.ports import Bookmark, Item, Log, Pointer, Pointers, StoreMissing
from precedent.rows import COMPLETE, REFILLING, WordRow, immutable_rows, key_row, live_rows

GRACE_SECONDS = 30
"""How long to wait after a flip: no answer takes longer, so nobody reads the old generation any more."""


def retire(scope: Scope, log: Log, pointers: Pointers, generation: Pointer) -> int:
    """Delete a generation that does not serve; return how many items the log named.

    May be cut short and done again. Raises NotFound if it is the one that serves, StoreError.
    """
    if pointers.read() == generation:
        raise NotFound(f"Generation {generation.generation} serves; it is not taken away.")
    inventory, projection = pointers.inventory(generation), pointers.open(generation)
    try:
        # First of all: a rebuild must never go on with what is half taken away.
        inventory.forget([COMPLETE, REFILLING])
        inventory.forget(Bookmark(*pair) for pair in projection.offsets().items())
        inventory.forget(list(projection.quarantined()))
        inventory.forget(list(projection.conflicts()))
        count = 0
        for arrived in LogCheck(scope, log).read_on():
            items = list(_items(arrived))
            inventory.forget(items)
            count += len(items)
    except StoreMissing:
        return 0  # it went with its table
    return count


def _items(arrived: Arrived) -> Iterator[Item]:
    """Everything projecting an entry ever puts."""
    status = status_of(arrived)
    yield status
    yield from (Status(dot) for dot in sorted(_displaced(arrived)))
    yield from live_rows(status)
    yield from (key_row(arrived), *immutable_rows(arrived))
    if body := arrived.body:
        yield body
        for shelf in SHELVES:
            yield from rows_on(shelf, status, body.content)
        for word in sorted(words_of(body.content)):
            yield from (WordRow(word), WordRow(word, backwards=True))


def _displaced(arrived: Arrived) -> set[Dot]:
    return {gone.dot for gone in arrived.entry.displaces}
