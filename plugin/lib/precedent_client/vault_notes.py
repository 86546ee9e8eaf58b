"""A note of a vault, taken apart, and what of it differs from the note it was made as."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from precedent_client import adr_plan, canonical, escape, export_vault, front_matter
from precedent_client.log_state import PATHS, Slot, State
from precedent_client.render import objects
from precedent_client.vault_names import Names, target

Json = dict[str, Any]


@dataclass
class Note:
    """A note's properties, its text below them, and the id it was made of, if any."""

    properties: dict[str, Any]
    text: str

    @property
    def identity(self) -> str | None:
        found = self.properties.get("precedent")
        return found if isinstance(found, str) and found else None

    @property
    def links(self) -> list[str]:
        """The lines under `Links`."""
        lines = self.text.split("\n")
        if export_vault.LINKS not in lines:
            return []
        below = lines[lines.index(export_vault.LINKS) + 1 :]
        end = next((n for n, line in enumerate(below) if line.startswith("## ")), len(below))
        return [line.strip() for line in below[:end] if line.strip()]

    @property
    def rest(self) -> list[str]:
        """The text without its links."""
        links = self.links
        return [
            line for line in self.text.split("\n") if line.strip() and line.strip() not in links
        ]


@dataclass
class Edits:
    """What was edited of an element: as mutations, in words, and which decisions held it."""

    label: str
    mutations: list[Json] = field(default_factory=list)
    what: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read(text: str) -> Note:
    """A note. Raises ValueError for properties that cannot be read."""
    return Note(*front_matter.split(text))


def by_identity(made: dict[str, str]) -> dict[str, str]:
    """Which note was made of which element or decision."""
    return {str(read(text).identity): name for name, text in made.items()}


def element_edits(state: State, note: Note, made: Note | None) -> Edits:
    """What differs on an element. Raises ValueError for what nobody can record."""
    kind, name = (str(note.properties.get(one) or "").strip() for one in ("kind", "name"))
    if not kind or not name or ":" in kind:
        raise ValueError("an element's note has the properties `kind` and `name`")
    element = canonical.element_id(kind, name)
    if note.identity not in (None, element):
        raise ValueError("its `kind` or `name` was changed; an element is not renamed by that")
    edits = Edits(f"{kind}:{name}")
    heads = state.heads()
    before = made.properties if made is not None else {}
    _properties(edits, note.properties, before, element, heads)
    _links(edits, state, note, made, element, heads)
    if made is None and not edits.mutations:
        edits.mutations.append({"op": "upsert_element", "kind": kind, "name": name})
        edits.what.append("named")
    if made is not None and note.rest != made.rest:
        edits.warnings.append(
            "only its properties and its links are taken; other text was changed too"
        )
    return edits


def _properties(
    edits: Edits, now: Json, before: Json, element: str, heads: dict[Slot, list[Any]]
) -> None:
    for key in dict.fromkeys([*before, *now]):
        if key in export_vault.RESERVED:
            continue
        old, new = before.get(key), now.get(key)
        if old == new and type(old) is type(new):
            continue
        name = key.removeprefix("=")
        slot = Slot(element, f"p:{canonical.normalised(name)}")
        if slot.name == PATHS and isinstance(new, str):
            new = [new]
        edits.mutations.append(
            {"op": "set_prop", "element": edits.label, "key": name, "value": new}
        )
        edits.what.append(f"{name} = {escape.value(new)}")
        _held(edits, heads, slot)


def _links(
    edits: Edits,
    state: State,
    note: Note,
    made: Note | None,
    element: str,
    heads: dict[Slot, list[Any]],
) -> None:
    names = Names(state)
    by_path = {path: one for one, path in names.path.items()}
    known = {
        export_vault.link_line(names, slot): slot
        for slot in heads
        if slot.element == element and slot.name.startswith("l:")
    }
    before = made.links if made is not None else []
    for line in before:
        if line not in note.links:
            kind, _, to = known[line].name[2:].rpartition(":")
            _link(edits, "retire_link", kind, names.label[to], known[line], heads)
    for line in note.links:
        if line in before:
            continue
        kind, aim = _kind_of(line), target(line)
        label = names.label.get(by_path.get(aim, ""), aim)
        if not kind or ":" not in label:
            raise ValueError(f"a link is written `- KIND [[note]]`, not {line[:80]}")
        to = canonical.element_id(*label.split(":", 1))
        slot = Slot(element, f"l:{canonical.normalised(kind)}:{to}")
        _link(edits, "add_link", kind, label, slot, heads)


def _kind_of(line: str) -> str:
    written = line.lstrip("-* ").partition("[[")[0].strip()
    found = front_matter.split(f"---\nkind: {written}\n---\n")[0].get("kind") if written else ""
    return str(found or "")


def _link(
    edits: Edits, op: str, kind: str, to: str, slot: Slot, heads: dict[Slot, list[Any]]
) -> None:
    edits.mutations.append({"op": op, "from": edits.label, "link": kind, "to": to})
    edits.what.append(f"{'' if op == 'add_link' else 'no longer '}{kind} {to}")
    _held(edits, heads, slot)


def _held(edits: Edits, heads: dict[Slot, list[Any]], slot: Slot) -> None:
    edits.heads += [one.id for one in heads.get(slot, []) if one.id not in edits.heads]


def decision_edits(former: Json, note: Note, made: Note) -> Json:
    """The members of a decision that were edited. Raises ValueError where its marks are gone."""
    mark = export_vault.marks(former)
    now, before = _parts(note.text, mark), _parts(made.text, mark)
    found: Json = {}
    if now[0] != before[0]:
        found["title"] = now[0]
    if now[1] != before[1]:
        found["rationale"] = now[1]
    if now[2] != before[2]:
        kept = dict(zip(before[2], objects(former, "rejected")))
        found["rejected"] = [kept.get(part) or one for part in now[2] for one in _options(part)]
    if len(found.get("title", "")) > adr_plan.TITLE:
        raise ValueError(f"a title has at most {adr_plan.TITLE} characters")
    return found


def _parts(text: str, mark: dict[str, str]) -> tuple[str, str, list[str]]:
    """A decision's title, its reason, and its rejected alternatives each as they stand."""
    lines = text.split("\n")
    marks = [n for n, line in enumerate(lines) if line.strip() in mark.values()]
    stated = [lines[n].strip() for n in marks]
    middle = stated[1:-1]
    if (
        stated[:1] != [mark["rationale"]]
        or stated[-1:] != [mark["end"]]
        or set(middle) - {mark["rejected"]}
    ):
        raise ValueError("its marks (%% … %%) are gone or out of order")
    titles = [line[2:].strip() for line in lines[: marks[0]] if line.startswith("# ")]
    if len(titles) != 1 or not titles[0]:
        raise ValueError("it has no title (`# …`), or several")
    parts = ["\n".join(lines[a + 1 : b]).strip("\n") for a, b in zip(marks, marks[1:])]
    return titles[0], parts[0], parts[1:]


def _options(part: str) -> list[Json]:
    """Alternatives written by hand: each a heading, and below it the reason."""
    found: list[Json] = []
    for line in part.split("\n"):
        if line.startswith("### "):
            found.append({"option": line[4:].strip(), "reason": ""})
        elif found:
            found[-1]["reason"] += f"{line}\n"
        elif line.strip():
            raise ValueError("a rejected alternative begins with a heading (`### …`)")
    for one in found:
        one["reason"] = one["reason"].strip("\n")
        if not one["reason"]:
            del one["reason"]
    return found
