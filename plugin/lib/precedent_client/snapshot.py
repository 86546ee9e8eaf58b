"""How a work tree stands: its commit, and each file that is not as that commit has it.

One `git status`, and the content of what it names, within bounds. Two snapshots say which code files
changed in between, whoever changed them and whether or not it was committed.
"""

from __future__ import annotations

import time

from precedent_client import code, durable, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECONDS = 1.0
"""For each question to git."""
FILES = 1000
"""Changed files whose content is looked at; beyond them only the names count."""
COMPARED = 25
"""Files of a former commit that are read; beyond them a change counts as one of code."""
PATIENCE = 3.0
"""Seconds for all of that; after them, too."""


class Snapshot:
    """A commit, and by path the hash and the shape of each file that differs from it."""

    __slots__ = ("at", "files", "head")

    def __init__(self, head: str, files: dict[str, list[str]], at: float) -> None:
        self.head = head
        self.files = files
        self.at = at

    def as_json(self) -> dict[str, Any]:
        return {"head": self.head, "files": self.files, "at": int(self.at)}

    @staticmethod
    def from_json(found: Any) -> Snapshot:
        """Raises ValueError, KeyError or TypeError for what is none."""
        return Snapshot(str(found["head"]), dict(found["files"]), float(found["at"]))


def take(root: str) -> Snapshot:
    """How the work tree stands now. Raises OSError where git does not say, or takes too long."""
    asked = ["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames"]
    printed = processes.git([*asked, "--ignore-submodules=all"], root, SECONDS)
    head = ""
    files: dict[str, list[str]] = {}
    for line in printed.decode("utf-8", "surrogateescape").split("\0"):
        kind = line[:1]
        if line.startswith("# branch.oid "):
            head = line[len("# branch.oid ") :]
        elif kind in ("1", "u", "?"):
            # Fields before the path: 8 of an ordinary change, 10 of an unmerged one.
            path = line.split(" ", {"1": 8, "u": 10, "?": 1}[kind])[-1]
            if code.is_code(path):
                files[path] = _state(root, path) if len(files) < FILES else ["?", "?"]
    return Snapshot(head if head != "(initial)" else "", files, time.time())


def changed(root: str, before: Snapshot, now: Snapshot) -> list[str]:
    """The code files that differ in more than formatting, each by its path."""
    paths = [path for path in {**before.files, **now.files} if _differ(before, now, path)]
    if before.head != now.head and _committed_since(root, before, now):
        paths += [path for path in _between(root, before, now) if path not in paths]
    deadline = time.monotonic() + PATIENCE
    return [
        path
        for place, path in enumerate(sorted(paths))
        if place >= COMPARED
        or time.monotonic() > deadline
        or _shape_in(root, before, path) != _shape_in(root, now, path)
    ]


def _state(root: str, path: str) -> list[str]:
    content = code.read(f"{root}/{path}")
    return (
        ["", ""] if content is None else [durable.fingerprint(content), code.shape(path, content)]
    )


def _differ(before: Snapshot, now: Snapshot, path: str) -> bool:
    return before.files.get(path) != now.files.get(path)


def _committed_since(root: str, before: Snapshot, now: Snapshot) -> bool:
    """Whether anything was committed in between: changing to a branch of others decides nothing."""
    if not now.head:
        return False
    span = f"{before.head}..{now.head}" if before.head else now.head
    asked = ["rev-list", "--max-count=1", f"--since={int(before.at)}", span]
    return bool(processes.git(asked, root, SECONDS).strip())


def _between(root: str, before: Snapshot, now: Snapshot) -> list[str]:
    # Against the empty tree where there was no commit yet.
    start = before.head or processes.git(["hash-object", "-t", "tree", "/dev/null"], root, SECONDS)
    base = start if isinstance(start, str) else start.decode().strip()
    printed = processes.git(
        ["diff", "--name-only", "-z", "--no-renames", base, now.head], root, SECONDS
    )
    names = printed.decode("utf-8", "surrogateescape").split("\0")
    return [name for name in names if name and code.is_code(name)]


def _shape_in(root: str, snapshot: Snapshot, path: str) -> str:
    """A file's shape as it stood; empty where there was none, or it is no code by its content."""
    state = snapshot.files.get(path)
    if state is not None:
        return str(state[1])
    if not snapshot.head:
        return ""
    try:
        content = processes.git(["cat-file", "blob", f"{snapshot.head}:{path}"], root, SECONDS)
    except OSError:
        return ""
    if len(content) > code.READ:
        content = content[: code.READ] + str(len(content)).encode()
    return code.shape(path, content)
