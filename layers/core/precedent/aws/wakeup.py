"""What an S3 "Object Created" event says: which writer's log moved. Nothing else is taken from it.

EventBridge passes keys as they are; only S3's own notifications encode them.
"""

from __future__ import annotations

import re
from typing import Any

from precedent.consume import Scope

_NAME = r"[a-z0-9][a-z0-9._-]{0,63}"
_KEY = re.compile(rf"t/({_NAME})/({_NAME})/log/({_NAME})/[0-9]{{12}}\.jsonl")


def woken(event: Any) -> tuple[Scope, str] | None:
    """The project and writer an event names; None if it is about anything but a log object."""
    match event:
        case {"detail": {"object": {"key": str(key)}}}:
            if found := _KEY.fullmatch(key):
                tenant, project, writer = found.groups()
                return Scope(tenant, project), writer
    return None
