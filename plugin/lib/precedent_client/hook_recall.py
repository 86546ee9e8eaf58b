"""Before an edit: the decisions in force for the files it touches, their text and their dead ends.

Told once to each reader for each version of what holds there, again when that changes. What was told counts as
read: its full text was put before the agent.
"""

from __future__ import annotations

import os

from precedent_client import fast_json, worktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from precedent_client.hook_input import Event
    from precedent_client.remote_text import Told
    from precedent_client.settings import Settings
    from precedent_client.worktree import Worktree

BUDGET = 5500
"""Characters of the service's text; with a line of ours it stays under 6,000."""
PATIENCE = 1.5
"""Seconds for the one request."""
LIMIT = 6000
"""Characters of everything that is told, whatever the service has sent."""
FILES = 40
"""More files than that in one patch are named, not asked about: a URL holds only so many."""


def before(event: Event) -> str:
    """What to say before an edit; nothing most of the time."""
    tree, paths = _place(event)
    if tree is None or not paths:
        return ""
    from precedent_client import settings

    found = settings.find(tree.root)
    if not found.complete:
        return ""
    from precedent_client import remote_text

    try:
        told = remote_text.of_files(found, paths[:FILES], BUDGET, PATIENCE)
    except OSError as trouble:
        return _from_copy(event, found, paths, trouble) or _unknown(event, trouble)
    if not told.text:
        return ""
    notes = _age(told) + _not_asked(paths)
    return _once(event, found, _version(told.text, paths), told.text + notes, told.shown)


def _once(event: Event, found: Settings, version: str, text: str, shown: list[str]) -> str:
    """A text for a reader that has not been told this version yet; the ids it shows then count as read."""
    from precedent_client.reader import Reader

    reader = Reader(event.session, event.agent)
    if reader.was_told(version):
        return ""
    if len(text) > LIMIT:
        names = ", ".join(sorted(shown))[: LIMIT // 2]
        text = (
            f"In force here, too long to tell: {names}. `precedent recall --path FILE` prints them."
        )
        shown = []

    def remember() -> None:
        from precedent_client.seen import Seen

        Seen(found, reader.key).add(shown)
        reader.tell(version)

    event.afterwards.append(remember)
    return context(event, text)


def context(event: Event, text: str) -> str:
    """Text for the agent, as its client takes it."""
    told = {"hookEventName": event.name, "additionalContext": text}
    return fast_json.dumps({"hookSpecificOutput": told})


def _place(event: Event) -> tuple[Worktree | None, list[str]]:
    """The work tree an edit happens in, and its files from the root; those outside of it are nobody's decision.

    A file of another work tree of the same repository counts from that one's root.
    """
    files = event.files()
    tree = worktree.find(event.folder) if files else None
    if tree is None and files:  # an agent started above its repositories
        tree = worktree.find(os.path.dirname(files[0]))
    if tree is None:
        return None, []
    inside = [_from_root(tree, path) for path in files]
    return tree, [path for path in dict.fromkeys(inside) if path]


def _from_root(tree: Worktree, path: str) -> str | None:
    own = worktree.find(os.path.dirname(path))
    is_ours = own is not None and (
        own.root == tree.root or os.path.realpath(own.common) == os.path.realpath(tree.common)
    )
    return (own if own is not None and is_ours else tree).inside(path)


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
    version = f"{copy['copy_of']}\n{' '.join(sorted(copy['decisions']))}"
    note = f"\n(Of {copy['copy_of']}: {trouble}. Newer decisions may exist.)"
    return _once(event, found, version, "\n".join(lines) + note, copy["shown"])


def _unknown(event: Event, trouble: OSError) -> str:
    """Not knowing is not the same as there being nothing: said once a session, and again for another reason."""
    reason = (
        str(trouble) if isinstance(trouble, PermissionError) else "the service cannot be reached"
    )
    from precedent_client.reader import Reader

    reader = Reader(event.session, event.agent)
    if reader.was_told("unknown", reason):
        return ""
    event.afterwards.append(lambda: reader.tell("unknown", reason))
    return context(
        event,
        f"Precedent could not say which decisions are in force for this file: {reason}. "
        "That is not the same as there being none. Records are kept on this machine and sent later; "
        "`precedent doctor` says what is wrong.",
    )
