"""Consuming a writer's log: read from the offset on, verify, project, move the offset.

Append, projector, sweep and rebuild all catch up through here. The offset moves one object at a time, after
every line of it is projected, so that offset + 1 is always the name of an object, never the inside of one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from precedent import canonical
from precedent.entry import OBJECT_LIMIT, Arrived, Dot, Place, Unreadable, read
from precedent.ports import Log, Offset, Projection
from precedent.project import Conflict, project
from precedent.rows import QuarantineRow


@dataclass(frozen=True, slots=True)
class Scope:
    """The tenant and project a log belongs to."""

    tenant: str
    project: str


@dataclass(slots=True)
class Progress:
    """What catching up did: entries projected, what was stepped over, whether the end was reached."""

    entries: int = 0
    quarantined: list[QuarantineRow] = field(default_factory=list)
    chain_breaks: list[Dot] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)
    complete: bool = False

    def name(self, arrived: Arrived) -> None:
        """Remember the highest seq of each writer that entries displace."""
        for gone in arrived.entry.displaces:
            self.named[gone.dot.writer] = max(gone.dot.seq, self.named.get(gone.dot.writer, 0))


@dataclass(frozen=True, slots=True)
class Object:
    """The lines of one log object, verified, and the offset after it; `cut` of them it lacks at its end."""

    lines: tuple[Arrived | QuarantineRow, ...]
    chain_breaks: tuple[Dot, ...]
    end: Offset
    cut: int = 0


def catch_up(
    scope: Scope, log: Log, projection: Projection, writer: str, objects: int | None = None
) -> Progress:
    """Project what lies after a writer's offset: to the end, or at most so many objects.

    Raises StoreError; what was projected until then stays and the next call goes on from there.
    """
    progress = Progress()
    offset = projection.offset(writer)
    while objects is None or objects > 0:
        opened = next_object(scope, log, writer, offset)
        if opened is None:
            progress.complete = True
            return progress
        project_object(projection, opened, progress)
        moved = projection.move_offset(writer, offset, opened.end)
        offset = opened.end if moved else projection.offset(writer)
        objects = None if objects is None else objects - 1
    return progress


def next_object(scope: Scope, log: Log, writer: str, offset: Offset) -> Object | None:
    """The object after an offset, a gap before it being one line of it; None at the end of the log."""
    expected = first = offset.seq + 1
    data = log.get(writer, first)
    while data is None:
        following = log.first_after(writer, offset.seq)
        if following is None:
            return None
        first = following
        data = log.get(writer, first)
    opened = _within_its_place(scope, log, writer, first, data, offset.hash)
    if first == expected:
        return opened
    reason = f"nothing lies at {expected}; the log goes on at {first}"
    gap = QuarantineRow(Dot(writer, expected), expected, reason, until=first)
    return replace(opened, lines=(gap, *opened.lines))


def project_object(projection: Projection, opened: Object, progress: Progress) -> None:
    """Project every line of an object; what can't be read is quarantined, and freed once it can."""
    progress.chain_breaks += opened.chain_breaks
    for line in opened.lines:
        match line:
            case Arrived():
                progress.conflicts += project(projection, line)
                progress.name(line)
                progress.entries += 1
            case QuarantineRow():
                projection.put(line)
                progress.quarantined.append(line)


def _within_its_place(
    scope: Scope, log: Log, writer: str, first: int, data: bytes, prev: str
) -> Object:
    """Open an object, and let it end where the next one begins.

    Rubbish may hold any number of newlines; the lines it seems to have must not hide other objects. A line
    that can be read says how many there are: those are no rubbish, whatever was written over their seqs.
    """
    opened = open_object(scope, writer, first, data, prev)
    readable = 0
    for line in opened.lines:
        if isinstance(line, Arrived):
            readable = max(readable, line.entry.seq, first + line.entry.lines - 1)
    if max(first, readable) == opened.end.seq:
        return opened
    following = log.first_after(writer, first)
    if following is None or following > opened.end.seq:
        return opened
    lines = max(following - first, readable - first + 1)
    return open_object(scope, writer, first, data, prev, lines)


def open_object(
    scope: Scope, writer: str, first: int, data: bytes, prev: str, limit: int | None = None
) -> Object:
    """Verify the lines of an object, or its first `limit`. `prev` is the hash of the line before it.

    An unreadable line counts as one seq; its stand-in in the chain is the hash of its bytes. So does a line
    that was cut off.
    """
    if len(data) > OBJECT_LIMIT:
        reason = f"the object has {len(data)} bytes, at most {OBJECT_LIMIT} are read"
        row = QuarantineRow(Dot(writer, first), first, reason)
        return Object((row,), (), Offset(first, canonical.sha256(data)))
    lines: list[Arrived | QuarantineRow] = []
    breaks: list[Dot] = []
    seq, promised = first, 0
    for seq, line in enumerate(data.removesuffix(b"\n").split(b"\n")[:limit], first):
        place = Place(scope.tenant, scope.project, writer, seq)
        try:
            arrived = read(line, place, first)
        except Unreadable as error:
            lines.append(QuarantineRow(Dot(writer, seq), first, error.reason))
            prev = error.line_hash
            continue
        if arrived.entry.prev != prev:
            breaks.append(arrived.dot)
        lines.append(arrived)
        prev = arrived.hash
        promised = max(promised, arrived.entry.lines)
    missing = [] if limit else _missing(writer, first, len(lines), promised)
    end = Offset(seq + len(missing), prev)
    return Object((*lines, *missing), tuple(breaks), end, cut=len(missing))


def _missing(writer: str, first: int, held: int, promised: int) -> list[QuarantineRow]:
    """What an object lacks that was cut between two lines: its entries say how many there were."""
    return [
        QuarantineRow(
            Dot(writer, first + number),
            first,
            f"the object ends before line {number + 1} of {promised}",
        )
        for number in range(held, promised)
    ]
