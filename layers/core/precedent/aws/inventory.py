"""A generation's items as they lie in their table: `precedent.ports.Inventory`, for operators.

A scan reads the whole table, other projects' items too, at half a read unit for 4 KB; what it finds it names
by their keys. No function of the service may scan.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator

from precedent.aws import items
from precedent.aws.items import Item as Stored
from precedent.aws.keys import BODY, Key, Keys, split_dot
from precedent.aws.projection import store_errors
from precedent.entry import Dot
from precedent.orset import Status
from precedent.ports import Bookmark, Found, Item, StoreError
from precedent.rows import DotRow, PathRow

_BATCH = 25
"""Items a BatchWriteItem takes."""

_STALLED_ROUNDS = 8


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
        every = list(keys)
        for start in range(0, len(every), _BATCH):
            self._delete(every[start : start + _BATCH])

    def _keys_of(self, item: Item | Found) -> Iterator[Key]:
        if isinstance(item, Found):
            yield Key(*item.key)
            return
        yield self._keys.item(item)
        if isinstance(item, Status):
            yield self._keys.bucket(item.dot)

    def _delete(self, keys: list[Key]) -> None:
        connection, table = self._items._get_connection(), self._items.Meta.table_name
        pending = [key._asdict() for key in keys]
        for round_ in range(_STALLED_ROUNDS):
            with store_errors():
                answer = connection.batch_write_item(delete_items=pending)
            left = answer.get("UnprocessedItems", {}).get(table, [])
            if not left:
                return
            pending = [
                {name: value["S"] for name, value in one["DeleteRequest"]["Key"].items()}
                for one in left
            ]
            self._sleep(random.uniform(0, 0.05 * 2**round_))  # noqa: S311 - jitter, no secret
        raise StoreError("projection: BatchWriteItem: the table keeps leaving deletes unprocessed")


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
    "Q": lambda _, item: items.read_quarantine(item),
}
