"""A plan that came back, checked as strictly as if a stranger had written it."""

from __future__ import annotations

import json
import sys
from typing import Any

from precedent_client import adr_plan, canonical, escape
from precedent_client.adr_plan import Json
from precedent_client.faults import Usage
from precedent_client.seen import is_id

SIZE_LIMIT = 64 * 1024 * 1024
_TEXTS = {"title": adr_plan.TITLE, "rationale": adr_plan.RATIONALE}
_MEMBERS = {
    "title", "rationale", "outcome", "rejected", "mutations", "supersedes", "refs", "date",
}  # fmt: skip


def load(source: str) -> Json:
    """The plan in a file, or on stdin for `-`. Raises Usage naming the entry that is wrong."""
    try:
        if source == "-":
            raw = sys.stdin.buffer.read(SIZE_LIMIT + 1)
        else:
            with open(source, "rb") as file:
                raw = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise Usage(f"{escape.line(source)}: {error.strerror or error}") from None
    if len(raw) > SIZE_LIMIT:
        raise Usage("A plan is at most 64 MiB.")
    try:
        plan = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Usage(f"The plan is not JSON: {escape.line(error)}") from None
    if not isinstance(plan, dict) or plan.get("plan") != adr_plan.VERSION:
        raise Usage(
            f'That is not a plan of `precedent import adr DIR --plan` ("plan": "{adr_plan.VERSION}").'
        )
    return plan


def entries_of(plan: Json) -> list[Json]:
    """The plan's entries in an order in which they can be recorded, with their ids computed anew."""
    entries = plan.get("entries")
    if not isinstance(entries, list) or not entries:
        raise Usage("The plan holds no entries: there is nothing to record.")
    names: dict[str, str] = {}
    for place, entry in enumerate(entries):
        _check(entry, place)
        if entry["name"] in names.values():
            raise Usage(f"The plan has two entries named {escape.line(entry['name'])}.")
        names[f"#{place}"] = entry["name"]
    known = {entry["name"]: entry for entry in entries}
    stated = {entry["id"]: entry["name"] for entry in entries if is_id(entry.get("id"))}
    for entry in entries:
        _name_supersedes(entry, known, stated)
    ordered = _ordered(entries)
    adr_plan.number_entries(ordered)
    return ordered


def _check(entry: Any, place: int) -> None:
    """Raise Usage saying what is wrong with an entry."""
    wrong = _wrong_with(entry)
    if wrong:
        name = entry.get("name") if isinstance(entry, dict) else None
        label = f" ({escape.line(name)})" if isinstance(name, str) else ""
        raise Usage(f"Entry {place}{label} of the plan: {wrong}")


def _wrong_with(entry: Any) -> str:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        return "needs a name"
    decision = entry.get("decision")
    if not isinstance(decision, dict):
        return "needs a decision, an object"
    unknown = sorted(set(decision) - _MEMBERS)
    if unknown:
        return f"a decision has no member {escape.line(', '.join(unknown))}"
    try:
        canonical.dumps(decision)
    except (ValueError, TypeError) as error:
        return f"cannot be written as canonical JSON: {escape.line(error)}"
    return _wrong_text(decision) or _wrong_list(decision)


def _wrong_text(decision: Json) -> str:
    if not isinstance(decision.get("title"), str) or not decision["title"].strip():
        return "needs a title"
    for name, limit in _TEXTS.items():
        text = decision.get(name, "")
        if not isinstance(text, str):
            return f"{name} is a text"
        if len(text) > limit:
            return f"{name} has {len(text)} code points, at most {limit} are taken"
    if decision.get("outcome", "adopted") not in ("adopted", "rejected", "note"):
        return "outcome is adopted, rejected or note"
    return ""


def _wrong_list(decision: Json) -> str:
    for name in ("rejected", "mutations", "refs"):
        found = decision.get(name, [])
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            return f"{name} is a list of objects"
    supersedes = decision.get("supersedes", [])
    if not isinstance(supersedes, list) or not all(isinstance(item, str) for item in supersedes):
        return "supersedes is a list of names or ids"
    if not decision.get("mutations") and not supersedes:
        return "names no element (mutations), so nobody would ever be shown it"
    return ""


def _name_supersedes(entry: Json, known: dict[str, Json], stated: dict[str, str]) -> None:
    """Everything in `supersedes` that is in the plan becomes a name; ids from elsewhere stay."""
    decision = entry["decision"]
    if "supersedes" not in decision:
        return
    found = []
    for name in decision["supersedes"]:
        if name not in known and name not in stated and not is_id(name):
            raise Usage(
                f"{escape.line(entry['name'])} supersedes {escape.line(name)}, which is neither an "
                "entry of the plan nor a decision id. Name an entry, give its id, or take it out."
            )
        found.append(stated.get(name, name))
    decision["supersedes"] = list(dict.fromkeys(found))


def _ordered(entries: list[Json]) -> list[Json]:
    """The plan's own order, except that what is superseded comes first. Raises Usage on a circle."""
    names = {entry["name"] for entry in entries}
    done: dict[str, bool] = {}
    ordered: list[Json] = []
    waiting = list(entries)
    while waiting:
        later = []
        for entry in waiting:
            needs = [name for name in entry["decision"].get("supersedes", []) if name in names]
            if all(name in done for name in needs):
                done[entry["name"]] = True
                ordered.append(entry)
            else:
                later.append(entry)
        if len(later) == len(waiting):
            circle = ", ".join(escape.line(entry["name"]) for entry in later[:5])
            raise Usage(
                f"These entries supersede each other in a circle: {circle}. Take one link out."
            )
        waiting = later
    return ordered
