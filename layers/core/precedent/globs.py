"""Globs, as git reads the patterns of an ignore file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import re2
from pathspec import GitIgnoreSpec

from precedent.errors import Invalid, TooLarge

WILDCARD_LIMIT = 20
"""Wildcards in one glob. Every recall by path under its folder matches it, so it has to be cheap."""

_WILD = "*?["
_NOTHING = "matches nothing; write a git-style glob"


def check_globs(globs: Sequence[str], field: str) -> None:
    """Refuse what git would not read as a pattern, or would read as nothing at all."""
    for index, glob in enumerate(globs):
        wildcards = sum(map(glob.count, _WILD))
        if wildcards > WILDCARD_LIMIT:
            raise TooLarge(f"{field}/{index}", WILDCARD_LIMIT, wildcards, "wildcards")
        if glob.startswith("#") or {"", ".", ".."} & set(_steps(glob)):
            raise Invalid(f"{field}/{index}", _NOTHING)
    try:
        patterns = _compiled(tuple(globs)).patterns
    except ValueError:
        raise _refusal(globs, field) from None
    # Each glob is a pattern of its own: comments and blank lines were refused above.
    for index, pattern in enumerate(patterns):
        if pattern.include is None:
            raise Invalid(f"{field}/{index}", _NOTHING)


def _refusal(globs: Sequence[str], field: str) -> Invalid:
    """Which glob can't be compiled; the list itself if each can, and not all together."""
    for index, glob in enumerate(globs):
        try:
            _compiled((glob,))
        except ValueError:
            return Invalid(f"{field}/{index}", "is no git-style glob, or none this service reads")
    return Invalid(field, "is more than can be matched at once; write fewer or simpler globs")


def is_anchored(glob: str) -> bool:
    """Whether a glob's matches lie under a folder that it names."""
    return glob.startswith("!") or bool(literal_folder(glob))


def literal_folder(glob: str) -> str:
    """The folder all matches of a git-style glob lie under; empty where it is not anchored.

    A pattern without a slash before its end matches at any depth, so it has no folder.
    """
    steps = _stripped(glob).split("/")
    if not any(steps[:-1]) or (len(steps) == 2 and not steps[1]):
        return ""
    literal: list[str] = []
    for step in steps[1 if not steps[0] else 0 : -1]:
        if any(char in step for char in _WILD + "\\"):
            break
        literal.append(step)
    return "/".join(literal)


def covering(globs: Iterable[str], path: str) -> str | None:
    """The glob of a list that decides a path is covered; None where none does or a `!` takes it out.

    What an append would refuse covers nothing: an odd line in the log must not keep anybody from reading.
    """
    kept = tuple(globs)
    try:
        found = _compiled(kept).check_file(path)
    except ValueError:
        return None
    return kept[found.index] if found.include and found.index is not None else None


def _stripped(glob: str) -> str:
    """A glob as git takes it: trailing white space is no part of it unless escaped."""
    return glob if glob.endswith("\\ ") else glob.rstrip()


def _steps(glob: str) -> list[str]:
    """The names between the slashes, without the slash either end may have."""
    return _stripped(glob).removeprefix("!").removeprefix("/").removesuffix("/").split("/")


@lru_cache(maxsize=1024)
def _compiled(globs: tuple[str, ...]) -> GitIgnoreSpec:
    """The globs as one matcher. Raises ValueError if they can't be."""
    try:
        # RE2 matches in linear time: a glob is somebody else's text.
        return GitIgnoreSpec.from_lines(globs, backend="re2")
    except (re.error, re2.error) as error:
        raise ValueError(str(error)) from None
