"""Cursors as clients carry them: opaque, and worth nothing outside the project they were made for."""

from __future__ import annotations

import base64
import binascii
import json

from precedent.consume import Scope
from precedent.entry import Dot
from precedent.errors import Invalid
from precedent.recall import Cursor


def dump(cursor: Cursor | None, scope: Scope) -> str | None:
    if cursor is None:
        return None
    place = [scope.tenant, scope.project, cursor.element, cursor.slot, list(cursor.dot)]
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def load(text: str | None, scope: Scope) -> Cursor | None:
    """A cursor this service gave out for this project. Raises Invalid for anything else."""
    if not text:
        return None
    try:
        match json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))):
            case [scope.tenant, scope.project, int(element), str(slot), [str(writer), int(seq)]]:
                if element >= 0:
                    return Cursor(element, slot, Dot(writer, seq))
    except (binascii.Error, ValueError, RecursionError):
        pass
    raise Invalid(
        "/cursor", "is not one this service gave out for this project; start over without"
    )
