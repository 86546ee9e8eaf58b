"""What the product answers: the shapes of the contract, as frozen dataclasses the HTTP layer serves as is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from precedent.decision import Value


@dataclass(frozen=True, slots=True)
class DotAnswer:
    """(writer, seq) of an entry."""

    writer: str
    seq: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """Who recorded a decision, when (ISO 8601, UTC), and from where."""

    writer: str
    seq: int
    at: str
    branch: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Overruled:
    """A decision taken out of force on slots of one element, and what that leaves undecided."""

    id: str
    title: str
    element: str
    slots: list[str]
    by: str
    left: list[str]


@dataclass(frozen=True, slots=True)
class Head:
    """One side of a conflict."""

    value: Value
    decision: str
    title: str
    recorded: Recorded


@dataclass(frozen=True, slots=True)
class ConflictAnswer:
    """A slot whose heads differ; both stand until a decision displaces them."""

    element: str
    slot: str
    heads: list[Head]


@dataclass(frozen=True, slots=True)
class Restorable:
    """What a withdrawn decision had displaced, and which slots of it are undecided now.

    Recorded again, as it was, it is in force again.
    """

    id: str
    title: str
    held: list[str]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one decision of a request."""

    id: str
    status: Literal["recorded", "already_in_force", "already_superseded", "already_recorded"]
    dot: DotAnswer | None = None
    overruled: list[Overruled] = field(default_factory=list)
    conflicts: list[ConflictAnswer] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    restorable: list[Restorable] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Appended:
    """The answer to an append; `projected` false means that reads will show it a little later."""

    results: list[Result]
    projected: bool

    @property
    def written(self) -> bool:
        return any(result.status == "recorded" for result in self.results)


@dataclass(frozen=True, slots=True)
class SlotValue:
    """A head of a slot, as recall shows it."""

    value: Value
    decision: str


@dataclass(frozen=True, slots=True)
class ElementAnswer:
    """What is in force on one element.

    A link is `{"from", "kind", "to", "slot", "value", "decision"}`: `slot` is its name in `conflicts`, and
    `value` false means that it was decided away. `same_as` are the ids of elements that are the same thing under
    another name: they are told as well, and `conflicts` counts what is decided otherwise there.
    """

    id: str
    kind: str
    name: str
    why: str
    slots: dict[str, list[SlotValue]]
    links: list[dict[str, Any]]
    in_force: list[str]
    dead_ends: list[str]
    conflicts: list[str]
    same_as: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SetSlot:
    """What a decision sets a slot to, by the name under which `holds` lists it; a link to true or false."""

    slot: str
    value: Value
    link: bool = False


@dataclass(frozen=True, slots=True)
class DecisionAnswer:
    """A decision's text, what it holds and who recorded it.

    `sets` are the values of what it holds, on whatever element; of a dead end or a note, what it would have set.
    """

    title: str
    rationale: str
    outcome: str
    rejected: list[dict[str, str]]
    refs: list[dict[str, str]]
    date: str | None
    holds: list[str]
    recorded: list[Recorded]
    trust: str
    sets: list[SetSlot] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Omitted:
    """What did not fit, counted and named."""

    count: int
    ids: list[str]


@dataclass(frozen=True, slots=True)
class RankedBy:
    """What an answer was ranked by, words as in a search; `scores`, if asked for, are what each decision got.

    Of a score: `element` it is on one that was named, `path` on one near the file, `words` it says what was asked,
    each at most 1; `branch` it was recorded on that branch.
    """

    words: list[str]
    corrected: dict[str, list[str]]
    common: list[str]
    unread: list[str]
    scores: dict[str, dict[str, float]] | None


@dataclass(frozen=True, slots=True)
class Recalled:
    """What an agent is given for an area. `shown` are the ids whose full text is in `decisions`.

    `as_of` is the date the answer is about, None for now.
    """

    project: str
    state: Literal["ok", "empty", "unavailable"]
    elements: list[ElementAnswer]
    decisions: dict[str, DecisionAnswer]
    shown: list[str]
    omitted: Omitted
    cursor: str | None
    as_of: str | None = None
    ranked: RankedBy | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """One decision in full: as recorded, by whom, what it holds and what displaced it."""

    id: str
    decision: dict[str, Any]
    in_force: bool
    holds: list[str]
    recorded: list[Recorded]
    displaced_by: list[str]


@dataclass(frozen=True, slots=True)
class DigestAnswer:
    """The digest of a project's projection: equal where the sets of arrived entries are equal."""

    digest: str
    entries: int
    elements: int


@dataclass(frozen=True, slots=True)
class Named:
    """An element that was ever named."""

    id: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Elements:
    """A page of the elements of a project, by kind and id."""

    elements: list[Named]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Replaced:
    """A decision that lost a slot, why it did (`supersedes`, `overrule` or `seen`), and what it had set it to."""

    slot: str
    id: str
    title: str
    why: str
    value: Value = None


@dataclass(frozen=True, slots=True)
class Event:
    """What one entry did on an element. `in_force` says whether it still holds anything there."""

    id: str
    title: str
    outcome: str
    date: str
    recorded: Recorded
    claims: list[str]
    historical: list[str]
    displaced: list[Replaced]
    in_force: bool
    displaced_by: list[str]


@dataclass(frozen=True, slots=True)
class History:
    """A page of an element's history, newest first by effective date."""

    element: Named
    events: list[Event]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Period:
    """What a decision settled on an element, and until when it held; `until` is null while it does.

    `historical`: it was recorded when something later held already.
    """

    slot: str
    value: Value
    historical: bool
    until: str | None
    ended_by: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One entry in an element's story: what it settled there and what it replaced."""

    id: str
    title: str
    rationale: str
    outcome: str
    date: str
    recorded: Recorded
    decided: list[Period]
    replaced: list[Replaced]


@dataclass(frozen=True, slots=True)
class Timeline:
    """A page of an element's story, oldest first by effective date."""

    element: Named
    steps: list[Step]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Conflicts:
    """A page of the slots on which heads differ."""

    conflicts: list[ConflictAnswer]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """One entry that arrived, and whether its decision is in force anywhere now."""

    id: str
    title: str
    outcome: str
    date: str
    recorded: Recorded
    claims: list[str]
    in_force: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """What arrived since a point: pass `since` to go on from here, at once if there is `more`."""

    changes: list[Change]
    since: str
    more: bool


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log as it is stored, and which object it lies in: `first` is that one's name."""

    writer: str
    seq: int
    first: int
    line: str


@dataclass(frozen=True, slots=True)
class Unread:
    """What lies in the log and cannot be read, from `seq` up to `until` (exclusive), and why."""

    writer: str
    seq: int
    until: int
    reason: str


@dataclass(frozen=True, slots=True)
class LogPage:
    """Lines of the log, by writer and seq: pass `since` to go on from here, at once if there is `more`."""

    tenant: str
    project: str
    lines: list[LogLine]
    unreadable: list[Unread]
    since: str
    more: bool


@dataclass(frozen=True, slots=True)
class FeedbackGiven:
    """What became of feedback: newly counted, said before in this session, and ids this project does not hold."""

    counted: int
    before: int
    unknown: list[str]


@dataclass(frozen=True, slots=True)
class Tallied:
    """In how many sessions something was said of a decision, and by how many writers."""

    sessions: int
    writers: int


@dataclass(frozen=True, slots=True)
class FeedbackAnswer:
    """By decision, by kind (`used`, `rejected`, `contradicted`): how often it was said."""

    feedback: dict[str, dict[str, Tallied]]
