"""What a search answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from precedent.answers import Recorded


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a decision's text, made harmless; `marks` are [from, to] in it, in code points."""

    field: str
    text: str
    marks: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A decision that was found. `conflicts` are slots it holds on which others stand against it.

    `explain`, if asked for, is what each word adds to the score, and where it stands.
    """

    id: str
    title: str
    state: Literal["in_force", "dead_end", "superseded", "history"]
    score: float
    date: str
    recorded: list[Recorded]
    holds: list[str]
    conflicts: list[str]
    displaced_by: list[str]
    snippets: list[Snippet]
    explain: dict[str, Any] | None = None
    feedback: float = 1.0
    """What the score was multiplied by for what was said of it: from 0.9 to 1.1."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first, and what it did not look at.

    `count` is how many answer the question among those looked at; `corrected` what words nobody wrote were read as;
    `common` are words so common that only the decisions were looked at in which they weigh most; `unread` words past
    the limit. `near` are words to ask with instead, where nothing was found.
    """

    project: str
    state: Literal["ok", "empty"]
    hits: list[Hit]
    count: int
    corrected: dict[str, list[str]]
    common: list[str]
    unread: list[str]
    near: list[str]
