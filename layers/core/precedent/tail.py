"""Where a writer's log ends, against the highest seq it ever gave out.

A log that lost its tail would hand the lost numbers out again, and what displaced the lost entries would
displace the new ones. So the offset remembers: put back to where the log ends, `promised` says how far it had
come, and append refuses until the log reaches that again (docs/decisions/0007).
"""

from __future__ import annotations

from precedent.consume import Object, Progress, Scope, catch_up, open_object, project_object
from precedent.entry import GENESIS, LINES_LIMIT, Arrived, Dot
from precedent.ports import Log, Offset, Projection, Stored


def hold_if_short(
    scope: Scope, log: Log, projection: Projection, writer: str, promised: int
) -> Offset | None:
    """Hold a writer whose log ends before `promised`; return how it stands, None if all is there.

    Costs one listing and one GET.
    """
    offset = projection.offset(writer)
    last = _last(scope, log, writer, promised)
    end = _end_of(last)
    if end.seq >= promised:
        # It is back, and may lie around the place it was put back to: read from the beginning.
        if offset.short and projection.rewind(writer, offset, Offset()):
            catch_up(scope, log, projection, writer)
        elif last and last.lines[0].first <= offset.seq < end.seq:
            _step_out(projection, last, offset)
        return None
    # Never forward: what lies between is not projected yet.
    base = offset if offset.seq <= end.seq else end
    held = Offset(base.seq, base.hash, promised)
    if held != offset and not projection.rewind(writer, offset, held):
        return None  # it moved meanwhile; the next sweep looks again
    return held


def acknowledged(projection: Projection) -> dict[str, int]:
    """The highest seq of each writer that is an entry or may have been one, as a generation knows it.

    Not simply the offset: rubbish takes as many seqs as it has lines, and may be gone again.
    """
    offsets = projection.offsets()
    quarantined = {row.dot for row in projection.quarantined()}
    last = {writer: Dot(writer, offset.seq) for writer, offset in offsets.items()}
    arrived = {dot for dot, status in projection.statuses(last.values()).items() if status.arrived}
    known: dict[str, int] = {}
    for writer, offset in offsets.items():
        seq = offset.seq
        if last[writer] not in arrived | quarantined:
            seqs = [status.dot.seq for status in projection.entries(writer, 0) if status.arrived]
            seqs += [dot.seq for dot in quarantined if dot.writer == writer]
            seq = max((seq for seq in seqs if seq <= offset.seq), default=0)
        known[writer] = max(seq, offset.promised)
    return known


def _step_out(projection: Projection, last: Object, offset: Offset) -> None:
    """Move an offset that stands inside an object to its end: it was harmed when it was read, and is whole.

    The next entry would take the number of one of its lines.
    """
    if not all(isinstance(line, Arrived) for line in last.lines):
        return
    project_object(projection, last, Progress())
    projection.move_offset(last.lines[0].dot.writer, offset, last.end)


def _last(scope: Scope, log: Log, writer: str, promised: int) -> Object | None:
    """A writer's last object, or one before it that reaches further."""
    # Names further back are listed on suspicion only.
    near = max(0, promised - LINES_LIMIT)
    last = _opened(scope, writer, log.last(writer, near))
    if _end_of(last).seq >= promised:
        return last
    objects = [last, _opened(scope, writer, log.last(writer, 0))]
    after = near
    while (first := log.first_after(writer, after)) is not None:
        data = log.get(writer, first)
        objects += [_opened(scope, writer, Stored(first, data))] if data is not None else []
        after = first
    return max(objects, key=_end_of)


def _opened(scope: Scope, writer: str, stored: Stored | None) -> Object | None:
    if stored is None:
        return None
    return open_object(scope, writer, stored.first, stored.data, GENESIS)


def _end_of(opened: Object | None) -> Offset:
    if opened is None:
        return Offset()
    return Offset(opened.end.seq - opened.cut, opened.end.hash)
