"""An element's story, oldest first: what each decision settled, why, for how long, and what it replaced."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from precedent.answers import Period, Step, Timeline
from precedent.browse import named, place, refuse_if_unknown, replaced
from precedent.element import owner_of
from precedent.entry import Claim, Dot
from precedent.orset import Status
from precedent.past import End, periods
from precedent.ports import Projection
from precedent.reading import Texts, recorded
from precedent.rows import HistoryRow

PAGE = 50
"""Decisions on one page."""

AHEAD = 200
"""Events after a page that are looked at for the end of what was recorded as history on it."""


def timeline(
    projection: Projection | None, element: str, start: HistoryRow | None
) -> tuple[Timeline, HistoryRow | None]:
    """A page of an element's story, and the event the next one follows. Raises NotFound."""
    rows = projection.history(element, start) if projection else iter(())
    found = list(islice(rows, PAGE + AHEAD))
    projection = refuse_if_unknown(projection, element, known=bool(found or start))
    page = found[:PAGE]
    lost = {dot for row in page for _, dot, _ in row.displaced}
    statuses = projection.statuses({row.dot for row in page} | lost)
    ended = {gone.by for row in page if (s := statuses.get(row.dot)) for gone in s.lost}
    after = {row.dot: row.decision for row in found}
    statuses |= projection.statuses(ended - statuses.keys())
    texts = Texts(projection)
    texts.fetch({row.decision for row in page} | {s.decision for s in statuses.values()} - {""})
    over = periods(found, statuses)
    by = after | {dot: status.decision for dot, status in statuses.items()}
    steps = [_step(row, statuses, over, by, texts) for row in page]
    return Timeline(named(texts, element), steps, None), (
        place(page[-1]) if len(found) > PAGE else None
    )


def _step(
    row: HistoryRow,
    statuses: Mapping[Dot, Status],
    over: Mapping[tuple[Dot, str], End | None],
    by: Mapping[Dot, str],
    texts: Texts,
) -> Step:
    status = statuses.get(row.dot, Status(row.dot))
    body = texts.bodies.get(row.decision)
    return Step(
        id=row.decision,
        title=texts.title(row.decision),
        rationale=str(body.content.get("rationale", "")) if body else "",
        outcome=status.outcome,
        date=row.date,
        recorded=recorded(status),
        decided=[
            Period(
                texts.label(slot),
                texts.value(row.decision, Claim(*owner_of(row.element, slot), "")),
                historical=slot in row.historical,
                until=end.date if end else None,
                ended_by=by.get(end.dot) if end else None,
            )
            for slot in (*row.claims, *row.historical)
            for end in [over.get((row.dot, slot))]
        ],
        replaced=[replaced(row.element, gone, statuses, texts) for gone in row.displaced],
    )
