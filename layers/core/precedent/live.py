"""Reading what is live: hints checked against statuses, never an empty slot that was not empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from precedent.entry import Claim, Dot
from precedent.orset import Status
from precedent.ports import Projection
from precedent.rows import LiveRow


@dataclass(frozen=True, slots=True)
class Live:
    """A live row and the status that bears it out."""

    row: LiveRow
    status: Status

    @property
    def claim(self) -> Claim:
        """The claim behind the row. Not for mentions."""
        element, slot = self.row.owner
        return next(c for c in self.status.claims if (c.element, c.slot) == (element, slot))


def read_live(
    projection: Projection,
    element: str,
    slot: str | None = None,
    known: dict[Dot, Status] | None = None,
    window: Callable[[list[LiveRow]], list[LiveRow]] = list,
) -> list[Live]:
    """The live rows of an element (or of one of its slots) that hold, by slot and dot.

    `known` are statuses read already, and is added to; `window` picks the rows to look at.
    A reader that meets a lost dot asks again: whatever displaced it was shown before it was lost, so a
    slot that was never empty is never seen empty. Ends when asking again shows no new lost dot.
    """
    known = {} if known is None else known
    while True:
        rows = window(projection.live(element, slot))
        fresh = [row for row in rows if row.dot not in known]
        # A row without a status is a generation being taken away; it holds nothing.
        known |= {row.dot: Status(row.dot) for row in fresh}
        known |= projection.statuses({row.dot for row in fresh})
        if all(row.holds(known[row.dot]) for row in fresh):
            return _holding(rows, known)


def _holding(rows: Iterable[LiveRow], known: dict[Dot, Status]) -> list[Live]:
    return [Live(row, known[row.dot]) for row in rows if row.holds(known[row.dot])]
