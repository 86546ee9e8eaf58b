"""Reading beyond recall: the directory, an element's history, the conflicts. All paged, all flat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from precedent.answers import Conflicts, Elements, Event, History, Named, Replaced
from precedent.element import normalise, other_end, owner_of
from precedent.entry import Claim, Dot
from precedent.errors import NotFound
from precedent.live import read_live
from precedent.orset import Status, differ
from precedent.ports import Projection
from precedent.project import Conflict
from precedent.reading import Texts, recorded
from precedent.rows import ConflictRow, DirectoryRow, HistoryRow

PAGE = 50
"""Events or conflicts on one page."""

ELEMENTS_PAGE = 200
"""Elements on one page of the directory."""

HINTS_A_PAGE = 200
"""Conflict hints one page looks at: most are stale where conflicts come and go."""


def elements(
    projection: Projection | None, kind: str | None, start: DirectoryRow | None
) -> tuple[Elements, DirectoryRow | None]:
    """The elements ever named, of one kind or all, and the row the next page follows."""
    wanted = None if kind is None else normalise(kind)
    rows = projection.directory(wanted, start) if projection else iter(())
    page = list(islice(rows, ELEMENTS_PAGE + 1))
    named = [Named(row.element, row.name.kind, row.name.name) for row in page[:ELEMENTS_PAGE]]
    return Elements(named, None), page[ELEMENTS_PAGE - 1] if len(page) > ELEMENTS_PAGE else None


def history(
    projection: Projection | None, element: str, start: HistoryRow | None
) -> tuple[History, HistoryRow | None]:
    """What happened on an element, newest first. Raises NotFound for one nobody ever named."""
    rows = projection.history(element, start, newest_first=True) if projection else iter(())
    page = list(islice(rows, PAGE + 1))
    projection = refuse_if_unknown(projection, element, known=bool(page or start))
    shown = page[:PAGE]
    lost = {dot for row in shown for _, dot, _ in row.displaced}
    statuses = projection.statuses({row.dot for row in shown} | lost)
    by = {gone.by for row in shown if (s := statuses.get(row.dot)) for gone in s.lost}
    statuses |= projection.statuses(by - statuses.keys())
    texts = Texts(projection)
    # What was displaced may not have arrived yet.
    told = lost & statuses.keys()
    texts.fetch({row.decision for row in shown} | {statuses[dot].decision for dot in told})
    events = [_event(row, statuses, texts) for row in shown]
    more = place(shown[-1]) if len(page) > PAGE else None
    return History(named(texts, element), events, None), more


def refuse_if_unknown(projection: Projection | None, element: str, *, known: bool) -> Projection:
    """The projection, where an element has a history in it. Raises NotFound."""
    if projection is None or not known:
        raise NotFound(f"This project holds no element {element}. Check its kind and its name.")
    return projection


def named(texts: Texts, element: str) -> Named:
    """An element by the name the texts at hand give it."""
    name = texts.names.get(element)
    return Named(element, name.kind if name else "", name.name if name else "")


def place(row: HistoryRow) -> HistoryRow:
    """A row as a place to go on from: its key, without what it says."""
    return replace(row, decision="", claims=(), historical=(), displaced=())


def _event(row: HistoryRow, statuses: dict[Dot, Status], texts: Texts) -> Event:
    status = statuses.get(row.dot, Status(row.dot))
    here = {(claim.element, claim.slot) for claim in status.claims if _is_at(row.element, claim)}
    holds = any(claim[:2] in here for claim in status.holding)
    displacers = {gone.by for gone in status.lost if (gone.element, gone.slot) in here}
    return Event(
        id=row.decision,
        title=texts.title(row.decision),
        outcome=status.outcome,
        date=row.date,
        recorded=recorded(status),
        claims=[texts.label(slot) for slot in row.claims],
        historical=[texts.label(slot) for slot in row.historical],
        displaced=[replaced(row.element, gone, statuses, texts) for gone in row.displaced],
        in_force=holds or (row.element in status.mentions and bool(status.holding)),
        displaced_by=sorted({statuses[dot].decision for dot in displacers if dot in statuses}),
    )


def _is_at(element: str, claim: Claim) -> bool:
    """Whether a claim is shown on an element: it is the owner, or the other end of the link."""
    return element in (claim.element, other_end(claim.slot))


def replaced(
    element: str, gone: tuple[str, Dot, str], statuses: Mapping[Dot, Status], texts: Texts
) -> Replaced:
    """What one entry took from another on an element, with the value that was there."""
    slot, dot, why = gone
    decision = statuses[dot].decision if dot in statuses else ""
    value = texts.value(decision, Claim(*owner_of(element, slot), ""))
    return Replaced(texts.label(slot), decision, texts.title(decision), why, value)


def conflicts(
    projection: Projection | None, start: ConflictRow | None
) -> tuple[Conflicts, ConflictRow | None]:
    """The slots on which heads differ, and the hint the next page follows."""
    if projection is None:
        return Conflicts([], None), None
    rows = list(islice(projection.conflicts(start), HINTS_A_PAGE + 1))
    # A slot has a hint for each entry that met another; the page before has told it already.
    known = {(start.element, start.slot)} if start else set()
    found: dict[tuple[str, str], Conflict] = {}
    last: ConflictRow | None = None
    for row in rows[:HINTS_A_PAGE]:
        if len(found) == PAGE:
            break
        last = row
        if (row.element, row.slot) in known:
            continue
        known.add((row.element, row.slot))
        live = read_live(projection, row.element, row.slot)
        if differ(head.claim for head in live):
            heads = tuple((head.status, head.claim) for head in live)
            found[row.element, row.slot] = Conflict(row.element, row.slot, heads)
    texts = Texts(projection)
    texts.fetch(status.decision for one in found.values() for status, _ in one.heads)
    told = [texts.conflict(conflict) for conflict in found.values()]
    return Conflicts(told, None), last if rows and last != rows[-1] else None
