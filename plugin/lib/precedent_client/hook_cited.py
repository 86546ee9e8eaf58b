"""Which of the decisions it was handed a turn cited in what it said last: told in the background, never waited for."""

from __future__ import annotations

from precedent_client import background, seen, settings
from precedent_client.reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from precedent_client.hook_input import Event

MOST = 100
"""Ids told of one turn."""


def report(event: Event) -> None:
    """Say that they were used, each once a session. Raises OSError where that cannot be remembered."""
    said = event.text("last_assistant_message")
    cited = _ids(said) if "d_" in said else []
    if not cited:
        return
    found, reader = settings.find(event.folder), Reader(event.session)
    handed = set(seen.Seen(found, reader.key).ids())
    fresh = [one for one in cited if one in handed and not reader.was_told("cited", one)][:MOST]
    if not fresh:
        return
    for one in fresh:
        reader.tell("cited", one)
    background.start(["used", "--session", event.session, *fresh])


def _ids(text: str) -> list[str]:
    """The ids that stand in a text, each once."""
    found = [f"d_{part[:24]}" for part in text.split("d_")[1:]]
    return [one for one in dict.fromkeys(found) if seen.is_id(one)]
