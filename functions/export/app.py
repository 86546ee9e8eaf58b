"""Export: a project's log, as it is stored, page by page."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from precedent.answers import LogPage
from precedent.aws.wiring import cursor_key, log_of
from precedent.export import Position, read_page
from precedent.web.api import PROJECT, api, serve
from precedent.web.asked import AskedChanges
from precedent.web.cursor import Cursors
from precedent.web.documented import READ
from precedent.web.identity import InScope

app = api("export")


@app.get(PROJECT + "/log", responses=READ)
def log(scope: InScope, asked: Annotated[AskedChanges, Query()]) -> LogPage:
    """What lies in the log after the point a former answer gave, from the log itself."""
    cursors = Cursors(cursor_key(), "log", scope)
    start = cursors.load(asked.since, Position) or Position()
    page, end, more = read_page(scope, log_of(scope), start)
    since = cursors.dump(end) or ""
    return LogPage(scope.tenant, scope.project, page.lines, page.unreadable, since, more)


handler = serve(app)
