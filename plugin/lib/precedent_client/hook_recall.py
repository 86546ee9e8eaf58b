"""Before an edit: the decisions in force for the files it touches, their text and their dead ends.

Told once to each reader for each version of what holds there, again when that changes. What was told counts as
read: its full text was put before the agent.
"""

from __future__ import annotations

from precedent_client import fast_json, remote_text, settings, worktree
from precedent_client.hook_input import SHELL_TOOLS, Event
from precedent_client.reader import Reader

BUDGET = 5500
"""Characters of the service's text; with a line of ours it stays under 6,000."""
PATIENCE = 1.5
"""Seconds for the one request."""
FILES = 40
"""More files than that in one patch are named, not asked about: a URL holds only so many."""


def before(event: Event) -> str:
    """What to say before a tool is used; nothing most of the time."""
    if event.tool in SHELL_TOOLS:
        if "precedent" in event.command:
            Reader(event.session, event.agent).calls()
        return ""
    paths = _paths(event)
    found = settings.find(event.folder) if paths else None
    if found is None or not found.complete:
        return ""
    reader = Reader(event.session, event.agent)
    try:
        told = remote_text.of_files(found, paths[:FILES], BUDGET, PATIENCE)
    except OSError as trouble:
        return _unknown(event, reader, trouble)
    version = _version(told.text, paths)
    if not told.text or reader.was_told(version):
        return ""

    def remember() -> None:
        from precedent_client.seen import Seen

        Seen(found, reader.key).add(told.shown)
        reader.tell(version)

    event.afterwards.append(remember)
    return context(event, told.text + _age(told) + _not_asked(paths))


def after(event: Event) -> str:
    """A command of ours has ended. (An edit is seen by the turn's end, in the files themselves.)"""
    if event.tool in SHELL_TOOLS:
        Reader(event.session, event.agent).has_called()
    return ""


def context(event: Event, text: str) -> str:
    """Text for the agent, as its client takes it."""
    told = {"hookEventName": event.name, "additionalContext": text}
    return fast_json.dumps({"hookSpecificOutput": told})


def _paths(event: Event) -> list[str]:
    """The files from the repository's root; those outside of it are nobody's decision."""
    files = event.files()
    tree = worktree.find(event.folder) if files else None
    if tree is None:
        return []
    inside = [tree.inside(path) for path in files]
    return [path for path in dict.fromkeys(inside) if path]


def _version(text: str, paths: list[str]) -> str:
    """The text without its random tag and the files' own names: equal where the same is told."""
    _, mark, rest = text.partition("<recalled-")
    tag = rest.partition(">")[0] if mark else ""
    for name in [tag, *paths]:
        text = text.replace(name, "") if name else text
    return text


def _age(told: remote_text.Told) -> str:
    if not told.trouble:
        return ""
    return (
        f"\n(This is this machine's copy, {_ago(told.age)} old: {told.trouble}. "
        "Newer decisions may exist.)\n"
    )


def _ago(seconds: float) -> str:
    for size, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {name}"
    return f"{int(seconds)} s"


def _not_asked(paths: list[str]) -> str:
    if len(paths) <= FILES:
        return ""
    return f"\n({len(paths) - FILES} more files of this edit were not asked about.)\n"


def _unknown(event: Event, reader: Reader, trouble: OSError) -> str:
    """Not knowing is not the same as there being nothing: said once a session, and again for another reason."""
    reason = (
        str(trouble) if isinstance(trouble, PermissionError) else "the service cannot be reached"
    )
    if reader.was_told("unknown", reason):
        return ""
    event.afterwards.append(lambda: reader.tell("unknown", reason))
    return context(
        event,
        f"Precedent could not say which decisions are in force for this file: {reason}. "
        "That is not the same as there being none. Records are kept on this machine and sent later; "
        "`precedent doctor` says what is wrong.",
    )
