"""What the lines of a log come to: each entry, what of it is in force, and the digest of all.

The same fold as the service's: an observed-remove set, in which the order of arrival does not matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from precedent_client import canonical
from precedent_client.render import items, members

Json = dict[str, Any]
NOTE, PATHS = "@", "p:paths"


class Dot(NamedTuple):
    """(writer, seq): the name of one entry."""

    writer: str
    seq: int


class Slot(NamedTuple):
    """One thing that can be decided of an element."""

    element: str
    name: str


@dataclass
class Entry:
    """One line of the log, read. `decision` is None once it was redacted."""

    dot: Dot
    id: str
    sha256: str
    outcome: str
    at: str
    date: str
    decision: Json | None
    claims: dict[Slot, str]
    historical: list[Slot]
    mentions: list[str]
    displaces: list[tuple[Slot, Dot, str]]
    names: dict[str, tuple[str, str]]
    pointers: dict[Slot, str]
    lost: dict[Slot, list[Dot]] = field(default_factory=dict)

    @property
    def live(self) -> list[Slot]:
        """The slots it holds, addresses included."""
        return [slot for slot in self.claims if slot not in self.lost]

    @property
    def holding(self) -> list[Slot]:
        """The slots it holds that put its decision in force."""
        return [slot for slot in self.live if slot.name != PATHS]

    def value(self, slot: Slot) -> Any:
        """What it sets a slot to; None where its text does not say."""
        found: Any = self.decision
        for step in self.pointers.get(slot, "").split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            try:
                found = found[int(name)] if isinstance(found, list) else found[name]
            except (LookupError, ValueError, TypeError):
                return None
        if slot.name.startswith("l:"):
            return {"add_link": True, "retire_link": False}.get(str(found))
        return None if isinstance(found, dict) else found


@dataclass
class State:
    """All entries of a log by dot, and every name an element was given, the smallest spelling first."""

    entries: dict[Dot, Entry]
    names: dict[str, tuple[str, str]]

    @property
    def digest(self) -> str:
        """Equal to the service's where the same entries have arrived."""
        total = sum(int(_term(entry), 16) for entry in self.entries.values())
        return f"sha256sum:{total % 2**256:064x}"

    def of_decision(self) -> dict[str, list[Entry]]:
        """The entries of each decision, by dot."""
        found: dict[str, list[Entry]] = {}
        for dot in sorted(self.entries):
            found.setdefault(self.entries[dot].id, []).append(self.entries[dot])
        return found

    def heads(self) -> dict[Slot, list[Entry]]:
        """Who holds each slot, by dot."""
        found: dict[Slot, list[Entry]] = {}
        for dot in sorted(self.entries):
            for slot in self.entries[dot].live:
                found.setdefault(slot, []).append(self.entries[dot])
        return found

    def displacers(self, entry: Entry) -> list[str]:
        """The decisions that took something of an entry out of force, in order."""
        dots = sorted({dot for gone in entry.lost.values() for dot in gone})
        return list(dict.fromkeys(self.entries[dot].id for dot in dots if dot in self.entries))

    def missing(self) -> list[Dot]:
        """What entries displace and is not here."""
        named = {dot for entry in self.entries.values() for _, dot, _ in entry.displaces}
        return sorted(named - self.entries.keys())


def fold(lines: Iterable[Json]) -> State:
    """The state of a log from its lines, parsed. Raises KeyError, TypeError or ValueError for what is none."""
    entries = {entry.dot: entry for entry in map(_read, lines)}
    names: dict[str, tuple[str, str]] = {}
    for entry in entries.values():
        for slot, dot, _ in entry.displaces:
            if dot in entries:
                entries[dot].lost.setdefault(slot, []).append(entry.dot)
        for element, name in entry.names.items():
            names[element] = min(name, names.get(element, name))
    return State(entries, names)


def _read(line: Json) -> Entry:
    entry, context = line["entry"], members(line, "context")
    identifier, sha256 = entry["decision"]
    decision = line.get("decision")
    return Entry(
        dot=Dot(str(entry["writer"]), int(entry["seq"])),
        id=str(identifier),
        sha256=str(sha256),
        outcome=str(entry.get("outcome", "adopted")),
        at=str(entry["recorded_at"]),
        date=str(entry.get("date") or entry["recorded_at"]),
        decision=decision if isinstance(decision, dict) else None,
        claims={Slot(element, slot): value for element, slot, value in items(entry, "claims")},
        historical=[Slot(element, slot) for element, slot, _ in items(entry, "historical")],
        mentions=[str(element) for element in items(entry, "mentions")],
        displaces=[
            (Slot(element, slot), Dot(str(dot[0]), int(dot[1])), str(why))
            for element, slot, dot, why in items(entry, "displaces")
        ],
        names={
            element: (str(kind), str(name))
            for element, (kind, name) in members(context, "elements").items()
        },
        pointers={
            Slot(element, slot): str(pointer) for element, slot, pointer in items(context, "sets")
        },
    )


def _term(entry: Entry) -> str:
    lost = sorted(
        [slot.element, slot.name, list(dot)] for slot, dots in entry.lost.items() for dot in dots
    )
    claims = sorted([slot.element, slot.name, value] for slot, value in entry.claims.items())
    row = [list(entry.dot), entry.sha256, claims, lost]
    return hashlib.sha256(canonical.dumps(row)).hexdigest()
