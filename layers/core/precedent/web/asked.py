"""What readers ask: the query parameters and bodies of each route. Unknown names are refused."""

from __future__ import annotations

import re
from typing import Annotated, Self

from fastapi import Path
from fastapi import Query as InQuery
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from precedent.candidates import LOOKED_AT
from precedent.canonical import dumps, sha256
from precedent.dates import PATTERN, check_date
from precedent.element import Name, parse_name
from precedent.errors import Invalid
from precedent.feedback import KINDS, Kind
from precedent.paths import checked_path
from precedent.query import LIMIT as QUERY_LIMIT
from precedent.query import Query, joined, parse, words
from precedent.render import BUDGET, LEAST_BUDGET
from precedent.search import SHOWN, Include

ASKED_LIMIT = 100
"""Elements, and paths, that one recall may name."""

BUDGET_LIMIT = 100_000

TASK_LIMIT = 8000
"""Code points of a text about the work at hand."""

CursorText = Annotated[str | None, Field(max_length=8192)]


def _date(text: str) -> str:
    check_date(text, "/as_of")
    return text


def day(text: str | None, field: str) -> str:
    """A date, where a point or a date may stand; empty for a point. Raises Invalid for no date of a calendar."""
    if text is None or not re.search(PATTERN, text):
        return ""
    check_date(text, field)
    return text


ElementId = Annotated[str, Path(pattern="^el_[0-9a-f]{20}$")]
DecisionId = Annotated[str, Path(pattern="^d_[0-9a-f]{24}$")]
DecisionText = Annotated[str, Field(pattern="^d_[0-9a-f]{24}$")]


AsOf = Annotated[str, Field(pattern=PATTERN, examples=["2026-11-30"]), AfterValidator(_date)] | None
"""A bare day is its end."""

# What these may be is checked where their meaning is known; a client is told beforehand.
ElementName = Annotated[
    str, Field(json_schema_extra={"pattern": "^[^:]+:.", "examples": ["feature:product-search"]})
]
FilePath = Annotated[
    str, Field(json_schema_extra={"pattern": r"^[^/~\\]", "examples": ["search/api.py", "search/"]})
]


class Nothing(BaseModel):
    """A route without parameters."""

    model_config = ConfigDict(extra="forbid")


class Page(Nothing):
    """Where the page before ended."""

    cursor: CursorText = None


class AskedElements(Page):
    """Elements of one kind, or all."""

    kind: Annotated[str | None, Field(min_length=1, max_length=64)] = None


class AskedChanges(Nothing):
    """Where to begin and where to end: a point a former answer gave, or a date; nothing for all there is."""

    since: CursorText = None
    until: CursorText = None


class AskedName(Nothing):
    """A name, as `kind:name`."""

    name: ElementName


class AskedElement(Page):
    """One element, as it is or as it was."""

    as_of: AsOf = None


InElement = Annotated[AskedElement, InQuery()]
"""The same, in the query of a URL."""


class AskedSearch(Nothing):
    """A question in words, what else to look among, and how many hits to show."""

    q: Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": QUERY_LIMIT})]
    include: Include = "in_force"
    limit: Annotated[int, Field(ge=1, le=LOOKED_AT)] = SHOWN
    explain: bool = False
    feedback: bool = True


class Asked(Page):
    """An area: elements as `kind:name`, files by their path from the repository's root; and when.

    `q` asks in words, with the operators of a search; `task` is any text about the work at hand. They add the elements
    of what they find, and with `branch` they order what is told. With `as_of` it is what was in force at that date, by
    the dates of the decisions, and by today's paths.
    """

    element: Annotated[list[ElementName], Field(max_length=ASKED_LIMIT)] = []
    path: Annotated[list[FilePath], Field(max_length=ASKED_LIMIT)] = []
    budget: Annotated[int, Field(ge=LEAST_BUDGET, le=BUDGET_LIMIT)] = BUDGET
    as_of: AsOf = None
    q: Annotated[str | None, Field(min_length=1, json_schema_extra={"maxLength": QUERY_LIMIT})] = (
        None
    )
    task: Annotated[str | None, Field(min_length=1, max_length=TASK_LIMIT)] = None
    branch: Annotated[str | None, Field(min_length=1, max_length=500)] = None
    explain: bool = False

    def question(self) -> Query | None:
        """What is asked in words: `q`, and after it the words of `task`. Raises Invalid or TooLarge."""
        if self.as_of and (self.q or self.task):
            raise Invalid("/as_of", "words are looked for in what is in force now; ask without it")
        asked = parse(self.q) if self.q else Query()
        found = joined(asked, words(self.task)) if self.task else asked
        return found if found.sought else None

    def names(self) -> list[Name]:
        """The asked elements, each once, in order. Raises Invalid or TooLarge."""
        return [parse_name(text, f"/element/{n}") for n, text in enumerate(self.element)]

    def paths(self) -> list[str]:
        """The asked paths, each once, in order. Raises Invalid or TooLarge."""
        checked = [checked_path(text, f"/path/{n}") for n, text in enumerate(self.path)]
        return list(dict.fromkeys(checked))

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not (self.element or self.path or self.q or self.task):
            raise ValueError("name an `element` or a `path`, or ask in words with `q` or `task`")
        return self

    @property
    def area(self) -> str:
        """What is asked, in short: a cursor of one area is none of another."""
        return sha256(dumps([self.element, self.path, self.as_of, self.q, self.task, self.branch]))


class AskedFeedback(Nothing):
    """Decisions of which the feedback is asked."""

    decision: Annotated[list[DecisionText], Field(min_length=1, max_length=ASKED_LIMIT)]


class GivenFeedback(Nothing):
    """What became of decisions in one session; 100 in all. Who says it is whose token it is."""

    session: Annotated[str, Field(max_length=200)] = ""
    used: Annotated[list[DecisionText], Field(max_length=ASKED_LIMIT)] = []
    rejected: Annotated[list[DecisionText], Field(max_length=ASKED_LIMIT)] = []
    contradicted: Annotated[list[DecisionText], Field(max_length=ASKED_LIMIT)] = []

    def said(self) -> list[tuple[Kind, str]]:
        """(kind, decision) of all that is said."""
        return [(kind, decision) for kind in KINDS for decision in getattr(self, kind)]

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not 1 <= len(self.said()) <= ASKED_LIMIT:
            raise ValueError(f"name 1 to {ASKED_LIMIT} decisions as used, rejected or contradicted")
        return self
