"""The routes about elements beyond what is in force on one: the directory, histories, stories."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Response

from precedent import browse
from precedent.answers import Elements, History, Timeline
from precedent.element import parse_name
from precedent.naming import Resolved, resolve_name
from precedent.rows import DirectoryRow, HistoryRow
from precedent.timeline import timeline
from precedent.web.answering import tagged
from precedent.web.api import PROJECT
from precedent.web.asked import AskedElements, AskedName, ElementId, Page
from precedent.web.documented import CACHED, NAMED, READ
from precedent.web.reading import Reading

router = APIRouter()


@router.get(PROJECT + "/elements", response_model=Elements, responses=CACHED)
def elements(reading: Reading, asked: Annotated[AskedElements, Query()]) -> Response:
    """The elements ever named, of one kind or all."""
    cursors = reading.cursors(f"elements {asked.kind}")
    start = cursors.load(asked.cursor, DirectoryRow)
    answer, more = browse.elements(reading.projection, asked.kind, start)
    return tagged(reading, replace(answer, cursor=cursors.dump(more)))


@router.get(PROJECT + "/elements/{element}/history", responses=READ)
def history(reading: Reading, element: ElementId, asked: Annotated[Page, Query()]) -> History:
    """What happened on an element, newest first by effective date."""
    cursors = reading.cursors(f"history {element}")
    start = cursors.load(asked.cursor, HistoryRow)
    answer, more = browse.history(reading.projection, element, start)
    return replace(answer, cursor=cursors.dump(more))


@router.get(PROJECT + "/elements/{element}/timeline", name="timeline", responses=READ)
def story(reading: Reading, element: ElementId, asked: Annotated[Page, Query()]) -> Timeline:
    """An element's story, oldest first: what each decision settled, for how long, and what it replaced."""
    cursors = reading.cursors(f"timeline {element}")
    answer, more = timeline(reading.projection, element, cursors.load(asked.cursor, HistoryRow))
    return replace(answer, cursor=cursors.dump(more))


@router.get(PROJECT + "/resolve", response_model=Resolved, responses=NAMED)
def resolve(reading: Reading, asked: Annotated[AskedName, Query()]) -> Response:
    """What a name stands for: the element it names, and what is the same thing under another name."""
    return tagged(reading, resolve_name(reading.projection, parse_name(asked.name, "/name")))
