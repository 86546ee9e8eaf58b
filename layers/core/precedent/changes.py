"""What arrived since a point: a vector of offsets, one a writer, and the seqs that were passed unread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from precedent.answers import Change
from precedent.dates import begins, ends
from precedent.entry import Dot
from precedent.orset import Status
from precedent.ports import Projection
from precedent.reading import Texts, recorded

PAGE = 100
"""Entries in one answer."""

LOOKED = 1_000
"""Entries looked at for one answer, where only those of some days are wanted."""


@dataclass(frozen=True, slots=True)
class Since:
    """How far somebody has read: per writer the last seq, and what was quarantined on the way.

    `passed` is asked again each time, so that what becomes readable simply arrives. What was recorded before
    `day`, if any, is not told.
    """

    offsets: dict[str, int] = field(default_factory=dict)
    passed: tuple[Dot, ...] = ()
    day: str = ""


@dataclass(frozen=True, slots=True)
class Until:
    """Where to stop: at a point somebody has read to, at the end of a day or instant, or at what there is."""

    point: Since | None = None
    day: str = ""

    def last(self, writer: str, seq: int) -> int:
        """The last seq of a writer that lies before it, of as many as there are."""
        return seq if self.point is None else min(seq, self.point.offsets.get(writer, 0))

    def had(self, dot: Dot) -> bool:
        """Whether what was stepped over had been read by then."""
        return self.point is None or dot not in self.point.passed

    def admits(self, status: Status, since: Since) -> bool:
        """Whether an entry was recorded within the days wanted."""
        at = begins(status.at)
        return begins(since.day) <= at and (not self.day or at <= ends(self.day))


EVERYTHING = Until()


def changes(
    projection: Projection | None, since: Since, until: Until = EVERYTHING
) -> tuple[list[Change], Since, bool]:
    """The entries that arrived between two points, by time; the point to go on from; whether there is more.

    An entry that was projected ahead of its writer's offset waits for the offset.
    """
    if projection is None:
        return [], since, False
    # Before the quarantined are: what an offset has passed is among them by then.
    reached = sorted(projection.offsets().items())
    page = _Page(since, until)
    passed = dict.fromkeys(since.passed)
    for dot, status in projection.statuses(passed).items():
        if status.arrived and until.had(dot):
            del passed[dot]
            page.look(status)
    offsets, more = dict(since.offsets), False
    quarantined = [row.dot for row in projection.quarantined()]
    for writer, offset in reached:
        after, last = offsets.get(writer, 0), until.last(writer, offset.seq)
        if last <= after:
            continue
        if page.full:
            more = True
            break
        end = page.fill(projection.entries(writer, after), last)
        more = more or end < last
        offsets[writer] = end
        passed |= {
            dot: None for dot in quarantined if dot.writer == writer and after < dot.seq <= end
        }
    return _told(projection, page.found), Since(offsets, tuple(sorted(passed)), since.day), more


@dataclass(slots=True)
class _Page:
    """One answer while it is filled."""

    since: Since
    until: Until
    found: list[Status] = field(default_factory=list)
    looked: int = 0

    @property
    def full(self) -> bool:
        return len(self.found) >= PAGE or self.looked >= LOOKED

    def look(self, status: Status) -> None:
        self.looked += 1
        if status.arrived and self.until.admits(status, self.since):
            self.found.append(status)

    def fill(self, entries: Iterable[Status], last: int) -> int:
        """Look at a writer's entries up to a seq, or until the page is full; return how far that went."""
        for status in entries:
            if status.dot.seq > last:
                break
            self.look(status)
            if self.full:
                return status.dot.seq
        return last


def _told(projection: Projection, found: list[Status]) -> list[Change]:
    texts = Texts(projection)
    texts.fetch(status.decision for status in found)
    return [
        Change(
            id=status.decision,
            title=texts.title(status.decision),
            outcome=status.outcome,
            date=status.date,
            recorded=recorded(status),
            claims=texts.held(status.claims),
            in_force=bool(status.holding),
        )
        for status in sorted(found, key=lambda status: (status.at, status.dot))
    ]
