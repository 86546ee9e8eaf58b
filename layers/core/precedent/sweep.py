"""The sweep: each writer's offset against its log, and what was stepped over, asked again."""

from __future__ import annotations

from dataclasses import dataclass, field

from precedent.consume import Progress, Scope, catch_up, open_object
from precedent.entry import GENESIS, Arrived
from precedent.pointer import current_pointer, on_current
from precedent.ports import Log, Pointers, Projection
from precedent.project import project


@dataclass(slots=True)
class Swept:
    """What one sweep of a project found and mended."""

    writers: int = 0
    entries: int = 0
    quarantined: int = 0
    freed: int = 0
    chain_breaks: int = 0
    reasons: list[str] = field(default_factory=list)

    def count(self, progress: Progress) -> None:
        self.writers += 1
        self.entries += progress.entries
        self.quarantined += len(progress.quarantined)
        self.chain_breaks += len(progress.chain_breaks)
        self.reasons += [row.reason for row in progress.quarantined]


def sweep(scope: Scope, log: Log, pointers: Pointers) -> Swept:
    """Catch every writer of a project up, then ask for the quarantined again. Raises StoreError."""
    pointer = current_pointer(scope, log, pointers)
    return on_current(pointers, pointer, lambda p: sweep_generation(scope, log, p))


def sweep_generation(scope: Scope, log: Log, projection: Projection) -> Swept:
    """Catch every writer up in one generation and free what can be read by now."""
    swept = Swept()
    for writer in log.writers():
        swept.count(catch_up(scope, log, projection, writer))
    for row in list(projection.quarantined()):
        data = log.get(row.dot.writer, row.first)
        if data is None:
            continue
        for line in open_object(scope, row.dot.writer, row.first, data, GENESIS).lines:
            if isinstance(line, Arrived) and line.dot == row.dot:
                project(projection, line)
                projection.delete(row)
                swept.freed += 1
    return swept
