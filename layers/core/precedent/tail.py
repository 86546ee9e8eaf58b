"""Where a writer's log ends, against the highest seq it ever gave out.

A log that lost its tail would hand the lost numbers out again, and what displaced the lost entries would
displace the new ones. So the offset remembers: put back to where the log ends, `promised` says how far it had
come, and append refuses until the log reaches that again (docs/decisions/0007).
"""

from __future__ import annotations

from precedent.consume import Scope, catch_up, open_object
from precedent.entry import GENESIS, LINES_LIMIT, Dot
from precedent.ports import Log, Offset, Projection, Stored


def hold_if_short(
    scope: Scope, log: Log, projection: Projection, writer: str, promised: int
) -> Offset | None:
    """Hold a writer whose log ends before `promised`; return how it stands, None if all is there.

    Costs one listing and one GET.
    """
    offset = projection.offset(writer)
    end = _end(scope, log, writer, promised)
    if end.seq >= promised:
        # It is back, and may lie around the place it was put back to: read from the beginning.
        if offset.short and projection.rewind(writer, offset, Offset()):
            catch_up(scope, log, projection, writer)
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


def _end(scope: Scope, log: Log, writer: str, promised: int) -> Offset:
    """The end of a writer's log: of its last object, or of one before it that reaches further."""
    # Names further back are listed on suspicion only.
    near = max(0, promised - LINES_LIMIT)
    last = _end_of(scope, writer, log.last(writer, near))
    if last.seq >= promised:
        return last
    ends = [last, _end_of(scope, writer, log.last(writer, 0))]
    after = near
    while (first := log.first_after(writer, after)) is not None:
        data = log.get(writer, first)
        ends += [_end_of(scope, writer, Stored(first, data))] if data is not None else []
        after = first
    return max(ends)


def _end_of(scope: Scope, writer: str, stored: Stored | None) -> Offset:
    if stored is None:
        return Offset()
    opened = open_object(scope, writer, stored.first, stored.data, GENESIS)
    return Offset(opened.end.seq - opened.cut, opened.end.hash)
