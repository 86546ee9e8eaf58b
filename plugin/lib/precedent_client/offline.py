"""Recall without the service: from what `precedent pull` put onto this machine, by element, path and word."""

from __future__ import annotations

import fnmatch
import gzip
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from precedent_client import canonical, durable
from precedent_client.render import items, members, objects

Json = dict[str, Any]
_LIMIT = 256 * 1024 * 1024


def place(url: str, project: str, name: str) -> str:
    """Where a project's copy lies."""
    return durable.state("cache", durable.named(url, project), name)


def brief(url: str, project: str) -> Json:
    """What a session's start is told of the copy; nothing where there is none."""
    try:
        found = json.loads(durable.read(place(url, project, "brief")) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def snapshot(url: str, project: str) -> tuple[Json, str] | None:
    """All that was in force, and when that was; None where there is no copy that can be read."""
    raw = durable.read(place(url, project, "snapshot.gz"), _LIMIT)
    if raw is None:
        return None
    try:
        copy = json.loads(gzip.decompress(raw))
        return dict(copy["recalled"]), str(copy["at"])
    except (ValueError, OSError, EOFError, KeyError, TypeError):
        return None


def recalled(
    url: str, project: str, elements: Sequence[str], paths: Sequence[str], words: Sequence[str] = ()
) -> Json | None:
    """An answer like the service's, with `copy_of` saying since when; None where there is no copy."""
    copy = snapshot(url, project)
    if copy is None:
        return None
    whole, at = copy
    asked = {canonical.element_id(*name.split(":", 1)) for name in elements}
    found = []
    for element in objects(whole, "elements"):
        why = _why(element, whole, asked, paths, words)
        if why:
            found.append({**element, "why": why})
    ids = dict.fromkeys(str(one) for one in _decisions_of(found))
    decisions = {one: whole["decisions"][one] for one in ids if one in members(whole, "decisions")}
    return {
        "project": project,
        "state": "ok" if found else "empty",
        "elements": found,
        "decisions": decisions,
        "shown": [one for one in items(whole, "shown") if one in decisions],
        "omitted": {"count": 0, "ids": []},
        "cursor": None,
        "copy_of": at,
    }


def _why(
    element: Json, whole: Json, asked: set[str], paths: Sequence[str], words: Sequence[str]
) -> str:
    if element.get("id") in asked:
        return "element"
    globs = _globs(element)
    for path in paths:
        glob = covering(globs, path)
        if glob is not None:
            return f"path {glob} covers {path}"
    text = _text(element, whole).casefold() if words else ""
    return next((f"word {word}" for word in words if word.casefold() in text), "")


def _globs(element: Json) -> list[str]:
    heads = members(element, "slots").get("paths")
    values = (
        [head.get("value") for head in heads if isinstance(head, dict)]
        if isinstance(heads, list)
        else []
    )
    return [
        glob
        for value in values
        if isinstance(value, list)
        for glob in value
        if isinstance(glob, str)
    ]


def _text(element: Json, whole: Json) -> str:
    decisions = [members(whole, "decisions").get(one) for one in _decisions_of([element])]
    named = {"kind": element.get("kind"), "name": element.get("name")}
    return json.dumps([named, members(element, "slots"), decisions], ensure_ascii=False)


def _decisions_of(elements: Iterable[Json]) -> list[Any]:
    return [
        one
        for element in elements
        for name in ("in_force", "dead_ends")
        for one in items(element, name)
    ]


def covering(globs: Sequence[str], path: str) -> str | None:
    """The glob that covers a path, as git reads the patterns of an ignore file: the last that matches decides."""
    found = None
    for glob in globs:
        excludes = glob.startswith("!")
        if _covers(glob[1:] if excludes else glob, path.split("/")):
            found = None if excludes else glob
    return found


def _covers(glob: str, names: Sequence[str]) -> bool:
    """Whether a pattern names a file or a folder above it. Step by step, so that no pattern takes long."""
    glob = re.sub(r"\\(.)", r"[\1]", glob.rstrip())
    steps = glob.strip("/").split("/")
    if "/" not in glob.rstrip("/"):
        steps = ["**", *steps]  # at any depth
    inside = glob.endswith("/") or steps[-1] == "**"
    if steps[-1] == "**":
        steps = steps[:-1]
    reached = {0}
    for step in steps:
        if step == "**":
            reached = set(range(min(reached, default=len(names) + 1), len(names) + 1))
        else:
            reached = {
                place + 1
                for place in reached
                if place < len(names) and fnmatch.fnmatchcase(names[place], step)
            }
    return any(place < len(names) or not inside for place in reached)
