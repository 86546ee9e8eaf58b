"""The sweep: each writer's offset against its log, and what was stepped over, asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from precedent.complete import completing
from precedent.consume import Object, Progress, Scope, catch_up, next_object, project_object
from precedent.entry import Arrived
from precedent.pointer import current_pointer, on_current
from precedent.ports import Log, Offset, Pointers, Projection, StoreError
from precedent.rows import QuarantineRow
from precedent.tail import acknowledged, hold_if_short

REASONS = 20
"""How many of the quarantined a sweep names; it counts all."""

NOTHING: Mapping[str, int] = {}


@dataclass(slots=True)
class Swept:
    """What one sweep of a project found and mended.

    `quarantined` is what stands stepped over when it ends, whoever met it first; `reasons` are the first
    few of it, with their places. `short` are the writers whose logs end before what was acknowledged.
    """

    writers: int = 0
    entries: int = 0
    quarantined: int = 0
    freed: int = 0
    chain_breaks: int = 0
    reasons: list[str] = field(default_factory=list)
    short: dict[str, str] = field(default_factory=dict)

    def count(self, progress: Progress) -> None:
        self.writers += 1
        self.entries += progress.entries
        self.chain_breaks += len(progress.chain_breaks)

    def remember(self, rows: Iterable[QuarantineRow]) -> None:
        for row in rows:
            self.quarantined += 1
            if self.quarantined <= REASONS:
                self.reasons.append(f"{row.dot.writer}/{row.dot.seq}: {row.reason}")


def sweep(scope: Scope, log: Log, pointers: Pointers) -> Swept:
    """Catch every writer of a project up, then ask for the quarantined again. Raises StoreError.

    A projection that was lost is filled from the beginning of every log, and serves again after that.
    """
    pointer = current_pointer(scope, log, pointers)
    return on_current(
        pointers, pointer, lambda p: completing(p, lambda: sweep_generation(scope, log, p))
    )


def sweep_generation(
    scope: Scope, log: Log, projection: Projection, promised: Mapping[str, int] = NOTHING
) -> Swept:
    """Catch every writer up in one generation, free what can be read by now, hold whose log is too short.

    `promised` is the highest seq known to have been acknowledged to each writer. Raises StoreError, but only
    after every writer had its turn: what stops one must not keep the others from being read.
    """
    swept = Swept()
    known = Counter(promised)
    failed: dict[str, StoreError] = {}
    for writer in log.writers():
        try:
            progress = catch_up(scope, log, projection, writer)
        except StoreError as error:
            failed[writer] = error
            continue
        swept.count(progress)
        known |= Counter(progress.named)
    rows = list(projection.quarantined())
    noted = set(rows)
    for row in rows:
        if row in noted:
            swept.freed += _ask_again(scope, log, projection, row, noted)
    swept.remember(projection.quarantined())
    for writer, seq in sorted((known | Counter(acknowledged(projection))).items()):
        if held := hold_if_short(scope, log, projection, writer, seq):
            swept.short[writer] = f"ends at {held.seq}, {held.promised} was acknowledged"
    if failed:
        writer, first = next(iter(failed.items()))
        raise StoreError(f"{len(failed)} writers not caught up, {writer} first: {first}") from first
    return swept


def _ask_again(
    scope: Scope, log: Log, projection: Projection, row: QuarantineRow, noted: set[QuarantineRow]
) -> int:
    """Read on from what was stepped over for as long as that shows something new; count the entries.

    A gap is read through to its end: it may have been filled in part by what was projected when it was put.
    What is found is projected last things first: after a crash the rest still follows the row directly.
    """
    found: list[Object] = []
    offset = Offset(row.first - 1)
    while opened := next_object(scope, log, row.dot.writer, offset):
        for stale in _outgrown(noted, opened):
            projection.delete(stale)
            noted.remove(stale)
        if _has_news(projection, opened, noted):
            found.append(opened)
        elif opened.end.seq >= max(row.until, row.dot.seq):
            break
        offset = opened.end
    progress = Progress()
    for opened in reversed(found):
        project_object(projection, opened, progress)
    freed = {line.dot for opened in found for line in opened.lines if isinstance(line, Arrived)}
    for gone in [each for each in noted if each.dot in freed]:
        projection.delete(gone)
        noted.remove(gone)
    return progress.entries


def _outgrown(noted: Iterable[QuarantineRow], opened: Object) -> list[QuarantineRow]:
    """What an object leaves no place for: lines it does not have, and whatever lay in the gap before it.

    The object can be read and was rubbish before; of a gap only the first seq has a row.
    """
    first, writer = opened.lines[-1].first, opened.lines[-1].dot.writer
    gap = opened.lines[0] if isinstance(opened.lines[0], QuarantineRow) else None
    readable = all(
        isinstance(line, Arrived) or (line is gap and gap.until) for line in opened.lines
    )
    return [
        row
        for row in noted
        if row.dot.writer == writer
        and (
            (readable and row.first == first and row.dot.seq > opened.end.seq)
            or (gap is not None and gap.dot.seq < row.first <= row.dot.seq < gap.until)
        )
    ]


def _has_news(projection: Projection, opened: Object, noted: set[QuarantineRow]) -> bool:
    """Whether an object holds an entry that has not arrived or was stepped over, or a gap nobody has noted.

    One that was stepped over may have arrived in part: whoever could read it died, and who could not went on.
    """
    statuses = projection.statuses(line.dot for line in opened.lines)
    known = {row.dot for row in noted}
    return any(
        (isinstance(line, Arrived) and line.dot in known)
        if line.dot in statuses and statuses[line.dot].arrived
        else isinstance(line, Arrived) or line.dot not in known
        for line in opened.lines
    )
