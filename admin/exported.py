"""An exported log as an operator brings it back: every line verified before anything is written.

The file is `precedent export`'s: JSON Lines. First `{"format": "precedent-log/1", "project", "tenant"}`, then for each
line of the log `{"first", "line", "seq", "writer"}` with the line as it is stored, last `{"digest", "entries",
"unreadable"}`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec
from precedent.aws.access import NAME
from precedent.consume import Scope
from precedent.entry import LINES_LIMIT, Arrived, Place, Unreadable, read
from precedent.errors import Invalid
from precedent.orset import digest, fold
from precedent.ports import Listed, StoreError

T = TypeVar("T")

FORMAT = "precedent-log/1"

_ABSENT = b'{"absent":"it could not be read when this log was exported"}'
"""Stands in for a line amid others that the export lacks. It is quarantined, as the line was."""


class _Head(msgspec.Struct):
    format: str
    tenant: str
    project: str


class _Line(msgspec.Struct):
    writer: str
    seq: int
    first: int
    line: msgspec.Raw


class _End(msgspec.Struct):
    digest: str
    entries: int


class Exported:
    """An exported log, whole and true to itself, as a copy `precedent.restore` takes.

    Raises Invalid for a file that is not whole, was changed, or belongs to another project; StoreError where it
    cannot be read. Where the lines lie in the file is remembered, not the lines.
    """

    def __init__(self, path: Path, scope: Scope) -> None:
        self._path = path
        self._objects: dict[tuple[str, int], dict[int, tuple[int, int]]] = defaultdict(dict)
        try:
            with path.open("rb") as file:
                _check_head(file.readline(), scope)
                self.digest = self._read(file, scope)
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from error

    def names(self) -> Iterator[Listed]:
        for writer, first in sorted(self._objects):
            size = sum(length + 1 for _, length in self._objects[writer, first].values())
            yield Listed(f"{writer}/{first:012d}.jsonl", size)

    def get(self, writer: str, first: int) -> bytes | None:
        lines = self._objects.get((writer, first))
        if lines is None:
            return None
        with self._path.open("rb") as file:
            return b"".join(
                _at(file, lines.get(seq)) + b"\n" for seq in range(first, max(lines) + 1)
            )

    def _read(self, file: BinaryIO, scope: Scope) -> str:
        """Verify and index every line; the digest they have together."""
        ends: list[_End] = []
        total = digest(fold(self._arrived(file, scope, ends)).values())
        if not ends:
            raise Invalid("/file", "has no end: it was cut off. Export again")
        if (total.entries, str(total)) != (ends[0].entries, ends[0].digest):
            raise Invalid("/file", "does not hold what its last line says. Export again")
        return str(total)

    def _arrived(self, file: BinaryIO, scope: Scope, ends: list[_End]) -> Iterator[Arrived]:
        start = file.tell()
        for number, raw in enumerate(file, 2):
            if ends:
                raise _wrong(number, "stands behind the end")
            if raw.startswith(b'{"digest":'):
                ends.append(_parsed(raw, _End, number))
                continue
            one = _parsed(raw, _Line, number)
            line = bytes(one.line)
            yield _verified(one, line, scope, number)
            lines = self._objects[one.writer, one.first]
            if one.seq in lines or not 0 <= one.seq - one.first < LINES_LIMIT:
                raise _wrong(number, "stands twice, or lies in no object it could lie in")
            lines[one.seq] = (start + raw.index(line), len(line))
            start += len(raw)


def _check_head(raw: bytes, scope: Scope) -> None:
    head = _parsed(raw, _Head, 1)
    if head.format != FORMAT:
        raise _wrong(1, f"is not of the format {FORMAT}")
    if (head.tenant, head.project) != (scope.tenant, scope.project):
        raise Invalid(
            "/file",
            f"is the log of project {head.project} of {head.tenant}, and every line says so under its hash: it "
            f"verifies nowhere else. Into another project `precedent import jsonl` records its decisions anew",
        )


def _verified(one: _Line, line: bytes, scope: Scope, number: int) -> Arrived:
    if not NAME.fullmatch(one.writer):
        raise _wrong(number, "names no writer there could be")
    try:
        return read(line, Place(scope.tenant, scope.project, one.writer, one.seq), one.first)
    except Unreadable as error:
        raise _wrong(number, error.reason) from None


def _parsed(raw: bytes, kind: type[T], number: int) -> T:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _wrong(number, "is no line of an exported log") from None


def _wrong(number: int, reason: str) -> Invalid:
    return Invalid("/file", f"line {number}: {reason}. Nothing was written")


def _at(file: BinaryIO, place: tuple[int, int] | None) -> bytes:
    if place is None:
        return _ABSENT
    file.seek(place[0])
    return file.read(place[1])
