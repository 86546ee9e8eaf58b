"""Decisions as text. Everything here came from elsewhere and is escaped on its way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from precedent_client import escape
from precedent_client.terminal import indented

Json = dict[str, Any]


def members(found: Any, name: str) -> Json:
    """A member that should be an object, `{}` where it is not: answers may come from a newer service."""
    got = found.get(name) if isinstance(found, Mapping) else None
    return got if isinstance(got, dict) else {}


def items(found: Any, name: str) -> list[Any]:
    """A member that should be a list, `[]` where it is not."""
    got = found.get(name) if isinstance(found, Mapping) else None
    return got if isinstance(got, list) else []


def objects(found: Any, name: str) -> list[Json]:
    return [item for item in items(found, name) if isinstance(item, dict)]


def count(number: int, one: str) -> str:
    """`1 element`, `2 elements`."""
    return f"{number} {one}" + ("" if number == 1 else "s")


def heading(identity: str, decision: Mapping[str, Any]) -> str:
    outcome = decision.get("outcome", "adopted")
    mark = {"rejected": "  (a dead end)", "note": "  (a note)"}.get(str(outcome), "")
    return f"{escape.line(identity)}  {escape.line(decision.get('title', '(no title)'))}{mark}"


def provenance(recorded: Iterable[Any]) -> list[str]:
    """Who recorded it, when and from where; one line for each time."""
    lines = []
    for entry in recorded:
        if not isinstance(entry, dict):
            continue
        dot = members(entry, "dot")
        writer = entry.get("writer") or dot.get("writer")
        words = [f"by {escape.line(writer)}" if writer else "by somebody"]
        if entry.get("at"):
            words.append(f"at {escape.line(entry['at'])}")
        place = [
            f"{name} {escape.line(entry[name])}"
            for name in ("repository", "branch", "commit")
            if entry.get(name)
        ]
        lines.append(
            "    recorded " + " ".join(words) + (f" ({', '.join(place)})" if place else "")
        )
    return lines


def body(decision: Mapping[str, Any]) -> list[str]:
    """Reason and rejected alternatives, in full."""
    lines: list[str] = []
    if decision.get("rationale"):
        lines += ["    why:", *indented(decision["rationale"], "      ")]
    for alternative in objects(decision, "rejected"):
        lines.append(f"    rejected: {escape.line(alternative.get('option', '?'))}")
        if alternative.get("reason"):
            lines += indented(alternative["reason"], "      ")
    return lines


def mutation(found: Mapping[str, Any]) -> str:
    """One mutation as a line."""
    operation = found.get("op")
    if operation == "set_prop":
        where = f"{escape.line(found.get('element'))}.{escape.line(found.get('key'))}"
        return f"{where} = {escape.value(found.get('value'))}"
    if operation in ("add_link", "retire_link"):
        start, kind, end = (escape.line(found.get(name)) for name in ("from", "link", "to"))
        return f"{start} —{kind}→ {end}" + ("" if operation == "add_link" else " (retired)")
    if operation == "alias":
        return f"{escape.line(found.get('element'))} is {escape.line(found.get('to'))}"
    if operation == "upsert_element":
        name = f"{escape.line(found.get('kind'))}:{escape.line(found.get('name'))}"
        props = [
            f"{escape.line(key)} = {escape.value(value)}"
            for key, value in members(found, "props").items()
        ]
        return name + (f" with {', '.join(props)}" if props else "")
    return escape.value(dict(found))


def setting(found: Mapping[str, Any]) -> str:
    """What a decision sets a slot to, as a line."""
    slot = escape.line(found.get("slot"))
    if found.get("link"):
        return slot + ("" if found.get("value") else " (retired)")
    return f"{slot} = {escape.value(found.get('value'))}"


def whole(identity: str, shown: Mapping[str, Any]) -> list[str]:
    """The answer of `show`: a decision with everything known about it."""
    decision = members(shown, "decision") or dict(shown)
    lines = [heading(identity, decision)]
    displaced_by = [escape.line(found) for found in items(shown, "displaced_by")]
    if shown.get("in_force") is True:
        lines.append("    in force")
    elif shown.get("in_force") is False:
        lines.append(
            "    NOT in force" + (f": displaced by {', '.join(displaced_by)}" * bool(displaced_by))
        )
    if shown.get("in_force") is not False and displaced_by:
        lines.append(f"    displaced in part by {', '.join(displaced_by)}")
    if decision.get("date"):
        lines.append(f"    dated {escape.line(decision['date'])}")
    lines += provenance(items(shown, "recorded"))
    lines += [f"    holds {escape.line(slot)}" for slot in items(shown, "holds")]
    lines += [f"    sets {mutation(found)}" for found in objects(decision, "mutations")]
    lines += [f"    supersedes {escape.line(found)}" for found in items(decision, "supersedes")]
    lines += [
        f"    see {escape.line(ref.get('rel'))}: {escape.line(ref.get('url'))}"
        for ref in objects(decision, "refs")
    ]
    return lines + body(decision)


def is_full_text(decision: Any) -> bool:
    """Whether the reason is there: an id with a title alone has not been read by printing it.

    A decision recorded without a reason says so by an empty or missing `rationale`, which looks the
    same as one left out, so it is only counted where other text of its body came along.
    """
    if not isinstance(decision, dict) or not decision.get("title"):
        return False
    return (
        "rationale" in decision or bool(decision.get("mutations")) or bool(decision.get("rejected"))
    )
