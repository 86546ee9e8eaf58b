"""What a team records over the years, made up: the same element has the same story in a store of any size.

So whatever is asked of it costs the same in every store, unless the cost depends on the rest of the store.
Everything follows from the numbers of elements and steps; nothing is drawn from the world.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from precedent.decision import Decision, Value, parse

WRITERS = tuple(f"dev{number:02}.laptop" for number in range(1, 31))
DECISIONS_AN_ELEMENT = 10

BUSIEST = "service:platform"
"""A tenth of all decisions, at every size, is about this one."""

HUB = "service:postgres"
"""Every fifth element has a link to this one."""

CONTESTED = range(30)
"""The elements whose last word is a conflict that nobody has resolved yet."""

_LENGTHS = (3, 13, 6, 9, 17, 5, 12, 7, 10, 8)
"""Decisions on ten elements in turn; nine on average, and the tenth goes to the busiest."""

_UNANCHORED = range(0, 90, 10)
"""The elements that also have a glob that matches in any folder, of which a project may have few."""

_KINDS = ("feature", "service", "table", "screen", "job")
_KEYS = ("engine", "owner", "timeout-ms", "retention", "format", "budget", "retries", "region")
WORDS = re.findall(
    r"\S+",
    """
    a the of to and for in on with we it is was by from at that than because until before after more less
    every one two each team store queue index cache schema request worker latency budget cost deploy rollback
    migration customer invoice search tenant shard replica backup token session retry timeout operate measured
    incident simple slow fast cheap risky reversible known boring hosted postgres redis kafka elastic s3 lambda
    python typescript grpc rest json parquet feature flag
    """,
)
_AGENTS = (("claude-code", "a-model"), ("codex", "another-model"), ("", ""))


@dataclass(frozen=True)
class Step:
    """One decision, who records it, what they had read, and from where."""

    writer: str
    decision: Decision
    seen: tuple[str, ...]
    branch: bool
    circumstances: dict[str, Any]


def name_of(number: int) -> str:
    """`kind:name` of an ordinary element."""
    return f"{_KINDS[number % len(_KINDS)]}:{_area(number)}-{number:05}"


def file_of(number: int) -> str:
    """A file that an even element's `paths` cover."""
    return f"services/{_area(number)}/{name_of(number).split(':')[1]}/src/handlers/api.py"


def ordinary_elements(decisions: int) -> int:
    """How many elements a store has beside the busiest and the hub."""
    return decisions // DECISIONS_AN_ELEMENT - 2


def tell(decisions: int) -> Iterator[Step]:
    """The steps of a store, in the order they are recorded."""
    elements = [_Element(number) for number in range(ordinary_elements(decisions))]
    left = decisions - sum(element.length for element in elements)
    if left < 1:
        raise ValueError(f"{decisions} decisions are too few for a story")
    busiest = _Busiest(left)
    order = [
        (moment, number, teller)
        for number, teller in enumerate([*elements, busiest])
        for moment in teller.moments
    ]
    order.sort(key=lambda item: item[:2])
    for _, _, teller in order:
        yield teller.next_step()


def _area(number: int) -> str:
    return f"area{number // 10:04}"


class _Teller:
    """The story of one element, told a step at a time."""

    def __init__(self, name: str, length: int) -> None:
        self.name = name
        self.length = length
        self._random = random.Random(name)
        self._writers = self._random.sample(WRITERS, 3)
        self._heads = _Heads()
        self._told = 0

    @property
    def moments(self) -> list[float]:
        """When its steps happen, between the beginning and the end of the store."""
        drawn = random.Random(f"when {self.name}")
        return sorted(drawn.random() for _ in range(self.length))

    def next_step(self) -> Step:
        step = self._step(self._told)
        self._told += 1
        return step

    def _step(self, number: int) -> Step:
        raise NotImplementedError

    def _says(
        self, title: str, mutations: list[dict[str, Any]], *, branch: bool = False, **fields: Any
    ) -> Step:
        draw = self._random
        content = {
            "title": f"{title} ({self.name}, {self._told})",
            "rationale": self._text(25, 90),
            "rejected": [
                {"option": self._text(2, 4), "reason": self._text(8, 25)}
                for _ in range(draw.randrange(3))
            ],
            "mutations": mutations,
            **fields,
        }
        decision = parse(content)
        seen = () if branch else self._heads.on(decision)
        self._heads.record(decision, seen)
        return Step(draw.choice(self._writers), decision, seen, branch, self._circumstances())

    def _sets(self, *keys: str) -> list[dict[str, Any]]:
        return [
            {"op": "set_prop", "element": self.name, "key": key, "value": self._value()}
            for key in keys
        ]

    def _value(self) -> str | int:
        draw = self._random
        number = draw.randrange(10**6)
        return number if draw.random() < 0.3 else f"{draw.choice(WORDS)} {number}"

    def _text(self, fewest: int, most: int) -> str:
        draw = self._random
        words = draw.choices(WORDS, k=draw.randint(fewest, most))
        return " ".join(words).capitalize() + "."

    def _circumstances(self) -> dict[str, Any]:
        draw = self._random
        agent, model = draw.choice(_AGENTS)
        return {
            "agent": agent,
            "model": model,
            "repository": "github.com/acme/shop",
            "branch": draw.choice(("main", "main", "topic/checkout")),
            "commit": f"{draw.getrandbits(160):040x}",
            "files": [f"services/{self.name.split(':')[1]}/src/api.py"],
        }


class _Element(_Teller):
    """An ordinary element: born with properties and perhaps paths and a link, then decided about."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(name_of(number), _LENGTHS[number % len(_LENGTHS)])

    def _step(self, number: int) -> Step:
        if number == 0:
            return self._birth()
        last = number == self.length - 1
        if last and self.number in CONTESTED:
            return self._says("Not what they say", self._sets("engine"), branch=True)
        if self.number % 5 == 0 and number in (1, 2):
            # A conflict that was resolved: somebody did not know, and somebody displaced both.
            return self._says("Which engine", self._sets("engine"), branch=number == 1)
        return self._later()

    def _birth(self) -> Step:
        kind, name = self.name.split(":")
        props: dict[str, Any] = {"engine": self._value(), "owner": self._value()}
        if self.number % 2 == 0:
            props["paths"] = [f"services/{_area(self.number)}/{name}/**", "!**/generated/**"]
            if self.number in _UNANCHORED:
                props["paths"].append(f"{name}.sql")
        mutations = [{"op": "upsert_element", "kind": kind, "name": name, "props": props}]
        if self.number % 5 == 0:
            mutations.append(self._link("add_link", HUB))
        return self._says("How it is built", mutations)

    def _later(self) -> Step:
        draw = self._random
        match draw.random():
            case chance if chance < 0.5:
                return self._says("One thing", self._sets(draw.choice(_KEYS)))
            case chance if chance < 0.62:
                return self._replaces()
            case chance if chance < 0.7:
                return self._says("Two things", self._sets(*draw.sample(_KEYS, 2)))
            case chance if chance < 0.8:
                neighbour = self.number // 10 * 10 + draw.randrange(10)
                op = draw.choice(("add_link", "add_link", "retire_link"))
                end = HUB if neighbour == self.number else name_of(neighbour)
                return self._says("What it needs", [self._link(op, end)])
            case chance if chance < 0.9:
                tried = self._sets(draw.choice(_KEYS))
                return self._says("Tried and left", tried, outcome="rejected")
        return self._says("Worth knowing", self._attached(), outcome="note")

    def _replaces(self) -> Step:
        """A decision that names the one it takes the place of, everywhere."""
        key = self._random.choice(_KEYS)
        sets = self._sets(key)
        probe = parse({"title": "probe", "mutations": sets})
        if heads := self._heads.on(probe):
            return self._says("Instead of the other", sets, supersedes=list(heads))
        return self._says("One thing", sets)

    def _attached(self) -> list[dict[str, Any]]:
        kind, name = self.name.split(":")
        return [{"op": "upsert_element", "kind": kind, "name": name}]

    def _link(self, op: str, end: str) -> dict[str, Any]:
        return {"op": op, "from": self.name, "link": "USES", "to": end}


class _Busiest(_Teller):
    """The element everybody decides about: a long history, and few decisions in force."""

    def __init__(self, length: int) -> None:
        super().__init__(BUSIEST, length)

    @property
    def moments(self) -> list[float]:
        return [(number + 0.5) / self.length for number in range(self.length)]

    def _step(self, number: int) -> Step:
        return self._says("The platform", self._sets(_KEYS[number % len(_KEYS)]))


@dataclass
class _Heads:
    """Which decisions hold the slots of one element, and their values, as its teller knows."""

    _held: dict[tuple[str, str], dict[str, Value]] = field(default_factory=dict)

    def on(self, decision: Decision) -> tuple[str, ...]:
        """The decisions that hold a slot this one sets."""
        found = (self._held.get((s.element, s.slot), {}) for s in decision.settings)
        return tuple(sorted({name for held in found for name in held}))

    def record(self, decision: Decision, seen: tuple[str, ...]) -> None:
        """What is superseded is gone everywhere; what was seen where its value is another."""
        if decision.outcome != "adopted":
            return
        for held in self._held.values():
            for name in decision.supersedes:
                held.pop(name, None)
        for setting in decision.settings:
            held = self._held.setdefault((setting.element, setting.slot), {})
            value = decision.value(setting)
            for name in [name for name in held if name in seen and held[name] != value]:
                del held[name]
            held[decision.id] = value
