"""Before an edit: the decisions in force for the files it touches, their text and their dead ends.

Told once to each reader for each version of what holds there, again when that changes. What was told counts as
read: its full text was put before the agent.
"""

from __future__ import annotations

from precedent_client import fast_json, worktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from precedent_client.hook_input import Event
    from precedent_client.reader import Reader
    from precedent_client.remote_text import Told
    from precedent_client.settings import Settings

BUDGET = 5500
"""Characters of the service's text; with a line of ours it stays under 6,000."""
PATIENCE = 1.5
"""Seconds for the one request."""
FILES = 40
"""More files than that in one patch are named, not asked about: a URL holds only so many."""


def before(event: Event) -> str:
    """What to say before an edit; nothing most of the time."""
    paths = _paths(event)
    if not paths:
        return ""
    from precedent_client import settings

    found = settings.find(event.folder)
    if not found.complete:
        return ""
    from precedent_client import remote_text

    try:
        told = remote_text.of_files(found, paths[:FILES], BUDGET, PATIENCE)
    except OSError as trouble:
        return _from_copy(event, found, paths, trouble) or _unknown(event, trouble)
    if not told.text:
        return ""
    reader, version = _reader(event), _version(told.text, paths)
    if reader.was_told(version):
        return ""

    def remember() -> None:
        from precedent_client.seen import Seen

        Seen(found, reader.key).add(told.shown)
        reader.tell(version)

    event.afterwards.append(remember)
    return context(event, told.text + _age(told) + _not_asked(paths))


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


def _age(told: Told) -> str:
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


def _from_copy(event: Event, found: Settings, paths: list[str], trouble: OSError) -> str:
    """What `precedent pull` put onto this machine about these files; loads what takes time, which is there now."""
    from precedent_client import offline, recall
    from precedent_client.terminal import Terminal

    copy = offline.recalled(found.url, found.project, [], paths)
    if not copy or not copy["elements"]:
        return ""
    source = f"this machine's copy of project {found.project}"
    lines = recall.text(copy, paths, source, Terminal(json_wanted=True))
    text = "\n".join(lines)
    reader, version = _reader(event), f"{copy['copy_of']}\n{' '.join(sorted(copy['decisions']))}"
    if len(text) > BUDGET:
        titles = ", ".join(sorted(copy["decisions"]))
        text = f"In force here, too long to tell: {titles[:BUDGET]}. `precedent recall --path` prints them."
        copy["shown"] = []
    if reader.was_told(version):
        return ""

    def remember() -> None:
        from precedent_client.seen import Seen

        Seen(found, reader.key).add(copy["shown"])
        reader.tell(version)

    event.afterwards.append(remember)
    note = f"\n(Of {copy['copy_of']}: {trouble}. Newer decisions may exist.)"
    return context(event, text + note)


def _reader(event: Event) -> Reader:
    from precedent_client.reader import Reader

    return Reader(event.session, event.agent)


def _unknown(event: Event, trouble: OSError) -> str:
    """Not knowing is not the same as there being nothing: said once a session, and again for another reason."""
    reason = (
        str(trouble) if isinstance(trouble, PermissionError) else "the service cannot be reached"
    )
    reader = _reader(event)
    if reader.was_told("unknown", reason):
        return ""
    event.afterwards.append(lambda: reader.tell("unknown", reason))
    return context(
        event,
        f"Precedent could not say which decisions are in force for this file: {reason}. "
        "That is not the same as there being none. Records are kept on this machine and sent later; "
        "`precedent doctor` says what is wrong.",
    )
