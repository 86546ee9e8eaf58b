"""A log of any length in no time: decisions of 30 writers over 50,000 elements, sealed without asking anybody.

`story` is told through the append use case, which for a million takes half an hour. This keeps just the heads
for what entries displace, and writes lines as an append would: canonical, hashed, chained. A test reads them.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
from precedent.consume import Scope
from precedent.decision import Value
from precedent.element import element_id, link_slot, property_slot
from precedent.entry import GENESIS, Dot

from tests.bench.story import WORDS, WRITERS

ELEMENTS = 50_000
SALT = "5a17" * 8
CONFLICTING = 50
"""Of so many decisions one does not know of those it contradicts."""

_KINDS = ("feature", "service", "table", "screen", "job")
_KEYS = ("engine", "owner", "timeout-ms", "retention", "format", "budget", "retries", "region")
_PHRASES = 4096
_encode = msgspec.json.Encoder(order="sorted").encode

Heads = list[tuple[Dot, str]]


@dataclass(frozen=True, slots=True)
class Written:
    """One object of the log."""

    writer: str
    first: int
    data: bytes


@dataclass
class History:
    """The objects of a log in the order they were written, the same for the same number."""

    scope: Scope
    decisions: int
    _random: random.Random = field(default_factory=lambda: random.Random(50))
    _heads: dict[tuple[int, str], Heads] = field(default_factory=dict)
    _tails: dict[str, tuple[int, str]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Written]:
        phrases = [self._phrase() for _ in range(_PHRASES)]
        for number in range(self.decisions):
            yield self._write(number, phrases)

    def _write(self, number: int, phrases: list[str]) -> Written:
        draw = self._random
        writer = WRITERS[draw.randrange(len(WRITERS))]
        seq, prev = self._tails.get(writer, (0, GENESIS))
        dot = Dot(writer, seq + 1)
        # Some elements are decided about far more often than others.
        element = int(ELEMENTS * draw.random() ** 2)
        content, slots, names = self._decision(number, element, phrases)
        decision = _encode(content)
        digest = _sha256(decision)
        identifier = f"d_{digest[:24]}"
        owner = _id_of(element)
        claims, displaces = [], []
        for slot, value in slots:
            claims.append((owner, slot, _sha256(_encode([SALT, value]))[:32] if value else ""))
            displaces += self._displaced(
                element, slot, dot, identifier, known=number % CONFLICTING != 0
            )
        sets = [
            (owner, slot, f"/mutations/{at}/{'op' if value is True else 'value'}")
            for at, (slot, value) in enumerate(slots)
            if value
        ]
        context = _encode(
            {
                "salt": SALT,
                "elements": names,
                "sets": sets,
                "circumstances": self._circumstances(names[owner][1]),
            }
        )
        intent = _encode(
            {
                "tenant": self.scope.tenant,
                "project": self.scope.project,
                "writer": writer,
                "key": f"key-{number:09}",
                "index": 0,
                "count": 1,
                "request": _sha256(b"request" + decision),
                "decision": digest,
                "overrule": [],
                "beside": [],
                "on_unseen": "refuse",
                "seen": _sha256(b"[]"),
            }
        )
        body = _encode(
            {
                "v": 1,
                "act": "record",
                "writer": writer,
                "seq": dot.seq,
                "prev": prev,
                "recorded_at": f"20{20 + number % 6}-0{1 + number % 9}-1{number % 10}T10:00:00.{number % 1000:03}Z",
                "intent": _sha256(intent),
                "decision": [identifier, digest],
                "context": _sha256(context),
                "claims": claims,
                "mentions": [
                    one for one in names if one != owner and not slots[0][0].startswith("l:")
                ],
                "historical": [],
                "displaces": displaces,
                "outcome": content.get("outcome", "adopted"),
                "date": None,
                "lines": 1,
            }
        )
        own = _sha256(body)
        self._tails[writer] = (dot.seq, own)
        parts = (b'{"entry":', body, b',"intent":', intent, b',"decision":', decision)
        tail = (b',"context":', context, b',"hash":"', own.encode(), b'","signature":null}\n')
        return Written(writer, dot.seq, b"".join(parts + tail))

    def _decision(
        self, number: int, element: int, phrases: list[str]
    ) -> tuple[dict[str, Any], list[tuple[str, Value]], dict[str, tuple[str, str]]]:
        """What is decided: the content, the slots it claims with their values, the names of its elements."""
        draw = self._random
        kind, name = _name_of(element)
        content: dict[str, Any] = {
            "title": f"{phrases[number % _PHRASES][:60]} ({number})",
            "rationale": " ".join(draw.choices(phrases, k=draw.randint(2, 7))),
            "rejected": [
                {"option": draw.choice(phrases)[:30], "reason": draw.choice(phrases)}
                for _ in range(draw.randrange(3))
            ],
        }
        names = {_id_of(element): (kind, name)}
        chance = draw.random()
        if chance < 0.1:
            other = draw.randrange(ELEMENTS)
            names[_id_of(other)] = _name_of(other)
            end = ":".join(_name_of(other))
            content["mutations"] = [
                {"op": "add_link", "from": f"{kind}:{name}", "link": "USES", "to": end}
            ]
            return content, [(link_slot("USES", _id_of(other)), True)], names
        if chance < 0.2:
            content["outcome"] = "rejected" if chance < 0.15 else "note"
            content["mutations"] = [{"op": "upsert_element", "kind": kind, "name": name}]
            return content, [("@", None)], names
        slots = [
            (property_slot(key), f"{draw.choice(WORDS)} {draw.randrange(10**6)}")
            for key in draw.sample(_KEYS, draw.choice((1, 1, 1, 2)))
        ]
        content["mutations"] = [
            {"op": "set_prop", "element": f"{kind}:{name}", "key": slot[2:], "value": value}
            for slot, value in slots
        ]
        return content, slots, names

    def _displaced(
        self, element: int, slot: str, dot: Dot, decision: str, *, known: bool
    ) -> list[tuple[str, str, Dot, str]]:
        heads = self._heads.setdefault((element, slot), [])
        if slot == "@" or slot.startswith("l:"):
            heads.append((dot, decision))
            return []
        gone = [(_id_of(element), slot, head, "seen") for head, _ in heads] if known else []
        if known:
            heads.clear()
        heads.append((dot, decision))
        return gone

    def _circumstances(self, name: str) -> dict[str, Any]:
        draw = self._random
        return {
            "agent": "claude-code",
            "model": "a-model",
            "repository": "github.com/acme/shop",
            "branch": draw.choice(("main", "main", "topic/checkout")),
            "commit": f"{draw.getrandbits(160):040x}",
            "files": [f"services/{name}/src/api.py"],
        }

    def _phrase(self) -> str:
        draw = self._random
        return " ".join(draw.choices(WORDS, k=draw.randint(6, 16))).capitalize() + "."


def _name_of(element: int) -> tuple[str, str]:
    return _KINDS[element % len(_KINDS)], f"area{element // 10:04}-{element:05}"


_ids: dict[int, str] = {}


def _id_of(element: int) -> str:
    if element not in _ids:
        _ids[element] = element_id(*_name_of(element))
    return _ids[element]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
