"""What a name stands for: the element it names, and those that are the same thing under another name."""

from __future__ import annotations

from dataclasses import dataclass

from precedent.element import ALIAS, Name
from precedent.live import equivalents, read_aliases
from precedent.ports import Projection
from precedent.reading import Texts


@dataclass(frozen=True, slots=True)
class Candidate:
    """An element a name may mean, and why. `current`: no live alias says that it is called otherwise now."""

    id: str
    kind: str
    name: str
    why: str
    current: bool


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a name stands for: the element it names, and those that are the same thing under another name."""

    name: str
    elements: list[Candidate]


def resolve_name(projection: Projection | None, name: Name) -> Resolved:
    """The elements a `kind:name` stands for, the one it is called now first; none if nobody ever named it."""
    if projection is None:
        return Resolved(str(name), [])
    found = [
        candidate
        for element in equivalents(projection, name.id)
        if (candidate := _candidate(projection, element, name.id))
    ]
    return Resolved(str(name), sorted(found, key=lambda one: not one.current))


def _candidate(projection: Projection, element: str, asked: str) -> Candidate | None:
    first = next(iter(projection.history(element)), None)
    if first is None:
        return None
    texts = Texts(projection)
    texts.fetch([first.decision])
    name = texts.names.get(element, Name("", ""))
    why = "the name asked for" if element == asked else "the same thing under another name"
    former = any(live.row.slot.startswith(ALIAS) for live in read_aliases(projection, element))
    return Candidate(element, name.kind, name.name, why, current=not former)
