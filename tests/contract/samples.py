"""Small values of every shape the ports carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from precedent import canonical
from precedent.element import Name, link_slot, property_slot
from precedent.entry import GENESIS, Arrived, Body, Claim, Context, Displaced, Dot, Entry, Intent
from precedent.orset import Status

A = TypeVar("A")
T = TypeVar("T")

SEARCH = Name("feature", "product-search").id
CART = Name("feature", "cart").id

HOSTILE_SLOTS = (
    "p:a",
    "p:a|b",
    "p:a#b",
    "p:a#b#000000000001",
    "p:a b",
    "p:a~",
    "p:a!",
    'p:"\\',
    "p:ключ",
    "p:" + "\U0001f5ff" * 64,
    link_slot("uses", CART),
    link_slot("a:b", CART),
    "@",
    "~",
    "x:unknown",
)


def status(dot: Dot, slots: Iterable[str] = ("p:engine",), value: str = "v1") -> Status:
    """A status that arrived, claiming slots of SEARCH."""
    return Status(
        dot=dot,
        decision=decision_id(dot),
        sha256="5" * 64,
        outcome="adopted",
        at="2026-11-30T20:38:14.123Z",
        date="2026-11-30",
        claims=tuple(Claim(SEARCH, slot, value) for slot in slots),
        mentions=(CART,),
        globs=((SEARCH, "search/**"), (SEARCH, "!search/old/**")),
    )


def body(decision: str, title: str = "Search runs on Postgres") -> Body:
    return Body(
        decision,
        {
            "title": title,
            "mutations": [{"value": [1, None, True, "ü"], "op": "set_prop"}],
            "empty": "",
        },
        {SEARCH: Name("Feature", "Product-Search"), CART: Name("feature", "cart")},
        ((SEARCH, "p:engine", "/mutations/0/value"),),
    )


def decision_id(dot: Dot) -> str:
    return "d_" + canonical.sha256(repr(dot).encode())[:24]


def arrived(
    dot: Dot,
    value: str = "postgres",
    key: str = "engine",
    displaces: Iterable[Dot] = (),
    rationale: str = "One store to operate.",
) -> Arrived:
    """A verified entry whose decision sets one property of SEARCH."""
    slot = property_slot(key)
    content = {
        "title": f"{key} is {value}",
        "rationale": rationale,
        "mutations": [
            {"op": "set_prop", "element": "feature:product-search", "key": key, "value": value}
        ],
        # Else two entries saying the same would be one decision.
        "refs": [{"rel": "entry", "url": f"{dot.writer}/{dot.seq}"}],
    }
    data = canonical.dumps(content)
    digest = canonical.sha256(data)
    entry = Entry(
        v=1,
        act="record",
        writer=dot.writer,
        seq=dot.seq,
        prev=GENESIS,
        recorded_at="2026-11-30T20:38:14.123Z",
        intent="0" * 64,
        decision=(f"d_{digest[:24]}", digest),
        context="0" * 64,
        claims=(Claim(SEARCH, slot, canonical.sha256(value.encode())[:32]),),
        displaces=tuple(Displaced(SEARCH, slot, gone, "seen") for gone in displaces),
    )
    intent = Intent(
        "acme", "shop", dot.writer, f"key-{dot.seq}", 0, 1, "0" * 64, digest, (), (), "refuse", ""
    )
    context = Context(
        "salt", {SEARCH: ("feature", "product-search")}, ((SEARCH, slot, "/mutations/0/value"),)
    )
    return Arrived(entry, intent, data, context, GENESIS, dot.seq)


def at_once(call: Callable[[A], T], arguments: Iterable[A]) -> list[T]:
    """Call with each argument in a thread of its own, in parallel; the results in order."""
    listed = list(arguments)
    with ThreadPoolExecutor(len(listed)) as pool:
        return list(pool.map(call, listed))
