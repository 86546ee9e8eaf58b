"""Whether a generation holds everything its project's log did when it began to serve: it carries a mark.

A projection that was lost has lost the mark too, so what is left or filled in since is never taken for all
there is: readers and appends are refused until the sweep has read every log from its beginning again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from precedent.errors import Unavailable
from precedent.ports import Offset, Projection
from precedent.rows import COMPLETE, REFILLING

T = TypeVar("T")

LOST = (
    "The projection was lost, in part or whole, and is being made again. Nothing follows from what cannot be "
    "read; the hourly sweep or a rebuild brings it back."
)


def is_complete(projection: Projection) -> bool:
    return COMPLETE in projection.marks()


def refuse_if_lost(projection: Projection) -> None:
    """What readers and appends do before anything follows from what is not there. Raises Unavailable."""
    if not is_complete(projection):
        raise Unavailable(LOST)


def completing(projection: Projection, fill: Callable[[], T]) -> T:
    """Run `fill`, which catches every writer up; a generation that was lost is read anew and marked after it.

    A run that is cut short is gone on with by the next. Raises what `fill` raises, StoreError.
    """
    marks = projection.marks()
    if COMPLETE in marks:
        if REFILLING in marks:  # a refill died before its last step
            projection.delete(REFILLING)
        return fill()
    if REFILLING not in marks:
        # What stands at an offset that outlived the loss may be gone all the same.
        for writer in projection.offsets():
            _start_over(projection, writer)
        projection.put(REFILLING)
    filled = fill()
    projection.put(COMPLETE)
    projection.delete(REFILLING)
    return filled


def _start_over(projection: Projection, writer: str) -> None:
    while (offset := projection.offset(writer)).seq:
        promised = max(offset.seq, offset.promised)
        if projection.rewind(writer, offset, Offset(promised=promised)):
            return
