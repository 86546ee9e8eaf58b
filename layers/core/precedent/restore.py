"""Bringing a project back from a copy of its log alone: into a bucket and tables that know nothing of it.

A copy may lack what its writers recorded last, and nobody can tell. So the writers it names are held, for good:
whoever recorded under such a name goes on under another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from precedent.consume import Scope
from precedent.entry import Dot
from precedent.errors import Invalid, NotFound
from precedent.ports import Listed, Log, Offset, Pointers
from precedent.rebuild import Rebuilt, rebuild

_NAME = re.compile(r"([a-z0-9][a-z0-9._-]{0,63})/([0-9]{12})\.jsonl")


class Copy(Protocol):
    """A copy of a project's log: a bucket, or a folder."""

    def names(self) -> Iterator[Listed]:
        """Everything under the project's prefix."""

    def get(self, writer: str, first: int) -> bytes | None:
        """An object's bytes."""


@dataclass(frozen=True)
class Restored:
    """What was brought back. `strays` are names that are no object's and were left."""

    objects: int
    strays: tuple[str, ...]
    writers: tuple[str, ...]
    rebuilt: Rebuilt


def restore(scope: Scope, copy: Copy, log: Log, pointers: Pointers, generation: str) -> Restored:
    """Copy every object to where it lay, rebuild, and hold the writers. May be cut short and done again.

    Raises NotFound for a copy without this project, Invalid where the place is taken by another log, StoreError.
    """
    places, strays = _places(copy)
    if not places:
        raise NotFound(f"The copy holds nothing of project {scope.project} of {scope.tenant}.")
    if others := set(log.writers()) - {dot.writer for dot in places}:
        raise Invalid("/project", f"is not empty: {', '.join(sorted(others))} recorded in it")
    for writer, first in places:
        data = copy.get(writer, first)
        if data is None:
            raise NotFound(f"The copy lists {writer}/{first} and does not give it.")
        if not log.put(writer, first, data) and log.get(writer, first) != data:
            raise Invalid("/project", f"is not empty: {writer}/{first} is there and is another")
    rebuilt = rebuild(scope, log, pointers, generation, accept_loss=True)
    pointer = pointers.read()
    assert pointer is not None
    projection = pointers.open(pointer)
    for writer, offset in projection.offsets().items():
        if not offset.short:
            held = Offset(offset.seq, offset.hash, promised=offset.seq + 1)
            projection.rewind(writer, offset, held)
    return Restored(len(places), strays, tuple(sorted({dot.writer for dot in places})), rebuilt)


def _places(copy: Copy) -> tuple[list[Dot], tuple[str, ...]]:
    names = [listed.name for listed in copy.names()]
    found = {name: match for name in names if (match := _NAME.fullmatch(name))}
    places = sorted(Dot(match[1], int(match[2])) for match in found.values())
    return places, tuple(sorted(set(names) - found.keys()))
