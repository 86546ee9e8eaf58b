"""An exported log: fetched whole from the service, written, and read back.

JSON Lines. First `{"format": "precedent-log/1", "project", "tenant"}`; then for each line of the log, by its dot,
`{"first", "line", "seq", "writer"}` with the line as it is stored, byte for byte; last `{"digest", "entries",
"unreadable"}`, so that a file that was cut off is none. The same store makes the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from precedent_client import canonical, escape, log_state
from precedent_client.faults import Unreachable, Usage
from precedent_client.log_state import Dot, State
from precedent_client.render import objects
from precedent_client.service import Service

Json = dict[str, Any]
FORMAT = "precedent-log/1"
PAGES = 1_000_000
"""A service that gives more pages gives the same one again."""


@dataclass
class Exported:
    """A log: whose, its lines by dot as (name of the object, text), and what of it could not be read."""

    tenant: str
    project: str
    lines: dict[Dot, tuple[int, str]]
    unreadable: list[Json]

    def state(self) -> State:
        """What the lines come to."""
        return log_state.fold(json.loads(text) for _, text in self.lines.values())

    def text(self, digest: str) -> bytes:
        """The file."""
        head = {"format": FORMAT, "project": self.project, "tenant": self.tenant}
        end = {"digest": digest, "entries": len(self.lines), "unreadable": self.unreadable}
        parts = [canonical.dumps(head)]
        for dot in sorted(self.lines):
            first, line = self.lines[dot]
            parts.append(
                f'{{"first":{first},"line":{line},"seq":{dot.seq},"writer":"{dot.writer}"}}'.encode()
            )
        return b"\n".join([*parts, canonical.dumps(end), b""])


def fetch(service: Service, progress: Callable[[int], None]) -> Exported:
    """The whole log, with everything that its entries name: somebody may record while it is read."""
    found = Exported("", service.config.project, {}, [])
    since = ""
    known = -1
    while known != len(found.lines):
        known = len(found.lines)
        since = _pass(service, found, since, progress)
        try:
            missing = found.state().missing()
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise _strange(error) from None
        if not missing:
            break
    found.unreadable.sort(key=lambda one: (str(one.get("writer")), str(one.get("seq")).zfill(12)))
    return found


def _pass(service: Service, found: Exported, since: str, progress: Callable[[int], None]) -> str:
    """Read on until there is no more; returns the point that was reached."""
    for _ in range(PAGES):
        page = service.get_of_project("/log", [("since", since)] if since else []).body
        try:
            found.tenant = str(page["tenant"])
            for one in objects(page, "lines"):
                dot = Dot(str(one["writer"]), int(one["seq"]))
                found.lines[dot] = int(one["first"]), str(one["line"])
        except (KeyError, TypeError, ValueError) as error:
            raise _strange(error) from None
        found.unreadable += objects(page, "unreadable")
        progress(len(found.lines))
        before, since = since, str(page.get("since") or "")
        if page.get("more") is not True:
            return since
        if since == before:
            break
    raise Unreachable("The service gives no end of its log.", "unexpected-answer")


def _strange(error: Exception) -> Unreachable:
    return Unreachable(
        f"The service gave a log this client does not understand ({type(error).__name__}). Nothing was "
        "written. Is the client as new as the service?",
        "unexpected-answer",
    )


def read(raw: bytes, name: str) -> tuple[Json, State]:
    """An exported log's first line and what it comes to. Raises Usage for one that is not whole, or was changed."""
    lines = raw.split(b"\n")
    if lines.pop() != b"" or len(lines) < 2:
        raise _no_log(name, "it was cut off, or is something else")
    try:
        head, *middle, end = [json.loads(line) for line in lines]
        if head["format"] != FORMAT:
            raise _no_log(name, f"its first line does not say {FORMAT}")
        state = log_state.fold(one["line"] for one in middle)
        told = (end["digest"], end["entries"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise _no_log(name, f"{type(error).__name__} where a line of it should be") from None
    if told != (state.digest, len(middle)):
        raise _no_log(name, "it does not hold what its last line says: it was changed, or cut off")
    return head, state


def _no_log(name: str, why: str) -> Usage:
    return Usage(
        f"{escape.line(name)} is no log that `precedent export` wrote: {escape.line(why)}. "
        "Nothing was recorded."
    )
