"""The log as readers take it away: every line that can be read, as it is stored, page by page.

A line says all there is of an entry, who recorded it from where included, and verifies on its own. What cannot
be read is named and not handed out: nobody knows what is in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from precedent.answers import LogLine, Unread
from precedent.consume import Object, Scope, next_object
from precedent.entry import Arrived
from precedent.ports import Log, Offset
from precedent.rows import QuarantineRow

PAGE_BYTES = 1_500_000
"""Bytes of lines on one page. As texts in JSON they are at most twice as many, and Lambda answers 6 MB."""

LOOKS = 150
"""Objects and ends of logs one page looks at, at least two: each is a request or two to the store."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far somebody has read: per writer the last seq of the last object read to its end.

    Where a page ended amid things, `writer` is whose log it was in, and `inside` how many lines of the object
    named `first` it had given.
    """

    offsets: dict[str, int] = field(default_factory=dict)
    writer: str = ""
    first: int = 0
    inside: int = 0


@dataclass
class Page:
    """What one request gives of the log."""

    lines: list[LogLine] = field(default_factory=list)
    unreadable: list[Unread] = field(default_factory=list)
    bytes: int = 0
    looks: int = 0

    @property
    def full(self) -> bool:
        return self.bytes >= PAGE_BYTES or self.looks >= LOOKS

    def take(self, opened: Object, inside: int) -> int:
        """Take the lines of an object but its first `inside`; returns how many are taken in all then."""
        for number, line in enumerate(opened.lines[inside:], inside):
            if self.bytes >= PAGE_BYTES:
                return number
            match line:
                case Arrived():
                    self.lines.append(LogLine(*line.dot, line.first, line.line.decode()))
                    self.bytes += len(line.line)
                case QuarantineRow():
                    until = line.until or line.dot.seq + 1
                    self.unreadable.append(Unread(*line.dot, until, line.reason))
        return len(opened.lines)


def read_page(scope: Scope, log: Log, start: Position) -> tuple[Page, Position, bool]:
    """What lies after a position, by writer; the position to go on from; whether to go on at once.

    A pass over all writers ends with `more` false; another one from there finds what came meanwhile. Lines may
    be given twice where an object before them turned up between two pages. Raises StoreError.
    """
    page, offsets = Page(), dict(start.offsets)
    for writer in (name for name in log.writers() if name >= start.writer):
        page.looks += 1
        while not page.full:
            opened = next_object(scope, log, writer, Offset(offsets.get(writer, 0)))
            if opened is None:
                break
            page.looks += 1
            first = opened.lines[-1].first
            begun = (writer, first) == (start.writer, start.first)
            taken = page.take(opened, start.inside if begun else 0)
            if taken < len(opened.lines):
                return page, Position(offsets, writer, first, taken), True
            offsets[writer] = opened.end.seq
        else:
            return page, Position(offsets, writer), True
    return page, Position(offsets), False
