"""Somebody who writes, cuts and deletes objects of the log, and the operator who puts them back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.fakes.memory import MemoryLog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.simulation.world import Dice

Place = tuple[str, int]
RUBBISH = (b"", b"\0", b"rubbish\n", b"rubbish\n" * 3, b"\n\n", b"{}\n", b'{"entry":{"v":2}}\n')


@dataclass
class Attacker:
    """`harmed` are the objects that are not what they were, with what they were; `ever` those that once were not."""

    log: MemoryLog
    harmed: dict[Place, bytes] = field(default_factory=dict)
    ever: dict[Place, bytes] = field(default_factory=dict)
    own: set[Place] = field(default_factory=set)

    def attack(self, dice: Dice, passed: Mapping[str, int]) -> str:
        """Do some harm to what lies before the seqs that are passed, or write something new; says what.

        What a lagging projection has not passed, and what is on its way, is left alone: a name that is free
        again there is given out again (docs/guarantees.md).
        """
        if dice.below(3) == 0:
            return self._write(dice, passed)
        places = [
            (writer, first)
            for writer, first in sorted(self.log.objects)
            if first <= passed.get(writer, 0) and (writer, first) not in self.own
        ]
        if not places:
            return ""
        place = places[dice.below(len(places))]
        data = self.log.objects[place]
        self.ever.setdefault(place, self.harmed.setdefault(place, data))
        match dice.below(4):
            case 0:
                del self.log.objects[place]
                return f"deleted {place}"
            case 1:
                cut = dice.below(len(data) + 1)
                self.log.objects[place] = data[:cut]
                return f"cut {place} at {cut}"
            case 2:
                self.log.objects[place] = data.replace(b'"act":"record"', b'"act":"recorD"')
                return f"changed {place}"
            case _:
                self.log.objects[place] = RUBBISH[dice.below(len(RUBBISH))]
                return f"replaced {place}"

    def harmed_key(self, key: str) -> bool:
        """Whether what a key wrote could not be read once: a projection made then does not know the key."""
        return any(f'"key":"{key}"'.encode() in data for data in self.ever.values())

    def mend(self, dice: Dice) -> str:
        """Put one object back as it was."""
        if not self.harmed:
            return "nothing to mend"
        place = [*self.harmed][dice.below(len(self.harmed))]
        self.log.objects[place] = self.harmed.pop(place)
        return f"mended {place}"

    def mend_all(self) -> None:
        self.log.objects |= self.harmed
        self.harmed.clear()

    def _write(self, dice: Dice, passed: Mapping[str, int]) -> str:
        """Take a free name near a writer's end with rubbish, or with a copy of somebody's object."""
        objects = sorted(place for place in self.log.objects if place[0] in passed)
        if not objects:
            return ""
        writer, first = objects[dice.below(len(objects))]
        place = (writer, first + 1 + dice.below(4))
        copies = [data for other, data in sorted(self.log.objects.items()) if other[0] != writer]
        stock = [*RUBBISH, *copies]
        data = stock[dice.below(len(stock))]
        if place in self.log.objects or place in self.harmed:
            return ""
        self.log.objects[place] = data
        self.own.add(place)
        return f"wrote {place}"
