"""Rebuilding the projection: a new consumer from offset 0 into a new generation, then one pointer flip."""

from __future__ import annotations

from dataclasses import dataclass

from precedent.consume import Scope
from precedent.pointer import current_pointer
from precedent.ports import Log, Pointers
from precedent.sweep import Swept, sweep_generation


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A rebuild: the generation it made, what it read, and whether the pointer moved to it."""

    generation: str
    swept: Swept
    flipped: bool


def rebuild(scope: Scope, log: Log, pointers: Pointers, generation: str) -> Rebuilt:
    """Fold the log into `generation`, a name never used before, and make it the one that serves.

    A crash before the flip leaves the old generation serving and the next run starts over under another
    name. Of two at once, one flips and the other's generation is garbage. Raises StoreError.
    """
    old = current_pointer(scope, log, pointers)
    new = pointers.fresh(old, generation)
    projection = pointers.open(new)
    swept = sweep_generation(scope, log, projection)
    # What was appended while the log was read, so that little is missing at the flip.
    sweep_generation(scope, log, projection)
    flipped = pointers.flip(old, new)
    if flipped:
        # An append that read the pointer before the flip may have projected into the old one only.
        sweep_generation(scope, log, projection)
    return Rebuilt(generation, swept, flipped)
