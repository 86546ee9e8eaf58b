"""What every route that reads a project is given: its projection, and cursors of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from precedent.aws.wiring import cursor_key, projection_of
from precedent.consume import Scope
from precedent.ports import Projection
from precedent.web.cursor import Cursors
from precedent.web.identity import InScope


@dataclass(frozen=True, slots=True)
class Reader:
    """A project to read, for one request. `projection` is None where nothing was ever recorded."""

    request: Request
    scope: Scope
    projection: Projection | None

    def cursors(self, route: str) -> Cursors:
        """The cursors of a route, and of what it was asked: one of another is refused."""
        return Cursors(cursor_key(), route, self.scope)


def reader(request: Request, scope: InScope) -> Reader:
    return Reader(request, scope, projection_of(scope))


Reading = Annotated[Reader, Depends(reader)]
