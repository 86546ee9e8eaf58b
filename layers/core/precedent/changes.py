"""What arrived since a point: a vector of offsets, one a writer, and the seqs that were passed unread."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from precedent.answers import Change
from precedent.entry import Dot
from precedent.errors import Unavailable
from precedent.orset import Status
from precedent.ports import Projection
from precedent.reading import LOST, Texts, recorded

PAGE = 100
"""Entries in one answer."""


@dataclass(frozen=True, slots=True)
class Since:
    """How far somebody has read: per writer the last seq, and what was quarantined on the way.

    `passed` is asked again each time, so that what becomes readable simply arrives.
    """

    offsets: dict[str, int] = field(default_factory=dict)
    passed: tuple[Dot, ...] = ()


def changes(projection: Projection | None, since: Since) -> tuple[list[Change], Since, bool]:
    """The entries that arrived after a point, by time; the point to go on from; whether there is more.

    An entry that was projected ahead of its writer's offset waits for the offset. Raises Unavailable where the
    projection is lost.
    """
    if projection is None:
        return [], since, False
    # Before the quarantined are: what an offset has passed is among them by then.
    reached = sorted(projection.offsets().items())
    if not reached:
        raise Unavailable(LOST)
    found: list[Status] = []
    passed = dict.fromkeys(since.passed)
    for dot, status in projection.statuses(passed).items():
        if status.arrived:
            found.append(status)
            del passed[dot]
    offsets = dict(since.offsets)
    more = False
    quarantined = [row.dot for row in projection.quarantined()]
    for writer, offset in reached:
        after, room = offsets.get(writer, 0), PAGE - len(found)
        if offset.seq <= after:
            continue
        if room <= 0:
            more = True
            break
        entries = (s for s in projection.entries(writer, after) if s.arrived)
        page = [s for s in islice(entries, room) if s.dot.seq <= offset.seq]
        end = page[-1].dot.seq if len(page) == room else offset.seq
        more = more or end < offset.seq
        found += page
        offsets[writer] = end
        passed |= {
            dot: None for dot in quarantined if dot.writer == writer and after < dot.seq <= end
        }
    return _told(projection, found), Since(offsets, tuple(sorted(passed))), more


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
