"""The items of the projection table, and how a row, a status or a text becomes one and comes back.

One model holds the attributes of every kind of item; what an item is follows from its key. An attribute
this code does not know is ignored when read and never written over.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from pynamodb.attributes import (
    BinaryAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)
from pynamodb.models import Model

from precedent.aws.keys import Key, split_dot, split_place
from precedent.element import Name
from precedent.entry import Body, Claim, Dot
from precedent.orset import Lost, Status
from precedent.ports import Offset
from precedent.rows import (
    ConflictRow,
    DirectoryRow,
    HistoryRow,
    KeyRow,
    LiveRow,
    QuarantineRow,
    Row,
    SearchRow,
)

T = TypeVar("T")
Values = dict[str, Any]
"""Attributes by name: text, numbers, bytes and sets of text."""

FORMAT = 1
"""The `v` of the items written here. It also makes sure that no item consists of its key alone."""


class Item(Model):
    """Any item of a projection table. An absent attribute reads as None."""

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    v = NumberAttribute()

    # statuses: lists as JSON, `lost` a set of JSON
    decision = UnicodeAttribute(null=True)
    sha256 = UnicodeAttribute(null=True)
    outcome = UnicodeAttribute(null=True)
    at = UnicodeAttribute(null=True)
    date = UnicodeAttribute(null=True)
    branch = UnicodeAttribute(null=True)
    commit = UnicodeAttribute(null=True)
    claims = UnicodeAttribute(null=True)
    mentions = UnicodeAttribute(null=True)
    historical = UnicodeAttribute(null=True)
    globs = UnicodeAttribute(null=True)
    lost = UnicodeSetAttribute(null=True)

    # texts and history: deflated JSON, so that the largest decision there can be fits an item
    packed = BinaryAttribute(legacy_encoding=False, null=True)

    # directory
    kind = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)

    # idempotency keys, quarantine, offsets
    # `count` is a method of pynamodb's models
    of = NumberAttribute(null=True)
    request = UnicodeAttribute(null=True)
    first = NumberAttribute(null=True)
    reason = UnicodeAttribute(null=True)
    seq = NumberAttribute(null=True)
    hash = UnicodeAttribute(null=True)
    promised = NumberAttribute(null=True)


@cache
def items_of(table: str) -> type[Item]:
    """The model bound to a table, with one client for the process."""
    meta = type(
        "Meta",
        (),
        {
            "table_name": table,
            "connect_timeout_seconds": 2,
            "read_timeout_seconds": 5,
            # On top of the first attempt: time-outs, broken connections, 5xx and throttling.
            "max_retry_attempts": 3,
        },
    )
    return type("Item", (Item,), {"Meta": meta})


def raw(key: Key, values: Values) -> dict[str, dict[str, Any]]:
    """An item as DynamoDB's API takes it, key and format included."""
    named = {"pk": key.pk, "sk": key.sk, "v": FORMAT, **values}
    return {name: _typed(value) for name, value in named.items()}


def _typed(value: object) -> dict[str, Any]:
    match value:
        case str():
            return {"S": value}
        case int():
            return {"N": str(value)}
        case bytes():
            return {"B": value}
        case _:
            return {"SS": sorted(cast("set[str]", value))}


class _Text(msgspec.Struct):
    content: dict[str, Any]
    elements: dict[str, Name]
    sets: tuple[tuple[str, str, str], ...]


class _Detail(msgspec.Struct):
    claims: tuple[str, ...]
    historical: tuple[str, ...]
    displaced: tuple[tuple[str, Dot, str], ...]


def body_values(body: Body) -> dict[str, Any]:
    """The attributes of a decision's text."""
    return {"packed": _pack(_Text(body.content, body.elements, body.sets))}


def read_body(decision: str, item: Item) -> Body:
    text = _unpack(item.packed, _Text)
    return Body(decision, text.content, text.elements, text.sets)


def status_values(status: Status) -> dict[str, Any]:
    """The attributes of an arrived status, without `lost`. What is empty is left out."""
    values = {
        "decision": status.decision,
        "sha256": status.sha256,
        "outcome": status.outcome,
        "at": status.at,
        "date": status.date,
        "branch": status.branch,
        "commit": status.commit,
        "claims": status.claims and _json(status.claims),
        "mentions": status.mentions and _json(status.mentions),
        "historical": status.historical and _json(status.historical),
        "globs": status.globs and _json(status.globs),
    }
    return {name: value for name, value in values.items() if value}


def read_status(dot: Dot, item: Item) -> Status:
    lost = frozenset(read_lost(member) for member in item.lost or ())
    return Status(
        dot=dot,
        decision=item.decision or "",
        sha256=item.sha256 or "",
        outcome=item.outcome or "",
        at=item.at or "",
        date=item.date or "",
        branch=item.branch or "",
        commit=item.commit or "",
        claims=msgspec.json.decode(item.claims or "[]", type=tuple[Claim, ...]),
        mentions=msgspec.json.decode(item.mentions or "[]", type=tuple[str, ...]),
        historical=msgspec.json.decode(item.historical or "[]", type=tuple[Claim, ...]),
        globs=msgspec.json.decode(item.globs or "[]", type=tuple[tuple[str, str], ...]),
        lost=lost,
    )


def lost_member(lost: Lost) -> str:
    """A pair of `lost` as a member of a string set."""
    return _json([lost.element, lost.slot, lost.by.writer, lost.by.seq])


def read_lost(member: str) -> Lost:
    element, slot, writer, seq = msgspec.json.decode(member, type=tuple[str, str, str, int])
    return Lost(element, slot, Dot(writer, seq))


def row_values(row: Row) -> dict[str, Any]:
    """The attributes of a row beside its key."""
    match row:
        case LiveRow():
            return {"decision": row.decision}
        case HistoryRow():
            detail = _Detail(row.claims, row.historical, row.displaced)
            return {"decision": row.decision, "packed": _pack(detail)}
        case DirectoryRow():
            return {"kind": row.name.kind, "name": row.name.name}
        case KeyRow():
            return {
                "of": row.count,
                "request": row.request,
                "decision": row.decision,
                "seq": row.dot.seq,
                "first": row.first,
            }
        case QuarantineRow():
            values = {"first": row.first, "reason": row.reason}
            return {**values, "seq": row.until} if row.until else values
        case _:
            return {}


def read_live_row(element: str, item: Item) -> LiveRow:
    slot, dot = split_dot(item.sk)
    return LiveRow(element, slot, dot, item.decision)


def read_conflict(item: Item) -> ConflictRow:
    place, dot = split_dot(item.sk)
    element, slot = place.split("#", 1)
    return ConflictRow(element, slot, dot)


def read_directory(item: Item) -> DirectoryRow:
    kind, element = item.sk.rsplit("#", 1)
    return DirectoryRow(element, kind, Name(item.kind, item.name))


def read_history(element: str, item: Item) -> HistoryRow:
    date, dot = split_dot(item.sk)
    detail = _unpack(item.packed, _Detail)
    return HistoryRow(
        element, date, dot, item.decision, detail.claims, detail.historical, detail.displaced
    )


def read_key(writer: str, item: Item) -> KeyRow:
    key, index = item.sk.rsplit("#", 1)
    dot = Dot(writer, int(item.seq))
    return KeyRow(key, int(index), int(item.of), item.request, item.decision, dot, int(item.first))


def read_quarantine(item: Item) -> QuarantineRow:
    writer, seq = item.sk.rsplit("#", 1)
    dot, until = Dot(writer, int(seq)), int(item.seq or 0)
    return QuarantineRow(dot, int(item.first), item.reason, until)


def read_search(term: str, item: Item) -> SearchRow:
    place, dot = split_dot(item.sk)
    return SearchRow(term, *split_place(place), dot)


def read_offset(item: Item) -> Offset:
    return Offset(int(item.seq), item.hash, int(item.promised or 0))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _pack(value: msgspec.Struct) -> bytes:
    return zlib.compress(msgspec.json.encode(value))


def _unpack(data: bytes, kind: type[T]) -> T:
    return msgspec.json.decode(zlib.decompress(data), type=kind)
