"""The repository a folder belongs to, read from git's own files: asking git would take longer than a hook may."""

from __future__ import annotations

import os

from precedent_client import durable

_LIMIT = 256 * 1024


class Worktree:
    """A work tree: its root, and the folder git keeps for the whole repository."""

    __slots__ = ("common", "root")

    def __init__(self, root: str, common: str) -> None:
        self.root = root
        self.common = common

    def inside(self, path: str) -> str | None:
        """A path relative to the root, with `/`; None for one that lies elsewhere."""
        path = os.path.join(self.root, path)
        for root, found in (
            (self.root, path),
            (os.path.realpath(self.root), os.path.realpath(path)),
        ):
            try:
                relative = os.path.relpath(found, root)
            except ValueError:  # on another drive
                continue
            if relative != os.curdir and relative.split(os.sep)[0] != os.pardir:
                return relative.replace(os.sep, "/")
        return None

    def remote(self) -> str | None:
        """The URL of `origin`, as it is written in the repository's configuration."""
        raw = durable.read(os.path.join(self.common, "config"), _LIMIT)
        return _origin((raw or b"").decode("utf-8", "replace"))


def find(folder: str) -> Worktree | None:
    """The work tree around a folder; None outside of any, and in a bare repository."""
    path = os.path.abspath(folder)
    while True:
        found = os.path.join(path, ".git")
        if os.path.isdir(found):
            return Worktree(path, found)
        if os.path.isfile(found):
            return _linked(path, found)
        parent = os.path.dirname(path)
        if parent == path:
            return None
        path = parent


def _linked(root: str, file: str) -> Worktree | None:
    """A worktree beside the main one, or a submodule: a file says where git keeps its things."""
    line = (durable.read(file, 4096) or b"").decode("utf-8", "surrogateescape")
    if not line.startswith("gitdir:"):
        return None
    own = os.path.join(root, line[len("gitdir:") :].strip())
    shared = durable.read(os.path.join(own, "commondir"), 4096)
    if shared is None:
        return Worktree(root, os.path.normpath(own))
    common = os.path.join(own, shared.decode("utf-8", "surrogateescape").strip())
    return Worktree(root, os.path.normpath(common))


def _origin(config: str) -> str | None:
    section = ""
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            section = "".join(line.split()).lower()
        elif section == '[remote"origin"]':
            key, equals, value = line.partition("=")
            if equals and key.strip().lower() == "url":
                return value.strip().strip('"')
    return None
