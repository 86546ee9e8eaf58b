"""Browsing: the directory, histories, conflicts, changes, who is asking."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query, Response
from precedent import browse
from precedent.answers import Changes, Conflicts, Elements, History
from precedent.changes import Since, changes
from precedent.rows import ConflictRow, DirectoryRow, HistoryRow
from precedent.web import about
from precedent.web.answering import tagged
from precedent.web.api import PROJECT, api, serve
from precedent.web.asked import AskedChanges, AskedElements, ElementId, Page
from precedent.web.documented import CACHED, READ
from precedent.web.reading import Reading

app = api("browse")
app.include_router(about.router)


@app.get(PROJECT + "/elements", response_model=Elements, responses=CACHED)
def elements(reading: Reading, asked: Annotated[AskedElements, Query()]) -> Response:
    """The elements ever named, of one kind or all."""
    cursors = reading.cursors(f"elements {asked.kind}")
    start = cursors.load(asked.cursor, DirectoryRow)
    answer, more = browse.elements(reading.projection, asked.kind, start)
    return tagged(reading, replace(answer, cursor=cursors.dump(more)))


@app.get(PROJECT + "/elements/{element}/history", responses=READ)
def history(reading: Reading, element: ElementId, asked: Annotated[Page, Query()]) -> History:
    """What happened on an element, newest first by effective date."""
    cursors = reading.cursors(f"history {element}")
    start = cursors.load(asked.cursor, HistoryRow)
    answer, more = browse.history(reading.projection, element, start)
    return replace(answer, cursor=cursors.dump(more))


@app.get(PROJECT + "/conflicts", responses=READ)
def conflicts(reading: Reading, asked: Annotated[Page, Query()]) -> Conflicts:
    """The slots on which decisions stand against each other."""
    cursors = reading.cursors("conflicts")
    answer, more = browse.conflicts(reading.projection, cursors.load(asked.cursor, ConflictRow))
    return replace(answer, cursor=cursors.dump(more))


@app.get(PROJECT + "/changes", responses=READ)
def changed(reading: Reading, asked: Annotated[AskedChanges, Query()]) -> Changes:
    """What arrived since the point a former answer gave."""
    cursors = reading.cursors("changes")
    since = cursors.load(asked.since, Since) or Since()
    found, now, more = changes(reading.projection, since)
    return Changes(found, cursors.dump(now) or "", more)


handler = serve(app)
