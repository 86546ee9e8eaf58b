"""Where each item of the projection lies: partition and sort key, built and read back.

    <generation>#<tenant>#<project>#
      D#<decision>                  body | dot#<writer>#<seq>     text once; who recorded it
      E#<writer>#<seq div 512>      <seq>                         statuses
      E                             <writer>#<seq div 512>        which partitions of statuses there are
      L#<element>                   <slot>#<writer>#<seq>         live claims and mentions
      H#<element>                   <date>#<writer>#<seq>         history
      P#<folder>                    <element>#<writer>#<seq>      elements with globs under a folder
      C                             <element>#<slot>#<writer>#<seq>   conflict hints
      N                             <kind>#<element>              the directory
      K#<writer>                    <key>#<index>                 idempotency keys
      O                             <writer>                      offsets
      Q                             <writer>#<seq>                what was stepped over
      S#<term>                      <shelf>#<999 − weight>#<writer>#<seq>   search, the best of a term first
      W#<length>#<half>             <word>                        words by their first half, or `~` and their second
      M                             <mark>                        what is true of the whole generation

A slot, a kind or a key may hold any character, `#` included, so keys are read from the right: no writer,
seq, element or index holds one. `#` also sorts before every character of a date and of a writer's name,
so sort keys order as (date, writer, seq) does. Seqs have 12 digits, as in the log.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

from precedent.entry import Body, Dot
from precedent.orset import Status
from precedent.ports import Bookmark, Item
from precedent.rows import (
    WEIGHT_LIMIT,
    ConflictRow,
    DirectoryRow,
    DotRow,
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
from precedent.spelling import half_of

STATUSES_A_PARTITION = 512
BODY = "body"

_FOLDER_LIMIT = 1024
"""Bytes of a folder's name in a partition key, which has 2,048 in all."""


class Key(NamedTuple):
    """The primary key of an item."""

    pk: str
    sk: str


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one generation of one project."""

    generation: str
    tenant: str
    project: str

    def partition(self, *parts: str) -> str:
        return "#".join((self.generation, self.tenant, self.project, *parts))

    def body(self, decision: str) -> Key:
        return Key(self.partition("D", decision), BODY)

    def status(self, dot: Dot) -> Key:
        bucket = dot.seq // STATUSES_A_PARTITION
        return Key(self.partition("E", dot.writer, str(bucket)), f"{dot.seq:012d}")

    def bucket(self, dot: Dot) -> Key:
        """The item that says the partition of a dot's status exists."""
        bucket = dot.seq // STATUSES_A_PARTITION
        return Key(self.partition("E"), f"{dot.writer}#{bucket:012d}")

    def offset(self, writer: str) -> Key:
        return Key(self.partition("O"), writer)

    def folder(self, folder: str) -> str:
        """The partition of a folder's elements. A name too long for a key is hashed."""
        raw = folder.encode()
        if len(raw) > _FOLDER_LIMIT:
            folder = hashlib.sha256(raw).hexdigest()
        return self.partition("P", folder)

    def words(self, length: int, half: str, *, backwards: bool) -> str:
        """The partition of the words of a length that begin, or end, in the same way."""
        return self.partition("W", f"{length:02d}", f"~{half}" if backwards else half)

    def row(self, row: Row) -> Key:
        match row:
            case LiveRow():
                pk, sk = self.partition("L", row.element), with_dot(row.slot, row.dot)
            case PathRow():
                pk, sk = self.folder(row.folder), with_dot(row.element, row.dot)
            case ConflictRow():
                pk, sk = self.partition("C"), with_dot(f"{row.element}#{row.slot}", row.dot)
            case HistoryRow():
                pk, sk = self.partition("H", row.element), with_dot(row.date, row.dot)
            case DotRow():
                pk, sk = self.partition("D", row.decision), with_dot("dot", row.dot)
            case DirectoryRow():
                pk, sk = self.partition("N"), f"{row.kind}#{row.element}"
            case KeyRow() | QuarantineRow() | MarkRow():
                pk, sk = self._noted(row)
            case SearchRow() | WordRow():
                pk, sk = self._searched(row)
        return Key(pk, sk)

    def _noted(self, row: KeyRow | QuarantineRow | MarkRow) -> tuple[str, str]:
        match row:
            case KeyRow():
                return self.partition("K", row.dot.writer), f"{row.key}#{row.index:03d}"
            case QuarantineRow():
                return self.partition("Q"), f"{row.dot.writer}#{row.dot.seq:012d}"
            case MarkRow():
                return self.partition("M"), row.mark

    def _searched(self, row: SearchRow | WordRow) -> tuple[str, str]:
        if isinstance(row, SearchRow):
            place = f"{row.shelf}#{WEIGHT_LIMIT - row.weight:03d}"
            return self.partition("S", row.term), with_dot(place, row.dot)
        half = half_of(row.word, len(row.word), backwards=row.backwards)
        return self.words(len(row.word), half, backwards=row.backwards), row.word

    def item(self, item: Item) -> Key:
        """Where anything the ports carry lies."""
        match item:
            case Body():
                return self.body(item.id)
            case Status():
                return self.status(item.dot)
            case Bookmark():
                return self.offset(item.writer)
            case _:
                return self.row(item)


def split_place(place: str) -> tuple[str, int]:
    """What stands before the dot of a search row → its shelf and its weight."""
    shelf, inverse = place.split("#")
    return shelf, WEIGHT_LIMIT - int(inverse)


def with_dot(text: str, dot: Dot) -> str:
    return f"{text}#{dot.writer}#{dot.seq:012d}"


def split_dot(sk: str) -> tuple[str, Dot]:
    """A sort key that ends in a dot → what stands before it, and the dot."""
    text, writer, seq = sk.rsplit("#", 2)
    return text, Dot(writer, int(seq))
