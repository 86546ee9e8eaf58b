"""Rebuilding the projection: a new consumer from offset 0 into a new generation, then one pointer flip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from precedent.consume import Scope
from precedent.errors import NotFound
from precedent.pointer import current_pointer
from precedent.ports import Log, Pointer, Pointers, StoreMissing
from precedent.rows import COMPLETE
from precedent.sweep import Swept, sweep_generation
from precedent.tail import acknowledged


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A rebuild: the generation it made, what it read, whether the pointer moved to it, and from where."""

    generation: str
    swept: Swept
    flipped: bool
    old: Pointer

    def told(self) -> dict[str, Any]:
        """The same for logs and people: without the salt, which is for those who may read the project."""
        return {
            "generation": self.generation,
            "flipped": self.flipped,
            "old": self.old.generation,
            "swept": asdict(self.swept),
        }


def rebuild(
    scope: Scope, log: Log, pointers: Pointers, generation: str, *, accept_loss: bool = False
) -> Rebuilt:
    """Fold the log into a generation of its own, and make it the one that serves.

    `generation` is a name never used before, or that of a rebuild which died: then it goes on. A crash before
    the flip leaves the old generation serving. Of two at once, one flips and the other's is garbage. Where a
    log ends before what the old generation knows, it does not flip unless told to `accept_loss`: what serves
    holds more than the log does. Raises NotFound for a project that has no log, StoreError.
    """
    old, new = begin(scope, log, pointers, generation)
    return serve(scope, log, pointers, old, new, accept_loss=accept_loss)


def begin(scope: Scope, log: Log, pointers: Pointers, generation: str) -> tuple[Pointer, Pointer]:
    """The pointer as it is, and what it becomes. Raises NotFound, StoreError."""
    if pointers.read() is None and not any(True for _ in log.writers()):
        raise NotFound(
            f"There is no project {scope.project} of {scope.tenant}, so nothing to rebuild."
        )
    old = current_pointer(scope, log, pointers)
    new = pointers.fresh(old, generation)
    if new == old:
        raise NotFound(f"Generation {generation} serves now; a rebuild fills one that does not.")
    return old, new


def serve(
    scope: Scope, log: Log, pointers: Pointers, old: Pointer, new: Pointer, *, accept_loss: bool
) -> Rebuilt:
    """Catch a generation up from its offsets on, flip to it, and sweep once more. Raises StoreError."""
    projection = pointers.open(new)
    swept = sweep_generation(scope, log, projection, _promised(pointers, old))
    # What was appended while the log was read, so that little is missing at the flip.
    promised = _promised(pointers, old)
    swept.short = sweep_generation(scope, log, projection, promised).short
    if swept.short and not accept_loss:
        return Rebuilt(new.generation, swept, flipped=False, old=old)
    projection.put(COMPLETE)
    # After a flip whose answer was lost the repeat is told that the pointer is not `old` any more.
    flipped = pointers.flip(old, new) or pointers.read() == new
    if flipped:
        # An append that read the pointer before the flip may have projected into the old one only.
        sweep_generation(scope, log, projection, promised)
    return Rebuilt(new.generation, swept, flipped, old)


def _promised(pointers: Pointers, old: Pointer) -> Mapping[str, int]:
    """What the generation that serves has seen of each log; nothing where its table is gone."""
    try:
        return acknowledged(pointers.open(old))
    except StoreMissing:
        return {}
