"""`.precedent.json`: configuration that arrives with a clone, and so is somebody else's word.

It may name the project and hold capture rules, nothing else. It has no effect until a person has run
`precedent trust` on this machine; what is trusted are its values, by their hash, so that any change asks
again. Hooks import this module: it loads neither `re` nor `json`.
"""

from __future__ import annotations

import os

from precedent_client import durable, fast_json, settings

FILE = ".precedent.json"
LIMIT = 8000
"""Bytes; more is not read."""
TRUSTED, DISMISSED, NEW = "trusted", "dismissed", "new"


class Offered:
    """What a repository says of itself, and what is wrong with it if anything is."""

    __slots__ = ("problem", "project", "rules")

    def __init__(self, project: str = "", rules: str = "", problem: str = "") -> None:
        self.project = project
        self.rules = rules
        self.problem = problem

    @property
    def fingerprint(self) -> str:
        """The hash of the values: white space and the order of the members change nothing."""
        return durable.fingerprint(fast_json.dumps([self.project, self.rules]).encode())


def offered(root: str) -> Offered | None:
    """What the file at a repository's root says; None where there is none."""
    path = os.path.join(root, FILE)
    read = durable.regular(path, LIMIT + 1)
    if read is None:
        return Offered(problem="it cannot be read") if os.path.lexists(path) else None
    raw, _ = read
    if len(raw) > LIMIT:
        return Offered(problem=f"it is larger than {LIMIT} bytes")
    try:
        found = fast_json.loads(raw)
    except ValueError:
        return Offered(problem="it is not JSON")
    if not isinstance(found, dict):
        return Offered(problem="it is not an object")
    if set(found) - {"project", "rules"}:
        # Not which: what nobody has trusted does not reach the model, in no form.
        return Offered(problem="it may hold `project` and `rules` only, and holds something else")
    return _checked(found.get("project", ""), found.get("rules", []))


def trusted(root: str) -> Offered:
    """What of it a person has trusted: nothing, unless it is exactly what it was then."""
    found = offered(root)
    if found is None or found.problem or standing(root, found) != TRUSTED:
        return Offered()
    return found


def standing(root: str, found: Offered) -> str:
    """What a person has said of it: `trusted`, `dismissed`, or `new` where nobody has said anything."""
    raw = durable.read(_path(root))
    said, _, fingerprint = (raw or b"").decode("ascii", "replace").strip().partition(" ")
    return said if said in (TRUSTED, DISMISSED) and fingerprint == found.fingerprint else NEW


def say(root: str, found: Offered, said: str) -> None:
    """Trust or dismiss it, on this machine. Raises OSError."""
    durable.write(_path(root), f"{said} {found.fingerprint}\n".encode())


def revoke(root: str) -> bool:
    """Forget what was said; False where nothing was."""
    known = os.path.exists(_path(root))
    durable.remove(_path(root))
    return known


def _path(root: str) -> str:
    # Kept with what a person has set, never in the repository; bound to this clone of it.
    return durable.settings("trust", durable.named(os.path.realpath(root)))


def _checked(project: object, rules: object) -> Offered:
    if not isinstance(project, str) or not (project == "" or settings.is_project(project)):
        return Offered(problem="`project` is 1 to 64 of a-z 0-9 . _ -, a letter or digit first")
    lines = [rules] if isinstance(rules, str) else rules
    if not isinstance(lines, list) or not all(isinstance(one, str) for one in lines):
        return Offered(problem="`rules` is a text or a list of texts")
    return Offered(project, "\n".join(str(one) for one in lines))
