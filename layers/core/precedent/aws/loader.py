"""Filling a generation with many items at once, in the table or as the files a table is imported from."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from precedent.aws import items
from precedent.aws.batches import Raw, put_raw
from precedent.aws.keys import Key
from precedent.aws.projection import DynamoProjection
from precedent.entry import Body
from precedent.orset import Status
from precedent.ports import Bookmark, Item
from precedent.rows import DirectoryRow

_BATCH = 25
"""Items a request takes."""

_AT_ONCE = 8
"""Requests under way; the connections a client has are ten."""


class DynamoLoader(DynamoProjection):
    """`precedent.ports.Loader` on a table: what can't change 25 a request, the rest item by item."""

    def load(self, items: Iterable[Item]) -> int:
        count = 0
        running: deque[Future[None]] = deque()
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            for whole in _batches(items):
                count += len(whole)
                running.append(pool.submit(self._write, whole))
                if len(running) > 2 * _AT_ONCE:
                    running.popleft().result()
            for future in running:
                future.result()
        finally:
            pool.shutdown(cancel_futures=True)
        return count

    def _write(self, whole: list[Item]) -> None:
        puts: dict[Key, Raw] = {}
        for item in whole:
            match item:
                case Status():
                    self._announce(item.dot)
                    members = {items.lost_member(one) for one in item.lost}
                    actions = [self._items.lost.add(members)] if members else []
                    values = items.status_values(item) if item.arrived else {}
                    self._set_once(self._keys.status(item.dot), values, actions)
                case DirectoryRow():
                    self.put(item)
                case _:
                    key = self._keys.item(item)
                    puts[key] = items.raw(key, values_of(item))
        put_raw(self._items, puts.values(), self._sleep)


def values_of(item: Item) -> items.Values:
    """The attributes of an item beside its key."""
    match item:
        case Body():
            return items.body_values(item)
        case Status():
            lost = {items.lost_member(one) for one in item.lost}
            values = items.status_values(item) if item.arrived else {}
            return values | ({"lost": lost} if lost else {})
        case Bookmark(offset=offset):
            return {"seq": offset.seq, "hash": offset.hash, "promised": offset.promised}
        case _:
            return items.row_values(item)


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    unbatched = iter(items)
    while whole := list(itertools.islice(unbatched, _BATCH)):
        yield whole
