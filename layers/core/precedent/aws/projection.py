"""The projection on DynamoDB: one generation of one project in a table it shares with others.

Every write is one UpdateItem that sets only what is not there, adds to a set, or is conditional; so each may
be repeated, and code of another age never takes away what it does not know. Every read is consistent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pynamodb.exceptions import DoesNotExist, UpdateError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from precedent.aws import items
from precedent.aws.batches import store_errors, wait, write_all
from precedent.aws.items import Item
from precedent.aws.keys import Key, Keys, split_dot
from precedent.element import ALIAS, aliased
from precedent.entry import Body, Dot
from precedent.orset import Lost, Status
from precedent.ports import Offset
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

_BATCH = 100
"""Keys a BatchGetItem takes."""


class DynamoProjection:
    """`precedent.ports.Projection` on a table. Raises StoreError where DynamoDB fails or refuses."""

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
        self._buckets: set[Key] = set()

    # --------------------------------------------------------------------------------- writes

    def put_body(self, body: Body) -> None:
        self._set_once(self._keys.body(body.id), items.body_values(body))

    def put_status(self, status: Status) -> Status:
        self._announce(status.dot)
        item = self._set_once(self._keys.status(status.dot), items.status_values(status))
        return items.read_status(status.dot, item)

    def add_lost(self, dot: Dot, lost: Iterable[Lost]) -> Status:
        self._announce(dot)
        members = {items.lost_member(one) for one in lost}
        actions = [self._items.lost.add(members)] if members else []
        item = self._set_once(self._keys.status(dot), {}, actions)
        return items.read_status(dot, item)

    def put(self, row: Row) -> None:
        if isinstance(row, DirectoryRow):
            self._put_spelling(row)
        else:
            self._set_once(self._keys.row(row), items.row_values(row))

    def delete(self, row: Row) -> None:
        with store_errors():
            self._items(*self._keys.row(row)).delete()

    def write(self, puts: Iterable[SearchRow | WordRow], deletes: Iterable[SearchRow] = ()) -> None:
        # These rows are all key, so putting one over itself takes nothing away.
        keys = dict.fromkeys(self._keys.row(row) for row in puts)
        made = [self._items(*key, v=items.FORMAT) for key in keys]
        write_all(self._items, made, map(self._keys.row, deletes), self._sleep)

    def move_offset(self, writer: str, old: Offset, new: Offset) -> bool:
        """Move a writer's offset forward if it still stands at `old`.

        After an unknown outcome the client's repeat answers False for a move of its own: `offset` tells.
        """
        if new.seq <= old.seq:
            return False
        return self._move(writer, old, new)

    def rewind(self, writer: str, old: Offset, new: Offset) -> bool:
        return self._move(writer, old, new, self._items.promised.set(new.promised))

    # ---------------------------------------------------------------------------------- reads

    def live(self, element: str, slot: str | None = None) -> list[LiveRow]:
        # `p:a#b` begins with `p:a#`: what the prefix lets through is compared.
        found = self._query(self._keys.partition("L", element), "" if slot is None else f"{slot}#")
        rows = (items.read_live_row(element, item) for item in found)
        return sorted(
            (row for row in rows if slot in (None, row.slot)), key=lambda row: (row.slot, row.dot)
        )

    def aliases(self, element: str) -> list[LiveRow]:
        # Both ends of an alias begin alike, so that one query finds them.
        found = self._query(self._keys.partition("L", element), ALIAS[0])
        rows = (items.read_live_row(element, item) for item in found)
        return sorted((r for r in rows if aliased(r.slot)), key=lambda row: (row.slot, row.dot))

    def statuses(self, dots: Iterable[Dot]) -> dict[Dot, Status]:
        wanted = {self._keys.status(dot): dot for dot in dots}
        return {
            wanted[key]: items.read_status(wanted[key], item) for key, item in self._batch(wanted)
        }

    def bodies(self, decisions: Iterable[str]) -> dict[str, Body]:
        wanted = {self._keys.body(decision): decision for decision in decisions}
        return {
            wanted[key]: items.read_body(wanted[key], item) for key, item in self._batch(wanted)
        }

    def dots(self, decision: str) -> list[Dot]:
        found = self._query(self._keys.partition("D", decision), "dot#")
        return [split_dot(item.sk)[1] for item in found]

    def results(self, writer: str, key: str) -> list[KeyRow]:
        found = self._query(self._keys.partition("K", writer), f"{key}#")
        return [row for item in found if (row := items.read_key(writer, item)).key == key]

    def history(
        self, element: str, start: HistoryRow | None = None, *, newest_first: bool = False
    ) -> Iterator[HistoryRow]:
        pk = self._keys.partition("H", element)
        for item in self._pages(pk, start=start, newest_first=newest_first):
            yield items.read_history(element, item)

    def events(self, places: Iterable[tuple[str, str, Dot]]) -> list[HistoryRow]:
        wanted = {self._keys.row(_event(*place)): place[0] for place in places}
        found = [items.read_history(wanted[key], item) for key, item in self._batch(wanted)]
        return sorted(found, key=lambda row: (row.element, row.date, row.dot))

    def paths(self, folder: str) -> list[PathRow]:
        found = self._query(self._keys.folder(folder))
        return [PathRow(folder, *split_dot(item.sk)) for item in found]

    def directory(self, kind: str | None, start: DirectoryRow | None) -> Iterator[DirectoryRow]:
        # `a#b` begins with `a#`: what the prefix lets through is compared.
        prefix = "" if kind is None else f"{kind}#"
        for item in self._pages(self._keys.partition("N"), prefix, start):
            row = items.read_directory(item)
            if kind in (None, row.kind):
                yield row

    def conflicts(
        self, start: ConflictRow | None = None, *, element: str | None = None
    ) -> Iterator[ConflictRow]:
        prefix = "" if element is None else f"{element}#"
        found = self._pages(self._keys.partition("C"), prefix, start)
        yield from map(items.read_conflict, found)

    def postings(self, term: str, shelf: str, limit: int) -> list[SearchRow]:
        found = self._first(self._keys.partition("S", term), f"{shelf}#", limit)
        return [items.read_search(term, item) for item in found]

    def words(self, length: int, half: str, limit: int, *, backwards: bool = False) -> list[str]:
        found = self._first(self._keys.words(length, half, backwards=backwards), "", limit)
        return [item.sk for item in found]

    def known_words(self, words: Iterable[str]) -> set[str]:
        return {key.sk for key, _ in self._batch({self._keys.row(WordRow(word)) for word in words})}

    def quarantined(self) -> Iterator[QuarantineRow]:
        yield from map(items.read_quarantine, self._query(self._keys.partition("Q")))

    def marks(self) -> set[MarkRow]:
        return {MarkRow(item.sk) for item in self._query(self._keys.partition("M"))}

    def offset(self, writer: str) -> Offset:
        with store_errors():
            try:
                item = self._items.get(*self._keys.offset(writer), consistent_read=True)
            except DoesNotExist:
                return Offset()
            return items.read_offset(item)

    def offsets(self) -> dict[str, Offset]:
        found = self._query(self._keys.partition("O"))
        return {item.sk: items.read_offset(item) for item in found}

    def entries(self, writer: str, after: int) -> Iterator[Status]:
        first = self._keys.bucket(Dot(writer, after + 1))
        buckets = self._items.sk.between(first.sk, f"{writer}#{'9' * 12}")
        for bucket in self._range(first.pk, buckets):
            number = int(bucket.sk.rsplit("#", 1)[1])
            pk = self._keys.partition("E", writer, str(number))
            for item in self._range(pk, self._items.sk > f"{after:012d}"):
                yield items.read_status(Dot(writer, int(item.sk)), item)

    def all_statuses(self) -> Iterator[Status]:
        for bucket in self._query(self._keys.partition("E")):
            writer, number = bucket.sk.rsplit("#", 1)
            for item in self._query(self._keys.partition("E", writer, str(int(number)))):
                yield items.read_status(Dot(writer, int(item.sk)), item)

    # -------------------------------------------------------------------------------- requests

    def _move(self, writer: str, old: Offset, new: Offset, *more: Action) -> bool:
        row = self._items
        stands = (row.seq == old.seq) & (row.hash == old.hash)
        if not old.seq:
            stands |= row.pk.does_not_exist()
        format_ = row.v.set(row.v | items.FORMAT)
        actions = [format_, row.seq.set(new.seq), row.hash.set(new.hash), *more]
        return self._set_if(self._keys.offset(writer), actions, stands)

    def _announce(self, dot: Dot) -> None:
        """Say that the partition of a dot's status exists, before anything lies in it.

        Without it every status could only be found by scanning the table, everybody's items included.
        Remembered for this object's life only, so a table emptied by hand is announced in again.
        """
        key = self._keys.bucket(dot)
        if key not in self._buckets:
            self._set_once(key, {})
            self._buckets.add(key)

    def _set_once(self, key: Key, values: dict[str, Any], actions: Iterable[Action] = ()) -> Item:
        """Set the attributes that are not there yet; return the item as it is then."""
        item = self._items(*key)
        sets = []
        for name, value in {"v": items.FORMAT, **values}.items():
            attribute = getattr(self._items, name)
            sets.append(attribute.set(attribute | value))
        with store_errors():
            item.update(actions=[*sets, *actions])
        return item

    def _put_spelling(self, row: DirectoryRow) -> None:
        there, name = self._items, row.name
        smaller = (there.kind > name.kind) | ((there.kind == name.kind) & (there.name > name.name))
        actions = [there.v.set(there.v | items.FORMAT)]
        for attribute, value in items.row_values(row).items():
            actions.append(getattr(there, attribute).set(value))
        self._set_if(self._keys.row(row), actions, there.pk.does_not_exist() | smaller)

    def _set_if(self, key: Key, actions: Iterable[Action], condition: Condition) -> bool:
        with store_errors():
            try:
                self._items(*key).update(actions=[*actions], condition=condition)
            except UpdateError as error:
                if error.cause_response_code != "ConditionalCheckFailedException":
                    raise
                return False
        return True

    def _range(self, pk: str, within: Condition) -> Iterator[Item]:
        with store_errors():
            yield from self._items.query(pk, within, consistent_read=True, page_size=_BATCH)

    def _pages(
        self, pk: str, prefix: str = "", start: Row | None = None, *, newest_first: bool = False
    ) -> Iterator[Item]:
        """The items of a partition a hundred a request, for readers that stop early."""
        begins = self._items.sk.startswith(prefix) if prefix else None
        with store_errors():
            yield from self._items.query(
                pk,
                begins,
                consistent_read=True,
                scan_index_forward=not newest_first,
                last_evaluated_key=_raw(self._keys.row(start)) if start else None,
                page_size=_BATCH,
            )

    def _first(self, pk: str, prefix: str, limit: int) -> Iterator[Item]:
        """So many items of a partition, in one request."""
        begins = self._items.sk.startswith(prefix) if prefix else None
        with store_errors():
            yield from self._items.query(
                pk, begins, consistent_read=True, limit=limit, page_size=limit
            )

    def _query(self, pk: str, prefix: str = "") -> Iterator[Item]:
        """Every item of a partition whose sort key begins so, in order."""
        begins = self._items.sk.startswith(prefix) if prefix else None
        with store_errors():
            yield from self._items.query(pk, begins, consistent_read=True)

    def _batch(self, keys: Iterable[Key]) -> Iterator[tuple[Key, Item]]:
        """The items there are of these keys, in no particular order.

        pynamodb's own `batch_get` asks for unprocessed keys again at once and for ever.
        """
        connection = self._items._get_connection()
        table, every = self._items.Meta.table_name, list(keys)
        for start in range(0, len(every), _BATCH):
            pending: list[Any] = [key._asdict() for key in every[start : start + _BATCH]]
            stalled = 0
            while pending:
                with store_errors():
                    answer = connection.batch_get_item(pending, consistent_read=True)
                found = answer["Responses"].get(table, [])
                for raw in found:
                    item = self._items.from_raw_data(raw)
                    yield Key(item.pk, item.sk), item
                pending = answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", [])
                if pending:
                    stalled = 0 if found else stalled + 1
                    wait("BatchGetItem", stalled, self._sleep)


def _event(element: str, date: str, dot: Dot) -> HistoryRow:
    """A history row as a place: its key, without what it says."""
    return HistoryRow(element, date, dot, "", (), (), ())


def _raw(key: Key) -> dict[str, dict[str, str]]:
    return {"pk": {"S": key.pk}, "sk": {"S": key.sk}}
