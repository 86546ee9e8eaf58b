"""A file as the service knows it: its path from the repository's root, with `/`.

A path is taken as git takes it: from the current folder. A file of another work tree of the same
repository counts from that work tree's root, so that both name one file. Without a repository paths
count from the current folder.
"""

from __future__ import annotations

import os
import re

from precedent_client import escape, worktree
from precedent_client.faults import Usage

_DRIVE = re.compile(r"[A-Za-z]:")


def from_root(written: str) -> str:
    """The path of a file, there or not, from its repository's root. Raises Usage if it has none."""
    # No file of a repository that is worked on from Windows has a backslash in its name.
    path = written.replace("\\", "/")
    if not path.strip("/ "):
        raise Usage("--path takes a file, for example search/api.py.")
    if _DRIVE.match(path) and os.name != "nt":
        raise Usage(
            f"{escape.line(written)} is a path of another machine. Name the file from here, or from "
            "the repository's root."
        )
    here = os.path.realpath(os.curdir)
    folder, name = os.path.split(os.path.normpath(os.path.join(here, path)))
    whole = os.path.join(os.path.realpath(folder), name)
    root = _root(os.path.dirname(whole), here)
    relative = os.path.relpath(whole, root).replace(os.sep, "/") if _is_in(whole, root) else ".."
    if relative in (".", ".."):
        where = "is the root of the repository" if relative == "." else f"lies outside {root}"
        raise Usage(
            f"{escape.line(written)} {escape.line(where)}. What is recalled by path are files of "
            "the repository you stand in."
        )
    return relative


def _root(folder: str, here: str) -> str:
    """What a file of this folder counts from: the root of its own work tree, if that is of our repository."""
    ours, own = worktree.find(here), worktree.find(folder)
    if ours is None:
        return here
    if own is None or os.path.realpath(own.common) != os.path.realpath(ours.common):
        return ours.root  # a repository within ours is a part of ours
    return own.root


def _is_in(path: str, root: str) -> bool:
    path, root = os.path.normcase(path), os.path.normcase(root)  # Windows knows no case
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
