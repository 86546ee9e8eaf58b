"""Repairing a projection: what can be mended in the generation that serves, without taking it out of service.

Nothing of the log is touched, and no row is written over: what says something else than the log, or is not in
the log at all, stays until a rebuild.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from precedent.consume import Scope, catch_up
from precedent.entry import Dot
from precedent.findings import Finding, Kind
from precedent.logcheck import LogCheck
from precedent.ports import Bookmark, Found, Inventory, Log, Pointer, Pointers, Projection
from precedent.project import project
from precedent.rows import QuarantineRow, WordRow
from precedent.sweep import Swept, sweep
from precedent.verify import Report, verify

ROUNDS = 3
"""How often it looks again: what was mended may have stood before something else."""


@dataclass
class Repaired:
    """What a repair did: what the sweep did first, how often it did what, and what is left."""

    swept: Swept
    done: Counter[str] = field(default_factory=Counter)
    left: Report | None = None


def repair(scope: Scope, log: Log, pointers: Pointers, *, leftovers: bool = False) -> Repaired:
    """Catch up, free what can be read, put back what is missing, take away what is stale; then verify.

    `leftovers` takes other generations away, which may only be asked for while no rebuild runs. Done twice it
    does nothing more. Raises NotFound, StoreError.
    """
    verify(scope, log, pointers)
    repaired = Repaired(sweep(scope, log, pointers))
    report = verify(scope, log, pointers)
    pointer = pointers.read()
    assert pointer is not None  # the sweep made it
    work = _Repair(scope, log, pointers, pointer, repaired.done)
    for _ in range(ROUNDS):
        before = repaired.done.total()
        work.mend(report, leftovers=leftovers)
        repaired.left = report = verify(scope, log, pointers)
        if repaired.done.total() == before:
            break
    return repaired


@dataclass
class _Repair:
    scope: Scope
    log: Log
    pointers: Pointers
    pointer: Pointer
    done: Counter[str]

    def mend(self, report: Report, *, leftovers: bool) -> None:
        projection, inventory = self._ports()
        for finding in report.findings:
            match finding:
                case Finding(kind=Kind.HINT, item=Found() as found):
                    inventory.forget([found])
                    self.done["stale hints deleted"] += 1
                case Finding(kind=Kind.MISSING, item=WordRow() as row):
                    # Projecting again puts a word only where its other row is missing, too.
                    projection.write([row])
                case Finding(kind=Kind.UNNOTED, item=QuarantineRow() as row):
                    projection.put(row)
                    self.done["quarantined"] += 1
                case Finding(kind=Kind.FREED, item=QuarantineRow() as row):
                    projection.delete(row)
                    self.done["taken out of quarantine"] += 1
                case Finding(kind=Kind.OFFSET, item=Bookmark(writer, right)):
                    self._set_right(projection, Bookmark(writer, right))
        self._project_again(projection, set(_incomplete(report)))
        if leftovers:
            self._take_away(inventory, {finding.where for finding in report.of(Kind.LEFTOVER)})

    def _ports(self) -> tuple[Projection, Inventory]:
        return self.pointers.open(self.pointer), self.pointers.inventory(self.pointer)

    def _set_right(self, projection: Projection, right: Bookmark) -> None:
        old = projection.offset(right.writer)
        if projection.rewind(right.writer, old, right.offset._replace(promised=old.promised)):
            catch_up(self.scope, self.log, projection, right.writer)
            self.done["offsets put right"] += 1

    def _project_again(self, projection: Projection, dots: set[Dot]) -> None:
        if not dots:
            return
        for arrived in LogCheck(self.scope, self.log).read_on():
            if arrived.dot in dots:
                project(projection, arrived)
                self.done["entries projected again"] += 1

    def _take_away(self, inventory: Inventory, generations: set[str]) -> None:
        found = [found for found in inventory.scan() if found.generation in generations]
        inventory.forget(found)
        self.done["items of other generations deleted"] += len(found)


def _incomplete(report: Report) -> Iterator[Dot]:
    """The entries something of which is not there."""
    for finding in report.of(Kind.MISSING, Kind.UNLISTED):
        if finding.dot is not None:
            yield finding.dot
