"""What every route that reads a project is given: its projection, and cursors of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from precedent.aws.wiring import cursor_key, projection_of
from precedent.complete import LOST, is_complete
from precedent.consume import Scope
from precedent.errors import Unavailable
from precedent.ports import Projection
from precedent.web.cursor import Cursors
from precedent.web.identity import InScope


@dataclass(frozen=True, slots=True)
class Reader:
    """A project to read, for one request; `is_lost` where its projection does not hold all of it."""

    request: Request
    scope: Scope
    is_lost: bool
    _projection: Projection | None

    @property
    def projection(self) -> Projection | None:
        """What to read; None where nothing was ever recorded. Raises Unavailable where it was lost."""
        if self.is_lost:
            raise Unavailable(LOST)
        return self._projection

    def cursors(self, route: str) -> Cursors:
        """The cursors of a route, and of what it was asked: one of another is refused."""
        return Cursors(cursor_key(), route, self.scope)


def reader(request: Request, scope: InScope) -> Reader:
    projection = projection_of(scope)
    is_lost = projection is not None and not is_complete(projection)
    return Reader(request, scope, is_lost, projection)


Reading = Annotated[Reader, Depends(reader)]
