"""Filling a generation in memory: `precedent.ports.Loader`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from precedent.entry import Body
from precedent.orset import Status
from precedent.ports import Bookmark, Item

from tests.fakes.memory import MemoryProjection


@dataclass
class MemoryLoader:
    """Loads item by item into a projection."""

    projection: MemoryProjection

    def load(self, items: Iterable[Item]) -> int:
        count = 0
        for item in items:
            match item:
                case Body():
                    self.projection.put_body(item)
                case Status():
                    if item.arrived:
                        self.projection.put_status(item)
                    self.projection.add_lost(item.dot, item.lost)
                case Bookmark():
                    raise AssertionError("offsets are not loaded")
                case _:
                    self.projection.put(item)
            count += 1
        return count
