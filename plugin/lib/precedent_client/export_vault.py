"""A project as linked notes: one an element, one a decision. They may be edited, and imported again.

An element's properties are its note's, its links are listed under `Links`. A decision's title, reason and rejected
alternatives are between marks that are shown while editing only. `.precedent-log.jsonl` is the log the notes were made
of: what was edited is what differs from what it makes.
"""

from __future__ import annotations

import json
from typing import Any

from precedent_client import escape, front_matter
from precedent_client.log_state import NOTE, PATHS, Entry, Slot, State
from precedent_client.render import items, objects
from precedent_client.vault_names import ENDING, Names

Json = dict[str, Any]
LOG = ".precedent-log.jsonl"
RESERVED = ("precedent", "kind", "name", "aliases", "tags")
LINKS, END = "## Links", "## Conflicts"
"""Between these headings of an element's note its links are listed, and may be edited."""


def files(state: State, log: bytes) -> dict[str, bytes]:
    """The vault's files by name. The same store makes the same bytes."""
    return {**{name: text.encode() for name, text in notes(state).items()}, LOG: log}


def notes(state: State) -> dict[str, str]:
    """The notes by name."""
    names, heads, found = Names(state), state.heads(), {}
    of_element: dict[str, dict[Slot, list[Entry]]] = {element: {} for element in state.names}
    shown: dict[str, list[Entry]] = {element: [] for element in state.names}
    for slot, entries in sorted(heads.items()):
        of_element.setdefault(slot.element, {})[slot] = entries
    for dot in sorted(state.entries):
        entry = state.entries[dot]
        for element in {*entry.names, *(slot.element for slot in entry.claims)}:
            shown.setdefault(element, []).append(entry)
    for element in sorted(state.names):
        text = _element(state, names, element, of_element[element], shown[element])
        found[names.path[element] + ENDING] = text
    for identity, entries in sorted(state.of_decision().items()):
        found[names.path[identity] + ENDING] = _decision(state, names, entries)
    return found


def key_of(name: str) -> str:
    """A property's key as a note has it: none is taken for what notes say of themselves."""
    return f"={name}" if name in RESERVED or name.startswith("=") else name


def value_of(slot: Slot, entries: list[Entry]) -> tuple[Any, bool]:
    """What a slot is set to, and whether its heads differ. Of addresses all count."""
    values = [entry.value(slot) for entry in entries]
    if slot.name == PATHS:
        globs = [one for value in values if isinstance(value, list) for one in value]
        return list(dict.fromkeys(globs)) or None, False
    return values[0], any(type(one) is not type(values[0]) or one != values[0] for one in values)


def link_line(names: Names, slot: Slot) -> str:
    """How a link is listed."""
    kind, _, to = slot.name[2:].rpartition(":")
    return f"- {escape.json_text(kind, indent=None)} {names.link(to)}"


def _element(
    state: State,
    names: Names,
    element: str,
    slots: dict[Slot, list[Entry]],
    shown: list[Entry],
) -> str:
    kind, name = state.names[element]
    properties: list[tuple[str, Any]] = [("precedent", element), ("kind", kind), ("name", name)]
    links, conflicts = [], []
    for slot, entries in slots.items():
        value, differs = value_of(slot, entries)
        if differs:
            sides = [f"{escape.value(one.value(slot))} in {names.link(one.id)}" for one in entries]
            conflicts.append(f"- {escape.line(slot.name[2:])}: {'; '.join(sides)}")
        elif slot.name.startswith("p:") and value is not None:
            properties.append((key_of(slot.name[2:]), value))
        elif slot.name.startswith("l:") and value is True:
            links.append(link_line(names, slot))
    parts: dict[str, list[str]] = {"In force": [], "Dead ends": [], "No longer in force": []}
    for entry in shown:
        holds = bool(entry.holding)
        part = "No longer in force" if not holds else "In force"
        part = "Dead ends" if holds and entry.outcome == "rejected" else part
        line = f"- {names.link(entry.id)}"
        if line not in parts[part]:
            parts[part].append(line)
    lines = [front_matter.write(properties), f"# {escape.line(kind)}:{escape.line(name)}", ""]
    lines += [LINKS, "", *links, "", END, "", *conflicts, ""]
    for title, told in parts.items():
        if told:
            lines += [f"## {title}", "", *told, ""]
    return "\n".join(lines)


def marks(decision: Json) -> dict[str, str]:
    """The lines between which a decision's texts stand: such as none of them holds."""
    texts = json.dumps(decision, ensure_ascii=False)
    tag = next(f" {number}" * (number > 1) for number in range(1, 1 << 30)
               if f"%% end{f' {number}' * (number > 1)} %%" not in texts)  # fmt: skip
    return {name: f"%% {name}{tag} %%" for name in ("rationale", "rejected", "end")}


def _decision(state: State, names: Names, entries: list[Entry]) -> str:
    first, decision = entries[0], entries[0].decision or {}
    status = "in force" if any(entry.holding for entry in entries) else "superseded"
    properties: list[tuple[str, Any]] = [
        ("precedent", first.id),
        ("status", status),
        ("outcome", first.outcome),
        ("date", first.date),
        ("by", list(dict.fromkeys(entry.dot.writer for entry in entries))),
    ]
    mark = marks(decision)
    lines = [front_matter.write(properties), f"# {escape.line(names.label[first.id])}", ""]
    lines += [mark["rationale"], "", escape.text(decision.get("rationale", "")).strip("\n"), ""]
    for one in objects(decision, "rejected"):
        lines += [mark["rejected"], "", f"### {escape.line(one.get('option', ''))}", ""]
        lines += [escape.text(one.get("reason", "")).strip("\n"), ""]
    lines += [mark["end"], "", "## About", ""]
    touched = {slot.element for entry in entries for slot in entry.claims if slot.name != NOTE}
    elements = sorted({*touched, *(one for entry in entries for one in entry.names)})
    lines += [f"- {names.link(element)}" for element in elements]
    for title, others in (
        ("Supersedes", [str(one) for one in items(decision, "supersedes")]),
        ("Superseded by", [one for each in entries for one in state.displacers(each)]),
    ):
        if others:
            lines += [
                "",
                f"## {title}",
                "",
                *(f"- {names.link(one)}" for one in sorted(set(others))),
            ]
    return "\n".join([*lines, ""])
