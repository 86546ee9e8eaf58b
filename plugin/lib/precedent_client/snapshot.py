"""How a work tree stands: its commit, and each file that is not as that commit has it.

One `git status`, and the content of what it names, within bounds: of a file that the snapshot before knows, and
that was not written since, nothing is read. Two snapshots say which code files changed in between, whoever changed
them and whether or not it was committed.
"""

from __future__ import annotations

import os
import time

from precedent_client import code, durable, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECONDS = 1.0
"""For each question to git."""
READING = 1.0
"""For reading changed files; of those beyond it only size and time of writing are known, and a write is a change."""
FILES = 1000
"""Changed files whose content is looked at; beyond them it is as beyond the time."""
COMPARED = 25
"""Files of a former commit that are read; beyond them a change counts as one of code."""
PATIENCE = 3.0
"""Seconds for all of that; after them, too."""
COARSE = 2.0
"""Seconds that a file system's clock may be behind."""
_NO_FILE = ["", "", ""]
_NO_CODE = "-"
"""In place of the hash of a link, a pipe and the like."""


class Snapshot:
    """A commit, and by path each file that differs from it: when it was written, its hash and its shape.

    All three are empty where there is no file, the last two where nobody looked into it.
    """

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
        files = dict(found["files"])
        if not all(len(state) == len(_NO_FILE) for state in files.values()):
            raise ValueError("of another version")
        return Snapshot(str(found["head"]), files, float(found["at"]))


def take(root: str, before: Snapshot | None = None) -> Snapshot:
    """How the work tree stands now. Raises OSError where git does not say, or takes too long."""
    asked = ["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames"]
    printed = processes.git([*asked, "--ignore-submodules=all"], root, SECONDS)
    head = ""
    files: dict[str, list[str]] = {}
    deadline = time.monotonic() + READING
    for line in printed.decode("utf-8", "surrogateescape").split("\0"):
        kind = line[:1]
        if line.startswith("# branch.oid "):
            head = line[len("# branch.oid ") :]
        elif kind in ("1", "u", "?"):
            # Fields before the path: 8 of an ordinary change, 10 of an unmerged one.
            path = line.split(" ", {"1": 8, "u": 10, "?": 1}[kind])[-1]
            if code.is_code(path):
                looked_at = len(files) < FILES and time.monotonic() < deadline
                files[path] = _state(root, path, before, looked_at)
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
        or _is_unread(before, path)
        or _is_unread(now, path)
    ]


def _state(root: str, path: str, before: Snapshot | None, looked_at: bool) -> list[str]:
    try:
        found = os.lstat(f"{root}/{path}")
    except OSError:
        return _NO_FILE
    written = f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"
    if before is not None:
        known = before.files.get(path, _NO_FILE)
        # Not if it was written about when it was looked at: a clock may be too coarse to tell which was first.
        is_old = max(found.st_mtime, found.st_ctime) < before.at - COARSE
        if is_old and known[0] == written and known[1]:
            return known
    if not looked_at:
        return [written, "", ""]
    content = code.read(f"{root}/{path}")
    if content is None:
        return [written, _NO_CODE, ""]
    return [written, durable.fingerprint(content), code.shape(path, content)]


def _differ(before: Snapshot, now: Snapshot, path: str) -> bool:
    first, second = before.files.get(path), now.files.get(path)
    if first is None or second is None:
        return first is not second
    if first[1] and second[1]:
        return first[1] != second[1]
    return first[0] != second[0]


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


def _is_unread(snapshot: Snapshot, path: str) -> bool:
    """Whether there was a file that nobody looked into."""
    state = snapshot.files.get(path)
    return state is not None and state[0] != "" and state[1] == ""


def _shape_in(root: str, snapshot: Snapshot, path: str) -> str:
    """A file's shape as it stood; empty where there was none, or it is no code by its content."""
    state = snapshot.files.get(path)
    if state is not None:
        return str(state[2])
    if not snapshot.head:
        return ""
    try:
        content = processes.git(["cat-file", "blob", f"{snapshot.head}:{path}"], root, SECONDS)
    except OSError:
        return ""
    if len(content) > code.READ:
        content = content[: code.READ] + str(len(content)).encode()
    return code.shape(path, content)
