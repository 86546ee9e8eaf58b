"""Browsing: the directory, histories and timelines, conflicts, changes, who is asking."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query
from precedent import browse
from precedent.answers import Changes, Conflicts
from precedent.changes import Since, Until, changes
from precedent.rows import ConflictRow
from precedent.web import about, elements
from precedent.web.api import PROJECT, api, serve
from precedent.web.asked import AskedChanges, Page, day
from precedent.web.documented import READ
from precedent.web.reading import Reading

app = api("browse", about.router, elements.router)


@app.get(PROJECT + "/conflicts", responses=READ)
def conflicts(reading: Reading, asked: Annotated[Page, Query()]) -> Conflicts:
    """The slots on which decisions stand against each other."""
    cursors = reading.cursors("conflicts")
    answer, more = browse.conflicts(reading.projection, cursors.load(asked.cursor, ConflictRow))
    return replace(answer, cursor=cursors.dump(more))


@app.get(PROJECT + "/changes", responses=READ)
def changed(reading: Reading, asked: Annotated[AskedChanges, Query()]) -> Changes:
    """What arrived between two points that former answers gave, or between two dates."""
    cursors = reading.cursors("changes")
    since, until = Since(day=day(asked.since, "/since")), Until(day=day(asked.until, "/until"))
    if asked.since and not since.day:
        since = cursors.load(asked.since, Since) or since
    if asked.until and not until.day:
        until = Until(cursors.load(asked.until, Since))
    found, now, more = changes(reading.projection, since, until)
    return Changes(found, cursors.dump(now) or "", more)


handler = serve(app)
