"""Putting a store on AWS in bulk: the items its fold made, in the adapter's own encoding."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from precedent.aws import items
from precedent.aws.keys import Key
from precedent.aws.log import S3Log
from precedent.entry import Body
from precedent.orset import Status
from precedent.ports import Offset

from tests.bench.meter import size_of
from tests.bench.store import PartitionedProjection, Store
from tests.fakes.memory import Item

BATCH = 25
"""Items a BatchWriteItem takes."""

IN_FLIGHT = 4

Raw = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Loaded:
    """What a store came to: its items and their bytes, those left out too, and the bytes of its whole log."""

    items: int
    item_bytes: int
    log_bytes: int


def load(store: Store, log: S3Log, client: Any, progress: Callable[[int], None]) -> Loaded:
    """Write every item of a store into its table, and the newest log object of each writer.

    Older log objects are left out: nothing that is measured reads them. Those put come last, since each
    wakes the projector, which is to find that all is projected.
    """
    table = store.pointer.table
    every = items_of(store.projection, table)
    written = size = 0
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        running: deque[Future[int]] = deque()
        while batch := list(islice(every, BATCH)):
            size += sum(map(size_of, batch))
            running.append(pool.submit(_write, client, table, batch))
            if len(running) > 2 * IN_FLIGHT:
                written += running.popleft().result()
                progress(written)
        written += sum(future.result() for future in running)
        progress(written)
    for (writer, first), data in store.newest_objects().items():
        log.put(writer, first, data)
    projection = store.projection
    return Loaded(
        written + projection.left_out,
        size + projection.bytes_left_out,
        sum(map(len, store.log.objects.values())),
    )


def items_of(projection: PartitionedProjection, table: str) -> Iterator[Raw]:
    """What the adapter would have written of this fold, item by item."""
    model = items.items_of(table)
    buckets: set[Key] = set()
    for key, item in projection.table.items():
        if isinstance(item, Status):
            bucket = projection.keys.bucket(item.dot)
            if bucket not in buckets:
                buckets.add(bucket)
                yield model(*bucket, v=items.FORMAT).serialize()
        yield model(*key, v=items.FORMAT, **_values(item)).serialize()


def _values(item: Item) -> dict[str, Any]:
    match item:
        case Body():
            return items.body_values(item)
        case Status():
            lost = {items.lost_member(lost) for lost in item.lost}
            return items.status_values(item) | ({"lost": lost} if lost else {})
        case Offset():
            return {"seq": item.seq, "hash": item.hash}
        case _:
            return items.row_values(item)


def _write(client: Any, table: str, batch: list[Raw]) -> int:
    pending: Any = {table: [{"PutRequest": {"Item": raw}} for raw in batch]}
    while pending:
        pending = client.batch_write_item(RequestItems=pending).get("UnprocessedItems")
    return len(batch)
