"""Recalled areas for the tests of their text."""

from __future__ import annotations

from typing import Any

from precedent.answers import (
    DecisionAnswer,
    ElementAnswer,
    Omitted,
    Recalled,
    Recorded,
    SlotValue,
)

TAG = "5eed5eed5eed5eed"


def name(number: int) -> str:
    """The id of a decision."""
    return f"d_{number:024x}"


def decision(title: str = "Search runs on Postgres", **fields: Any) -> DecisionAnswer:
    given: dict[str, Any] = {
        "title": title,
        "rationale": "One store to operate.",
        "outcome": "adopted",
        "rejected": [],
        "refs": [],
        "date": None,
        "holds": ["feature:search.engine"],
        "recorded": [Recorded("alice.laptop", 1, "2026-11-30T10:00:00.000Z", "main")],
        "trust": "writer",
    }
    return DecisionAnswer(**{**given, **fields})


def element(number: int = 0, **fields: Any) -> ElementAnswer:
    given: dict[str, Any] = {
        "id": f"el_{number:020x}",
        "kind": "feature",
        "name": "search" if number == 0 else f"search-{number}",
        "why": "element",
        "slots": {},
        "links": [],
        "in_force": [],
        "dead_ends": [],
        "conflicts": [],
    }
    return ElementAnswer(**{**given, **fields})


def recalled(
    elements: list[ElementAnswer],
    decisions: dict[str, DecisionAnswer],
    *,
    redacted: tuple[str, ...] = (),
    cursor: str | None = None,
) -> Recalled:
    shown = sorted(set(decisions) - set(redacted))
    return Recalled("shop", "ok", elements, decisions, shown, Omitted(0, []), cursor)


def side(value: Any, number: int) -> SlotValue:
    return SlotValue(value, name(number))
