"""Entries: the lines of the log, their hashes and their chain.

A line is `{"entry", "intent", "decision", "context", "hash", "signature"}`. Each block is canonical JSON and
hashes are taken over the bytes *as stored*: verifying never re-serialises, so fields an older reader does not
know survive. `entry` commits to the other blocks and holds no text; a redaction may take `decision` and
`context` away and leaves the chain whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from precedent import canonical
from precedent.decision import Value, value_at
from precedent.element import ALIAS_OF, Name, normalise

VERSION = 1
GENESIS = "0" * 64
"""The `prev` of a writer's first entry."""

OBJECT_LIMIT = 8 * 1024 * 1024
"""Bytes of one log object; a request of 1 MiB becomes less than half of this."""

LINES_LIMIT = 100
"""Lines of one object: the decisions one request may hold."""

_ELEMENT = re.compile(r"el_[0-9a-f]{20}")
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]{8,15}Z)?")
_WRITER = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SEQ_END = 10**12
_SLOT_LIMIT = 700
_RESERVED = ("~", "r:", ALIAS_OF)
_NAME_LIMIT = 800
_CLAIM_LIMIT = 400
_DISPLACED_LIMIT = 500
_DECISION_LIMIT = 64 * 1024
_CONTEXT_LIMIT = 192 * 1024
"""Bytes of the two blocks; together they are an item of the projection, which ends at 400 KB."""


class Dot(NamedTuple):
    """(writer, seq): the name of one entry."""

    writer: str
    seq: int


class Claim(NamedTuple):
    """One slot of one element held by an entry; `value` is a salted hash, empty for a note."""

    element: str
    slot: str
    value: str


class Displaced(NamedTuple):
    """A claim an entry takes out of force, and why: `supersedes`, `overrule` or `seen`."""

    element: str
    slot: str
    dot: Dot
    why: str


class Place(NamedTuple):
    """Where a line lies in the log; what it says of itself must agree."""

    tenant: str
    project: str
    writer: str
    seq: int


class Entry(msgspec.Struct, frozen=True, gc=False):
    """The block that is folded. Unknown fields are ignored here and kept in the bytes."""

    v: int
    act: str
    writer: str
    seq: int
    prev: str
    recorded_at: str
    intent: str
    decision: tuple[str, str]
    context: str
    claims: tuple[Claim, ...] = ()
    mentions: tuple[str, ...] = ()
    historical: tuple[Claim, ...] = ()
    displaces: tuple[Displaced, ...] = ()
    outcome: str = "adopted"
    date: str | None = None
    """The decision's outcome and date again: they remain when a redaction takes its text away."""
    lines: int = 1
    """How many lines its object has, so that one cut between two lines is noticed."""

    @property
    def effective(self) -> str:
        """The effective date: the decision's own, else when it was recorded."""
        return self.date or self.recorded_at

    @property
    def dot(self) -> Dot:
        return Dot(self.writer, self.seq)

    @property
    def slots(self) -> list[tuple[str, str]]:
        """Every (element, slot) it claims, sets in the past or displaces."""
        claimed = [(claim.element, claim.slot) for claim in self.claims + self.historical]
        return claimed + [(gone.element, gone.slot) for gone in self.displaces]


class Intent(msgspec.Struct, frozen=True, gc=False):
    """What the client asked for; all of it the client's own, so a signature can cover it."""

    tenant: str
    project: str
    writer: str
    key: str
    index: int
    count: int
    request: str
    decision: str
    overrule: tuple[str, ...]
    beside: tuple[str, ...]
    on_unseen: str
    seen: str


class Context(msgspec.Struct, frozen=True):
    """What a reader needs beside the decision: names as written, and where each slot's value stands.

    `sets` are (element, slot, JSON pointer into the decision), so that reading never normalises again.
    """

    salt: str
    elements: dict[str, tuple[str, str]]
    sets: tuple[tuple[str, str, str], ...] = ()
    circumstances: dict[str, Any] = {}


_ABSENT = msgspec.Raw(b"null")
"""A block a redaction took away; msgspec has no optional Raw."""


class _Line(msgspec.Struct, gc=False):
    entry: msgspec.Raw
    intent: msgspec.Raw
    hash: str
    decision: msgspec.Raw = _ABSENT
    context: msgspec.Raw = _ABSENT


@dataclass(frozen=True)
class Body:
    """A decision's text, the names of its elements and where the values of its slots stand."""

    id: str
    content: dict[str, Any]
    elements: dict[str, Name]
    sets: tuple[tuple[str, str, str], ...]

    def value(self, element: str, slot: str) -> Value:
        """What this decision sets a slot to; None where it says nothing this reader understands."""
        for pointer in self._pointers(element, slot):
            try:
                return value_at(self.content, pointer)
            except (LookupError, ValueError, TypeError):
                return None
        return None

    def link_kind(self, element: str, slot: str) -> str:
        """A link's kind as it was written; normalised where the text does not say."""
        for pointer in self._pointers(element, slot):
            try:
                return str(value_at(self.content, pointer.removesuffix("op") + "link"))
            except (LookupError, ValueError, TypeError):
                break
        return slot[2:].rsplit(":", 1)[0]

    def _pointers(self, element: str, slot: str) -> Iterator[str]:
        return (where for owner, name, where in self.sets if (owner, name) == (element, slot))


@dataclass(frozen=True, slots=True)
class Arrived:
    """A verified line. `decision` and `context` are None once redacted; `first` names its object.

    `line` are its bytes as stored, without the newline.
    """

    entry: Entry
    intent: Intent
    decision: bytes | None
    context: Context | None
    hash: str
    first: int
    line: bytes = field(default=b"", repr=False)

    @property
    def dot(self) -> Dot:
        return self.entry.dot

    @property
    def content(self) -> dict[str, Any]:
        """The decision as sent; empty once redacted."""
        return msgspec.json.decode(self.decision, type=dict[str, Any]) if self.decision else {}

    @property
    def body(self) -> Body | None:
        """The decision with what a reader needs to show it; None once redacted."""
        if self.decision is None or self.context is None:
            return None
        elements = {element: Name(*pair) for element, pair in self.context.elements.items()}
        return Body(self.entry.decision[0], self.content, elements, self.context.sets)


class Unreadable(Exception):
    """A line that is quarantined, and why. `line_hash` stands in for it in the chain."""

    def __init__(self, reason: str, line_hash: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line_hash = line_hash


def seal(entry: Entry, intent: bytes, decision: bytes, context: bytes) -> tuple[bytes, str]:
    """One line of the log without its newline, and its hash."""
    body = canonical.dumps(msgspec.to_builtins(entry))
    digest = canonical.sha256(body)
    blocks = (b'{"entry":', body, b',"intent":', intent, b',"decision":', decision)
    tail = (b',"context":', context, b',"hash":"', digest.encode(), b'","signature":null}')
    return b"".join(blocks + tail), digest


def read(line: bytes, place: Place, first: int) -> Arrived:
    """Verify one stored line against its hashes and its place. Raises Unreadable."""
    try:
        outer = _READ_LINE(line)
        entry = _read_entry(outer.entry)
        intent = _READ_INTENT(outer.intent)
        context = _READ_CONTEXT(outer.context)
        content = _READ_CONTENT(outer.decision)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        kind = type(error).__name__
        raise Unreadable(f"not a line of this log: {kind}", canonical.sha256(line)) from None
    reason = (
        _version_reason(entry)
        or _size_reason(outer)
        or _hash_reason(outer, entry)
        or _place_reason(entry, intent, place)
        or _shape_reason(entry)
        or _name_reason(entry, intent, context)
    )
    if reason:
        raise Unreadable(reason, canonical.sha256(line))
    decision = bytes(outer.decision) if content is not None else None
    return Arrived(entry, intent, decision, context, outer.hash, first, line)


class _Version(msgspec.Struct):
    v: int


_READ_LINE = msgspec.json.Decoder(_Line).decode
_READ_ENTRY = msgspec.json.Decoder(Entry).decode
_READ_VERSION = msgspec.json.Decoder(_Version).decode
_READ_INTENT = msgspec.json.Decoder(Intent).decode
_READ_CONTEXT = msgspec.json.Decoder(Context | None).decode
_READ_CONTENT = msgspec.json.Decoder(dict[str, Any] | None).decode


def _read_entry(block: msgspec.Raw) -> Entry:
    """The entry; of a version this reader does not know, whose fields may be others, only which that is."""
    try:
        return _READ_ENTRY(block)
    except msgspec.DecodeError:
        version = _READ_VERSION(block).v
        if version == VERSION:
            raise
        return Entry(version, "", "", 0, "", "", "", ("", ""), "")


def _version_reason(entry: Entry) -> str | None:
    return None if entry.v == VERSION else f"version {entry.v} is not known to this reader"


def _size_reason(line: _Line) -> str | None:
    fits = len(line.decision) <= _DECISION_LIMIT and len(line.context) <= _CONTEXT_LIMIT
    return None if fits else "the decision or its context is too large"


def _hash_reason(line: _Line, entry: Entry) -> str | None:
    if canonical.sha256(line.entry) != line.hash:
        return "the entry does not match its hash"
    if canonical.sha256(line.intent) != entry.intent:
        return "the intent does not match the entry"
    identifier, digest = entry.decision
    if identifier != f"d_{digest[:24]}":
        return "the decision's id does not match its hash"
    if line.decision != _ABSENT and canonical.sha256(line.decision) != digest:
        return "the decision does not match the entry"
    if line.context != _ABSENT and canonical.sha256(line.context) != entry.context:
        return "the context does not match the entry"
    return None


def _place_reason(entry: Entry, intent: Intent, place: Place) -> str | None:
    if (intent.tenant, intent.project) != (place.tenant, place.project):
        return "the line names another tenant or project than its place"
    if {entry.writer, intent.writer} != {place.writer}:
        return "the line names another writer than its place"
    if entry.seq != place.seq:
        return f"the line says seq {entry.seq} and lies at {place.seq}"
    return None


def _shape_reason(entry: Entry) -> str | None:
    """Keep what would break a key of the projection out of the fold: it must never block the rest."""
    for element, name in entry.slots:
        if not _ELEMENT.fullmatch(element):
            return "an element id is malformed"
        if not name or not _fits(name, _SLOT_LIMIT):
            return "a slot is empty or too long"
        if name.startswith(_RESERVED):
            return "a slot is named as only the projection's rows are"
    if not all(map(_ELEMENT.fullmatch, entry.mentions)):
        return "an element id is malformed"
    return _size_of_entry_reason(entry)


def _size_of_entry_reason(entry: Entry) -> str | None:
    if len(entry.claims) + len(entry.historical) + len(entry.mentions) > _CLAIM_LIMIT:
        return "too many claims in one entry"
    if len(entry.displaces) > _DISPLACED_LIMIT:
        return "too many claims displaced by one entry"
    if not 1 <= entry.lines <= LINES_LIMIT:
        return "no object has that many lines"
    if not (_INSTANT.fullmatch(entry.recorded_at) and _INSTANT.fullmatch(entry.effective)):
        return "a date is malformed"
    return None


def _name_reason(entry: Entry, intent: Intent, context: Context | None) -> str | None:
    """The same for the names that become part of a key beside slots and elements."""
    for gone in entry.displaces:
        writer, seq = gone.dot
        if not (_WRITER.fullmatch(writer) and 0 < seq < _SEQ_END):
            return "a displaced dot is malformed"
    if not _fits(intent.key, _NAME_LIMIT):
        return "a key or a kind is too long"
    for element, (kind, _) in (context.elements if context else {}).items():
        if not _kind_fits(kind):
            return "a key or a kind is too long"
        if not _ELEMENT.fullmatch(element):
            return "the id of a named element is malformed"
    return None


def _fits(text: str, limit: int) -> bool:
    # No code point has more than four bytes.
    return len(text) * 4 <= limit or len(text.encode()) <= limit


@lru_cache(maxsize=256)
def _kind_fits(kind: str) -> bool:
    return _fits(normalise(kind), _NAME_LIMIT)
