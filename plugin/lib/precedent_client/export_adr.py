"""A project as decision records: a file a decision, in the order of recording, in MADR's form with front matter.

`precedent` in the front matter is the decision's id, `precedent-exported` its status and a hash of the text below, so
that `precedent import adr` knows what was edited since. It is for people and other tools: what a record has no room
for (who may be in conflict with whom, which slot was overruled) is in `precedent export FILE`.
"""

from __future__ import annotations

import hashlib
from typing import Any

from precedent_client import escape, file_names
from precedent_client.log_state import Entry, State
from precedent_client.render import items, mutation, objects

Json = dict[str, Any]
STATUS = {"rejected": "rejected", "note": "proposed"}
"""Of what is in force, or was never meant to hold anything; an adopted decision is accepted."""


def files(state: State) -> dict[str, bytes]:
    """The folder's files by name. The same store makes the same bytes."""
    found = state.of_decision()
    told = {name: entries for name, entries in found.items() if entries[0].decision is not None}
    order = sorted(told, key=lambda name: (told[name][0].at, told[name][0].dot))
    names = {name: _name(place, told[name][0]) for place, name in enumerate(order, 1)}
    return {names[name]: _file(state, told[name], names) for name in order}


def fingerprint(text: str) -> str:
    """Of a record's text below its front matter, whatever its line ends."""
    return hashlib.sha256(text.replace("\r\n", "\n").strip().encode("utf-8")).hexdigest()


def _name(place: int, entry: Entry) -> str:
    title = file_names.slug(str((entry.decision or {}).get("title", "")))
    return f"{place:04d}-{title or entry.id[2:10]}.md"


def _file(state: State, entries: list[Entry], names: dict[str, str]) -> bytes:
    first, decision = entries[0], entries[0].decision or {}
    successors = [one for each in entries for one in state.displacers(each) if one != first.id]
    links = [_link(names[one]) for one in dict.fromkeys(successors) if one in names]
    in_force = any(entry.holding for entry in entries)
    word = STATUS.get(first.outcome, "accepted") if in_force else "superseded"
    status = f"superseded by {', '.join(links)}" if not in_force and links else word
    text = "\n".join(_text(decision, names, links if in_force else [])) + "\n"
    front = [
        "---",
        f"status: {status}",
        f"date: {first.date[:10]}",
        f"decision-makers: [{', '.join(dict.fromkeys(entry.dot.writer for entry in entries))}]",
        f"precedent: {first.id}",
        f"precedent-exported: {word} {fingerprint(text)}",
        "---",
        "",
    ]
    return ("\n".join(front) + text).encode()


def _link(name: str) -> str:
    return f"[ADR-{name.split('-')[0]}]({name})"


def _text(decision: Json, names: dict[str, str], partly: list[str]) -> list[str]:
    rationale = escape.text(decision.get("rationale", "")).strip("\n")
    lines = [f"# {escape.line(decision.get('title', ''))}", ""]
    if rationale:
        sections = any(line.lstrip().startswith("#") for line in rationale.split("\n"))
        lines += [] if sections else ["## Decision Outcome", ""]
        lines += [rationale, ""]
    rejected = objects(decision, "rejected")
    if rejected:
        lines += ["## Rejected Alternatives", ""]
    for one in rejected:
        lines += [f"### {escape.line(one.get('option', ''))}", ""]
        if one.get("reason"):
            lines += [escape.text(one["reason"]).strip("\n"), ""]
    more = [
        f"Supersedes {_link(names[one])}" for one in items(decision, "supersedes") if one in names
    ]
    more += [f"Partly superseded by {link}" for link in partly]
    more += [f"Sets {mutation(one)}" for one in objects(decision, "mutations")]
    more += [
        f"{escape.line(ref.get('rel'))}: <{escape.line(ref.get('url'))}>"
        for ref in objects(decision, "refs")
    ]
    if more:
        lines += ["## More Information", "", *(f"* {line}" for line in more)]
    return lines
