"""Globs, as git reads the patterns of an ignore file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from pathspec import GitIgnoreSpec

from precedent.errors import Invalid


def check_globs(globs: Sequence[str], field: str) -> None:
    """Refuse what git would not read as a pattern, or would read as nothing at all."""
    for index, glob in enumerate(globs):
        if not glob.strip() or glob.startswith("#"):
            raise Invalid(f"{field}/{index}", "matches nothing; write a git-style glob")
        try:
            _spec((glob,))
        except ValueError:
            raise Invalid(f"{field}/{index}", "is not a git-style glob") from None


def is_anchored(glob: str) -> bool:
    """Whether a glob's matches lie under a folder that it names."""
    return glob.startswith("!") or bool(literal_folder(glob))


def literal_folder(glob: str) -> str:
    """The folder all matches of a git-style glob lie under; empty where it is not anchored.

    A pattern without a slash before its end matches at any depth, so it has no folder.
    """
    steps = glob.strip("/").split("/")
    if len(steps) == 1 and not glob.startswith("/"):
        return ""
    literal: list[str] = []
    for step in steps[:-1]:
        if any(char in step for char in "*?[\\"):
            break
        literal.append(step)
    return "/".join(literal)


def covering(globs: Iterable[str], path: str) -> str | None:
    """The glob of a list that decides a path is covered; None where none does or a `!` takes it out."""
    kept = tuple(globs)
    found = _spec(kept).check_file(path)
    return kept[found.index] if found.include and found.index is not None else None


@lru_cache(maxsize=1024)
def _spec(globs: tuple[str, ...]) -> GitIgnoreSpec:
    # RE2 matches in linear time: a glob is somebody else's text.
    return GitIgnoreSpec.from_lines(globs, backend="re2")
