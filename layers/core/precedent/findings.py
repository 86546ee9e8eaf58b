"""What a check of a project can find: each kind with what it costs and what mends it, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from precedent.entry import Dot
from precedent.ports import Found, Item
from precedent.rows import ConflictRow, LiveRow, PathRow, SearchRow, WordRow

_BACK = "Put the right bytes back, from a version of the object or a copy of the bucket; the next sweep takes them in."
_REPAIR = "`repair` mends it."


class Grade(Enum):
    """How much it matters. Only what is untidy leaves a project healthy."""

    UNREAD = "could not be read, so nothing is known of it"
    LOG = "the log itself is harmed"
    WRONG = "the projection does not say what the log says"
    UNTIDY = "costs nothing but room"


class Kind(Enum):
    """What was found: its name, how much it matters, what it costs, what mends it."""

    UNREAD = (
        "unread",
        Grade.UNREAD,
        "Nothing beyond this place of the writer's log was checked.",
        "See to the permission or the store, then verify again.",
    )
    UNREADABLE = (
        "unreadable",
        Grade.LOG,
        "This line counts for nothing; every other one counts.",
        _BACK + " A line of a later version needs later code.",
    )
    GAP = (
        "gap",
        Grade.LOG,
        "What lay here is gone from the log. Where it is still shown, a rebuild takes it away.",
        _BACK,
    )
    SHORT = (
        "short-log",
        Grade.LOG,
        "The log ends before what was acknowledged. The writer is refused, so that no number is given out twice.",
        _BACK
        + " If it is lost for good: `rebuild --accept-loss`, and another name for the writer.",
    )
    CHAIN = (
        "broken-chain",
        Grade.LOG,
        "It was written after another line than lies before it: something was replaced or taken out. Both count.",
        "Compare with a copy of the bucket.",
    )
    FORK = (
        "forked-writer",
        Grade.LOG,
        "Two installs wrote as one writer, in copies of the log that were put together. Both count.",
        "Look at the conflicts they left, and give each install a name of its own (`writer add`).",
    )
    HIDDEN = (
        "hidden-object",
        Grade.LOG,
        "It lies inside the numbers another object holds, so no reader of the log ever comes to it.",
        "If it was recorded by somebody, record it again; else leave it, or move it away.",
    )
    STRAY = (
        "stray-object",
        Grade.UNTIDY,
        "Its name is none the log gives, so nobody reads it.",
        "Leave it, or move it away.",
    )
    BEHIND = (
        "stale-offset",
        Grade.WRONG,
        "Entries of this writer are not shown yet, and its next append is slower.",
        "The next sweep, or `repair`.",
    )
    OFFSET = (
        "wrong-offset",
        Grade.WRONG,
        "The writer's next entry would not follow the end of an object, or not name the line before it.",
        _REPAIR,
    )
    LOST = (
        "lost-projection",
        Grade.WRONG,
        "It does not hold the whole project, so every read and every append is refused.",
        "The next sweep, or `rebuild`.",
    )
    MISSING = (
        "missing-row",
        Grade.WRONG,
        "An answer lacks what the log holds.",
        "`repair` projects the entry again.",
    )
    DIFFERENT = (
        "wrong-row",
        Grade.WRONG,
        "An answer says something else than the log.",
        "`rebuild`: no row of a generation is ever written over.",
    )
    UNLISTED = (
        "unlisted-entry",
        Grade.WRONG,
        "The entry is there and neither the digest nor `changes` comes upon it.",
        "`repair` projects the entry again.",
    )
    NOT_IN_LOG = (
        "not-in-log",
        Grade.WRONG,
        "It is shown, and the log does not hold it. A rebuild takes it away.",
        "Put its object back. If it never was one, or is lost for good: `rebuild`.",
    )
    UNNOTED = (
        "unnoted",
        Grade.WRONG,
        "It was stepped over, and neither the sweep nor an alarm tells of it.",
        _REPAIR,
    )
    FREED = (
        "stale-quarantine",
        Grade.WRONG,
        "It stands in quarantine and can be read by now, or is no place of the log any more.",
        "The next sweep, or `repair`.",
    )
    HINT = (
        "stale-hint",
        Grade.UNTIDY,
        "Every read passes over it.",
        _REPAIR,
    )
    LEFTOVER = (
        "leftover-generation",
        Grade.UNTIDY,
        "Nobody reads it.",
        "`repair --leftovers`, while no rebuild runs; or `rebuild --resume` goes on with it.",
    )

    @property
    def title(self) -> str:
        return self.value[0]

    @property
    def grade(self) -> Grade:
        return self.value[1]

    @property
    def cost(self) -> str:
        return self.value[2]

    @property
    def mend(self) -> str:
        return self.value[3]


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it should be. `item` and `dot` are what a repair works on."""

    kind: Kind
    where: str
    detail: str
    dot: Dot | None = None
    item: Item | Found | None = None

    @property
    def cost(self) -> str:
        """What it costs; of a row that is missing, by the row."""
        if self.kind is not Kind.MISSING:
            return self.kind.cost
        return _COSTS.get(type(self.item), self.kind.cost)


_COSTS: dict[type, str] = {
    LiveRow: "A decision that holds here is not recalled, and may be overruled unread.",
    PathRow: "The element is not found by its path.",
    ConflictRow: "A contradiction is not listed among the conflicts.",
    SearchRow: "The decision is not found by this word.",
    WordRow: "A misspelling of the word may not be forgiven.",
}
