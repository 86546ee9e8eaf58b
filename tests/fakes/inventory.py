"""A generation's items in memory, as an operator sees them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from precedent.aws.keys import Key
from precedent.ports import Bookmark, Found, Offset
from precedent.ports import Item as AnyItem

if TYPE_CHECKING:
    from tests.fakes.memory import Item, MemoryProjection


@dataclass
class MemoryInventory:
    """A generation's items in the table it shares with others."""

    projection: MemoryProjection

    def scan(self) -> Iterator[Found]:
        mine = self.projection
        with mine._step("scan"):
            found = [
                Found(key.pk.split("#")[0], key, _as_item(key, item))
                for key, item in mine.table.items()
                if key.pk.split("#")[1:3] == [mine.keys.tenant, mine.keys.project]
            ]
        return iter(found)

    def key(self, item: AnyItem) -> Key:
        return self.projection.keys.item(item)

    def forget(self, items: Iterable[AnyItem | Found]) -> None:
        for item in items:
            with self.projection._step("forget"):
                key = item.key if isinstance(item, Found) else self.key(item)
                self.projection.table.pop(Key(*key), None)


def _as_item(key: Key, item: Item) -> AnyItem:
    return Bookmark(key.sk, item) if isinstance(item, Offset) else item
