"""Finding the elements whose `paths` cover a file.

A glob is indexed under its literal folder; a file looks up its ancestor folders only, so finding what covers
it costs as many queries as the path is deep, whatever the store holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from precedent.decision import Decision
from precedent.element import PATHS, check_text
from precedent.entry import Dot
from precedent.errors import Invalid, TooLarge, TooManyUnanchored
from precedent.globs import covering, is_anchored, literal_folder
from precedent.orset import Status
from precedent.ports import Projection
from precedent.rows import PathRow

PATH_LIMIT = 1000
"""Code points of a path."""

DEPTH_LIMIT = 40
"""Folders above a file that are looked up."""

ROOT_LIMIT = 200
"""Elements a project may give a glob without an anchor; every recall by path reads them all."""

ROOT_ROWS = 2 * ROOT_LIMIT
"""Live `paths` they may have among them: an element can have several, by authors who had not read each other."""

_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Covered:
    """An element whose `paths` cover a file. `depth` is how deep the folder of its glob lies."""

    element: str
    path: str
    glob: str
    depth: int
    decision: str

    @property
    def why(self) -> str:
        return f"path {self.glob} covers {self.path}"


def checked_path(text: str, field: str) -> str:
    """A path relative to the repository's root; a folder's ends in a slash. Raises Invalid or TooLarge."""
    check_text(text, field)
    if len(text) > PATH_LIMIT:
        raise TooLarge(field, PATH_LIMIT, len(text), "code points")
    if text.startswith(("/", "~")) or _DRIVE.match(text):
        raise Invalid(field, "is absolute; name the file from the repository's root")
    if "\\" in text:
        raise Invalid(field, "holds a backslash; folders are separated by `/`")
    steps = [step for step in text.split("/") if step not in ("", ".")]
    if not steps:
        raise Invalid(field, "names no file")
    if ".." in steps:
        raise Invalid(field, "leads outside with `..`; name the file from the repository's root")
    if len(steps) > DEPTH_LIMIT:
        raise TooLarge(field, DEPTH_LIMIT, len(steps), "folders")
    return "/".join(steps) + ("/" if text.endswith("/") else "")


def folders_above(path: str) -> list[str]:
    """The ancestor folders of a path, the root (empty) first; a folder is its own last one."""
    steps = path.split("/")[:-1]
    return ["/".join(steps[:depth]) for depth in range(len(steps) + 1)]


def find(projection: Projection, paths: Sequence[str]) -> list[Covered]:
    """The elements whose live globs cover any of these paths: nearest first, then by id.

    An element is named once, for its nearest glob. All live `paths` of an element count.
    """
    folders = dict.fromkeys(folder for path in paths for folder in folders_above(path))
    rows = {folder: projection.paths(folder) for folder in folders}
    statuses = projection.statuses({row.dot for found in rows.values() for row in found})
    nearest: dict[str, Covered] = {}
    for path in paths:
        for folder in folders_above(path):
            for row in rows[folder]:
                if covered := _covered(row, statuses, path):
                    there = nearest.get(row.element)
                    if there is None or covered.depth > there.depth:
                        nearest[row.element] = covered
    return sorted(nearest.values(), key=lambda found: (-found.depth, found.element))


def _covered(row: PathRow, statuses: dict[Dot, Status], path: str) -> Covered | None:
    status = statuses.get(row.dot)
    if status is None or not any(
        (claim.element, claim.slot) == (row.element, PATHS) for claim in status.live
    ):
        return None
    glob = covering((glob for element, glob in status.globs if element == row.element), path)
    if glob is None:
        return None
    folder = literal_folder(glob)
    depth = folder.count("/") + 1 if folder else 0
    return Covered(row.element, path, glob, depth, status.decision)


def check_room(projection: Projection, decisions: Iterable[Decision]) -> None:
    """Refuse globs without an anchor beyond what every recall by path can read along.

    Raises TooManyUnanchored.
    """
    wanted = {
        setting.element
        for decision in decisions
        for setting in decision.claimed
        if setting.slot == PATHS
        if not all(map(is_anchored, decision.value(setting) or ()))  # type: ignore[arg-type]
    }
    if wanted:
        rows = projection.paths("")
        elements = {row.element for row in rows}
        if wanted - elements and len(elements | wanted) > ROOT_LIMIT:
            raise TooManyUnanchored(ROOT_LIMIT, len(elements | wanted))
        if len(rows) + len(wanted) > ROOT_ROWS:
            raise TooManyUnanchored(ROOT_ROWS, len(rows) + len(wanted))
