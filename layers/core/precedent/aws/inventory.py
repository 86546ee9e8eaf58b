"""A generation's items as they lie in their table: `precedent.ports.Inventory`, for operators.

A scan reads the whole table, other projects' items too, at half a read unit for 4 KB; what it finds it names
by their keys. No function of the service may scan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from precedent.aws import items
from precedent.aws.batches import store_errors, write_all
from precedent.aws.items import Item as Stored
from precedent.aws.keys import BODY, Key, Keys, split_dot
from precedent.entry import Dot
from precedent.orset import Status
from precedent.ports import Bookmark, Found, Item
from precedent.rows import DotRow, MarkRow, PathRow, WordRow


class DynamoInventory:
    """`precedent.ports.Inventory` on a table. Raises StoreError where DynamoDB fails or refuses."""

    def __init__(
        self,
        table: str,
        generation: str,
        tenant: str,
        project: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._items = items.items_of(table)
        self._keys = Keys(generation, tenant, project)
        self._sleep = sleep

    def scan(self) -> Iterator[Found]:
        with store_errors():
            for item in self._items.scan(consistent_read=True):
                generation, tenant, project, *place = item.pk.split("#", 4)
                if (tenant, project) == (self._keys.tenant, self._keys.project):
                    yield Found(generation, Key(item.pk, item.sk), _read(place, item))

    def key(self, item: Item) -> Key:
        return self._keys.item(item)

    def forget(self, items: Iterable[Item | Found]) -> None:
        keys = {key: None for item in items for key in self._keys_of(item)}
        write_all(self._items, [], keys, self._sleep)

    def _keys_of(self, item: Item | Found) -> Iterator[Key]:
        if isinstance(item, Found):
            yield Key(*item.key)
            return
        yield self._keys.item(item)
        if isinstance(item, Status):
            yield self._keys.bucket(item.dot)


def _read(place: list[str], item: Stored) -> Item | None:
    """What an item is, from its key: the letter of its partition and what follows it."""
    letter, _, rest = "#".join(place).partition("#")
    try:
        return _READERS[letter](rest, item) if letter in _READERS else None
    except (ValueError, TypeError, AttributeError):
        return None


def _decision(rest: str, item: Stored) -> Item:
    if item.sk == BODY:
        return items.read_body(rest, item)
    return DotRow(rest, split_dot(item.sk)[1])


def _status(rest: str, item: Stored) -> Status | None:
    if not rest:
        return None  # says that a partition exists
    writer, _ = rest.rsplit("#", 1)
    dot = Dot(writer, int(item.sk))
    return items.read_status(dot, item)


_READERS: dict[str, Callable[[str, Stored], Item | None]] = {
    "D": _decision,
    "E": _status,
    "L": items.read_live_row,
    "H": items.read_history,
    "P": lambda rest, item: PathRow(rest, *split_dot(item.sk)),
    "C": lambda _, item: items.read_conflict(item),
    "N": lambda _, item: items.read_directory(item),
    "K": items.read_key,
    "O": lambda _, item: Bookmark(item.sk, items.read_offset(item)),
    "M": lambda _, item: MarkRow(item.sk),
    "Q": lambda _, item: items.read_quarantine(item),
    "S": items.read_search,
    "W": lambda rest, item: WordRow(item.sk, backwards=rest.split("#")[1].startswith("~")),
}
