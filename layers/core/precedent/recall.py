"""Recall: what is in force on elements, with reasons, dead ends and conflicts; one decision.

One Query for an element's live rows, then one BatchGet of statuses and one of bodies for up to 100
decisions, however long the history.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import msgspec

from precedent.answers import (
    DecisionAnswer,
    ElementAnswer,
    Omitted,
    Recalled,
    Shown,
    SlotValue,
)
from precedent.element import ADDRESSES, NOTE, Name, other_end
from precedent.entry import Dot
from precedent.errors import NotFound
from precedent.live import Live, equivalents, read_live
from precedent.orset import Status, contests, differ
from precedent.past import Past
from precedent.paths import find
from precedent.ports import Projection
from precedent.reading import Texts, recorded
from precedent.rows import MENTION, LiveRow

PAGE = 100
"""Decisions on one page of recall."""

PAGE_BYTES = 4 * 1024 * 1024
"""Bytes of decisions and values on one page, encoded; a Lambda function's answer ends at 6 MB."""

_NEVER_CONTESTED = {NOTE, MENTION, *ADDRESSES}


class Cursor(NamedTuple):
    """Where the next page starts: which of the asked elements, and the last row shown of it.

    Which elements cover a path may change between two pages, so the element is named beside its place.
    """

    place: int
    element: str
    slot: str = ""
    dot: Dot = Dot("", 0)

    def admits(self, row: LiveRow) -> bool:
        return (row.slot, row.dot) > (self.slot, self.dot)


@dataclass(frozen=True, slots=True)
class Target:
    """An element to recall, why, and its name where the asker gave one."""

    element: str
    why: str
    name: Name | None = None
    address: str | None = None
    """The decision whose `paths` led here; its text names the element if no other does."""
    same: tuple[str, ...] = ()
    """All elements that are the same thing, itself among them, where there are others."""
    led: str | None = None
    """The element of which this is another name."""


@dataclass(frozen=True, slots=True)
class _Area:
    """One target and the part of its live rows that is on this page."""

    target: Target
    rows: list[Live]


def targets(
    projection: Projection | None, names: Sequence[Name], paths: Sequence[str]
) -> list[Target]:
    """The elements asked for by name, then those whose `paths` cover a file, nearest first."""
    found = {name.id: Target(name.id, "element", name) for name in names}
    for covered in find(projection, paths) if projection and paths else ():
        target = Target(covered.element, covered.why, address=covered.decision)
        found.setdefault(covered.element, target)
    return with_aliases(projection, list(found.values()))


def with_aliases(projection: Projection | None, asked: Sequence[Target]) -> list[Target]:
    """The elements asked for, each followed by those that are the same thing under other names."""
    named = {target.element: target for target in asked}
    found: dict[str, Target] = {}
    for target in asked:
        same = equivalents(projection, target.element) if projection else [target.element]
        for element in same:
            other = named.get(element) or Target(element, "", led=target.element)
            group = tuple(same) if len(same) > 1 else ()
            found.setdefault(element, replace(other, same=group))
    return list(found.values())


def recall(
    projection: Projection | None,
    project: str,
    asked: Sequence[Target],
    start: Cursor | None = None,
    as_of: str | None = None,
) -> tuple[Recalled, Cursor | None]:
    """What is in force on these elements, or was at a date, and where the next page starts.

    `projection` is None for a project nothing was ever recorded in. Raises PastTooLong.
    """
    read = _reader(projection, as_of)
    areas: list[_Area] = []
    seen: set[str] = set()
    first, position = _resumed(asked, start)
    more: Cursor | None = None
    for index, target in enumerate(asked[first:], first):
        after = position if position and index == first else Cursor(index, target.element)
        if len(seen) >= PAGE:
            more = after
            break
        window = _Window(after, PAGE - len(seen))
        rows = read(target.element, window=window) if read else []
        areas.append(_Area(target, rows))
        seen |= {live.row.decision for live in rows if live.row.slot not in ADDRESSES}
        if window.cut:
            more = window.cut
            break
    texts = Texts(projection) if projection else None
    left_out: frozenset[str] = frozenset()
    if texts:
        addresses = {area.target.address for area in areas if not area.target.name} - {None}
        texts.fetch(seen.union(filter(None, addresses)))
        cut, left_out = _cut_to_size(areas, texts, first)
        more = cut or more
    return replace(_answer(project, areas, texts, left_out), as_of=as_of), more


def unavailable(project: str, names: Sequence[Name]) -> Recalled:
    """The answer where the projection was lost: nothing follows from it."""
    areas = [_Area(Target(name.id, "element", name), []) for name in names]
    return replace(_answer(project, areas, None, frozenset()), state="unavailable")


def _reader(projection: Projection | None, as_of: str | None) -> Callable[..., list[Live]] | None:
    """What reads an element: as it is, or as it was."""
    if projection is None:
        return None
    return Past(projection, as_of).live if as_of else partial(read_live, projection)


def _resumed(asked: Sequence[Target], start: Cursor | None) -> tuple[int, Cursor | None]:
    """Where a page starts among the elements as they are now, and the cursor if its element is there."""
    if start is None:
        return 0, None
    for place, target in enumerate(asked):
        if target.element == start.element:
            return place, start._replace(place=place)
    return start.place, None


def recall_element(
    projection: Projection | None,
    project: str,
    element: str,
    start: Cursor | None,
    as_of: str | None = None,
) -> tuple[Recalled, Cursor | None]:
    """What is in force on one element by its id, or was. Raises NotFound for one nobody ever named."""
    asked = with_aliases(projection, [Target(element, "element")])
    found, more = recall(projection, project, asked, start, as_of)
    if found.state == "empty" and not (projection and any(projection.history(element))):
        raise NotFound(f"This project holds no element {element}. Check its kind and its name.")
    return found, more


@dataclass(slots=True)
class _Window:
    """The rows of one page: from a cursor on, up to a number of decisions, never half a slot."""

    after: Cursor
    room: int
    cut: Cursor | None = None

    def __call__(self, rows: Iterable[LiveRow]) -> list[LiveRow]:
        self.cut = None
        kept: list[LiveRow] = []
        decisions: set[str] = set()
        for row in filter(self.after.admits, rows):
            # An address is told from its status: it takes no room on the page.
            address = row.slot in ADDRESSES
            full = len(decisions) >= self.room and row.decision not in decisions and not address
            if full and (row.slot in _NEVER_CONTESTED or kept[-1].slot != row.slot):
                self.cut = self.after._replace(slot=kept[-1].slot, dot=kept[-1].dot)
                break
            kept.append(row)
            if not address:
                decisions.add(row.decision)
        return kept


def _cut_to_size(
    areas: list[_Area], texts: Texts, first: int
) -> tuple[Cursor | None, frozenset[str]]:
    """Drop the rows whose texts no longer fit on the page, never half a slot.

    Returns where the next page starts. Where a single slot is more than a page, it stays whole, and the decisions
    are returned whose texts are left out.
    """
    spent = 0
    told: set[str] = set()
    left_out: set[str] = set()
    for number, area in enumerate(areas):
        begins = 0
        for place, live in enumerate(area.rows):
            slot, decision = live.row.slot, live.row.decision
            if place and (slot in _NEVER_CONTESTED or slot != area.rows[place - 1].row.slot):
                begins = place
            spent += _bytes(live, texts, whole=decision not in told)
            if spent > PAGE_BYTES and (number or begins):
                here = Cursor(first + number, area.target.element)
                if begins == 0:
                    del areas[number:]
                    return here, frozenset(left_out)
                last = area.rows[begins - 1].row
                del areas[number + 1 :], area.rows[begins:]
                return here._replace(slot=last.slot, dot=last.dot), frozenset(left_out)
            if spent > PAGE_BYTES and place and decision not in told:
                left_out.add(decision)
            told.add(decision)
    return None, frozenset(left_out)


def _bytes(live: Live, texts: Texts, *, whole: bool) -> int:
    """What a row adds to a page: its value, and the decision behind it where the page has not told that."""
    told: list[Any] = [texts.label(live.row.slot)]
    if live.row.slot not in _NEVER_CONTESTED:
        told.append(
            _link(live, texts) if live.row.slot[:2] in ("l:", "r:") else _value(live, texts)
        )
    if whole:
        told.append(_decision(texts, live.row.decision, [live.status]))
    return len(msgspec.json.encode(told))


def _answer(
    project: str, areas: Sequence[_Area], texts: Texts | None, left_out: frozenset[str]
) -> Recalled:
    contested = _contested(areas)
    elements = [_element(area, texts, contested) for area in areas]
    entries: dict[str, dict[Dot, Status]] = {}
    for area in areas:
        for live in area.rows:
            if live.row.slot not in ADDRESSES:
                mine = entries.setdefault(live.row.decision, {})
                mine[live.row.dot] = live.status.joined(mine.get(live.row.dot, live.status))
    decisions = {
        decision: _decision(texts, decision, list(statuses.values()))
        for decision, statuses in entries.items()
        if texts and decision not in left_out
    }
    found = any(area.rows for area in areas)
    return Recalled(
        project=project,
        state="ok" if found else "empty",
        elements=elements,
        decisions=decisions,
        shown=sorted(decision for decision in decisions if texts and decision in texts.bodies),
        omitted=Omitted(len(left_out), sorted(left_out)),
        cursor=None,
    )


def _contested(areas: Iterable[_Area]) -> set[tuple[str, str]]:
    """The slots on which elements that are the same thing contradict each other, on each of them."""
    heads: dict[tuple[frozenset[str], str], list[Live]] = {}
    for area in areas:
        for live in area.rows:
            # A link is contested at the end that owns it.
            if area.target.same and contests(live.row.slot) and live.row.slot == live.row.owner[1]:
                heads.setdefault((frozenset(area.target.same), live.row.slot), []).append(live)
    return {
        (live.row.element, slot)
        for (_, slot), found in heads.items()
        if differ(live.claim for live in found)
        for live in found
    }


def _element(
    area: _Area, texts: Texts | None, contested: Collection[tuple[str, str]]
) -> ElementAnswer:
    target = area.target
    name = (texts.names.get(target.element) if texts else None) or target.name
    rows = [live for live in area.rows if live.row.slot not in ADDRESSES]
    newest = sorted(rows, key=lambda live: (live.status.date, live.row.decision), reverse=True)
    by_outcome: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for live in newest:
        by_outcome[live.status.outcome == "rejected"][live.row.decision] = None
    slots: dict[str, list[SlotValue]] = {}
    links: list[dict[str, Any]] = []
    heads: dict[str, list[Live]] = {}
    for live in area.rows:
        if texts is None or live.row.slot in (NOTE, MENTION):
            continue
        heads.setdefault(live.row.slot, []).append(live)
        if live.row.slot.startswith(("l:", "r:")):
            links.append(_link(live, texts))
        else:
            # A property, or a slot of a kind this reader does not know, under its own name.
            shown = slots.setdefault(texts.label(live.row.slot), [])
            value = SlotValue(_value(live, texts), live.row.decision)
            if value not in shown:
                shown.append(value)
    return ElementAnswer(
        id=target.element,
        kind=name.kind if name else "",
        name=name.name if name else "",
        why=f"the same as {texts.name(target.led)}" if target.led and texts else target.why,
        slots=slots,
        links=links,
        in_force=list(by_outcome[False]),
        dead_ends=list(by_outcome[True]),
        conflicts=[
            texts.label(slot)
            for slot, found in heads.items()
            if texts
            and ((target.element, slot) in contested or differ(live.claim for live in found))
        ],
        same_as=[other for other in target.same if other != target.element],
    )


def _value(live: Live, texts: Texts) -> Any:
    """A slot's value; globs are in the status, so that an address needs no text."""
    if live.row.slot in ADDRESSES:
        return [glob for element, glob in live.status.globs if element == live.row.element]
    return texts.value(live.row.decision, live.claim)


def _link(live: Live, texts: Texts) -> dict[str, Any]:
    owner, slot = live.row.owner
    body = texts.bodies.get(live.row.decision)
    return {
        "from": texts.name(owner),
        "kind": body.link_kind(owner, slot) if body else slot[2:].rsplit(":", 1)[0],
        "to": texts.name(other_end(slot) or ""),
        "slot": texts.label(live.row.slot),
        "value": texts.value(live.row.decision, live.claim) is True,
        "decision": live.row.decision,
    }


def _decision(texts: Texts, decision: str, entries: Sequence[Status]) -> DecisionAnswer:
    body = texts.bodies.get(decision)
    content = body.content if body else {}
    return DecisionAnswer(
        title=content.get("title", ""),
        rationale=content.get("rationale", ""),
        outcome=content.get("outcome", "adopted"),
        rejected=content.get("rejected", []),
        refs=content.get("refs", []),
        date=content.get("date"),
        holds=texts.holds(entries),
        recorded=[recorded(status) for status in entries],
        trust="writer",
        sets=texts.sets(decision, entries),
    )


def show(projection: Projection | None, decision: str) -> Shown:
    """One decision in full, in force or not. Raises NotFound."""
    statuses = projection.statuses(projection.dots(decision)) if projection else {}
    if projection is None or not statuses:
        raise NotFound(f"This project holds no decision {decision}. Check the id and the project.")
    entries = [statuses[dot] for dot in sorted(statuses)]
    displacers = projection.statuses({lost.by for status in entries for lost in status.lost})
    texts = Texts(projection)
    texts.fetch([decision])
    body = texts.bodies.get(decision)
    return Shown(
        id=decision,
        decision=body.content if body else {},
        in_force=any(status.holding for status in entries),
        holds=texts.holds(entries),
        recorded=[recorded(status) for status in entries],
        displaced_by=sorted({status.decision for status in displacers.values()}),
    )
