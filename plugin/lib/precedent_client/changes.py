"""`precedent changes`: what arrived since the last time.

Without a flag it goes on from where the last plain `precedent changes` of this project ended, which is kept
under `$XDG_STATE_HOME/precedent/changes/<hash of url and project>`. `--since`, `--until` and `--all` say
themselves where to begin and to end, and leave what is kept alone.
"""

from __future__ import annotations

from typing import Any

from precedent_client import durable, escape, reading, render
from precedent_client.config import Config
from precedent_client.faults import Refused, Unreachable
from precedent_client.render import items, members, objects
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced

Json = dict[str, Any]


def changes(
    service: Service, since: str | None, until: str | None, everything: bool, terminal: Terminal
) -> int:
    """Print what arrived; remember how far that was if nobody said where to begin or to end."""
    remembering = since is None and until is None and not everything
    point = Point(service.config)
    start = point.read() if remembering else since
    try:
        found, end = fetch(service, start, until)
    except Refused as fault:
        if not (remembering and start) or fault.name != "invalid":
            raise
        terminal.warn("The service does not know the point kept from last time; all is shown.")
        start = None
        found, end = fetch(service, None, until)
    lines = [line for change in found for line in _told(change)]
    if lines:
        lines = fenced(lines, f"project {service.config.project}")
    lines.append(_summary(len(found), remembering, start or until))
    terminal.answer({"changes": found, "since": end}, lines)
    if remembering:
        point.write(end, terminal)  # only now: what was not printed has not been told
    return 0


def fetch(service: Service, since: str | None, until: str | None = None) -> tuple[list[Json], str]:
    """Everything between two points, and the point it ends at."""
    found: list[Json] = []
    while True:
        asked = [(name, at) for name, at in (("since", since), ("until", until)) if at]
        answer = service.get_of_project("/changes", asked).body
        found += objects(answer, "changes")
        end = str(answer.get("since") or "")
        if answer.get("more") is not True:
            return found, end
        if end == since or not end:
            raise Unreachable("The service does not get on with its changes.", "unexpected-answer")
        since = end


def _told(change: Json) -> list[str]:
    recorded = members(change, "recorded")
    at, writer = (escape.line(recorded.get(name, "?")) for name in ("at", "writer"))
    lines = [f"{at}  {writer}  {reading.headline(change)}"]
    slots = ", ".join(escape.line(slot) for slot in items(change, "claims"))
    if slots:
        since = "" if change.get("in_force") else "  (not in force any more)"
        lines.append(f"    decided {slots}{since}")
    return lines


def _summary(count: int, remembering: bool, start: str | None) -> str:
    what = render.count(count, "change") if count else "Nothing"
    if not remembering:
        return f"{what} in that time." if start else f"{what} in all."
    if start:
        return f"{what} since you asked last; next time, what comes after."
    return f"{what} so far; next time, what comes after."


class Point:
    """How far a person has followed a project. Without the disk it says so and goes on."""

    def __init__(self, config: Config) -> None:
        self._path = durable.state("changes", durable.named(config.url, config.project))

    def read(self) -> str | None:
        """The point kept last time, if any."""
        kept = durable.read(self._path)
        return kept.decode("ascii", "replace").strip() or None if kept else None

    def write(self, point: str, terminal: Terminal) -> None:
        """Keep a point for next time."""
        try:
            durable.write(self._path, f"{point}\n".encode("ascii", "replace"))
        except OSError as error:
            terminal.warn(
                f"How far you have read cannot be kept ({error.strerror or error}); next time these "
                "are shown again. Set XDG_STATE_HOME to a writable folder."
            )
