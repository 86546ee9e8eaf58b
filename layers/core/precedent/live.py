"""Reading what is live: hints checked against statuses, never an empty slot that was not empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from precedent.element import aliased
from precedent.entry import Claim, Dot
from precedent.orset import Status
from precedent.ports import Projection
from precedent.rows import LiveRow

EQUIVALENTS = 20
"""Elements that are taken for one thing; what is aliased beyond is not followed."""


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
    rows = partial(projection.live, element, slot)
    return _settled(projection, lambda: window(rows()), {} if known is None else known)


def equivalents(
    projection: Projection, element: str, known: dict[Dot, Status] | None = None
) -> list[str]:
    """The elements that live aliases say are the same thing, the asked one first, then the nearest.

    At most EQUIVALENTS; a cycle of aliases does no harm.
    """
    found = [element]
    known = {} if known is None else known
    for one in found:
        for live in read_aliases(projection, one, known):
            other = aliased(live.row.slot)
            if other and other not in found and len(found) < EQUIVALENTS:
                found.append(other)
    return found


def read_aliases(
    projection: Projection, element: str, known: dict[Dot, Status] | None = None
) -> list[Live]:
    """The live aliases of an element, from either end, by slot and dot."""
    known = {} if known is None else known
    return _settled(projection, partial(projection.aliases, element), known)


def _settled(
    projection: Projection, read: Callable[[], list[LiveRow]], known: dict[Dot, Status]
) -> list[Live]:
    """What holds of some rows, read again for as long as that shows a new lost dot."""
    while True:
        rows = read()
        fresh = [row for row in rows if row.dot not in known]
        # A row without a status is a generation being taken away; it holds nothing.
        known |= {row.dot: Status(row.dot) for row in fresh}
        known |= projection.statuses({row.dot for row in fresh})
        if all(row.holds(known[row.dot]) for row in fresh):
            return _holding(rows, known)


def _holding(rows: Iterable[LiveRow], known: dict[Dot, Status]) -> list[Live]:
    return [Live(row, known[row.dot]) for row in rows if row.holds(known[row.dot])]
