"""The observed-remove set: what an entry's status is, what of it is live, and the digest of a set.

State is the set of entries and, for each, `lost`: the pairs (claim, displacing dot). Both only grow, so
entries commute in any order and duplicates change nothing. live = claims without a pair in `lost`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from precedent import canonical
from precedent.element import ADDRESSES, NOTE, PATHS
from precedent.entry import Arrived, Claim, Dot


class Lost(NamedTuple):
    """A claim of an entry that another entry, `by`, displaced."""

    element: str
    slot: str
    by: Dot


@dataclass(frozen=True, slots=True)
class Status:
    """One entry without its text. A stub (`decision` empty) has been displaced before it arrived.

    `at` is when it was recorded, `date` its effective date; `globs` are (element, glob) in order.
    """

    dot: Dot
    decision: str = ""
    sha256: str = ""
    outcome: str = ""
    at: str = ""
    date: str = ""
    branch: str = ""
    commit: str = ""
    claims: tuple[Claim, ...] = ()
    mentions: tuple[str, ...] = ()
    historical: tuple[Claim, ...] = ()
    globs: tuple[tuple[str, str], ...] = ()
    lost: frozenset[Lost] = frozenset()

    @property
    def arrived(self) -> bool:
        return bool(self.decision)

    @property
    def live(self) -> tuple[Claim, ...]:
        """The claims no entry displaces, addresses included."""
        gone = {(lost.element, lost.slot) for lost in self.lost}
        return tuple(claim for claim in self.claims if (claim.element, claim.slot) not in gone)

    @property
    def holding(self) -> tuple[Claim, ...]:
        """The live claims that put its decision in force: addresses do not."""
        return tuple(claim for claim in self.live if claim.slot not in ADDRESSES)

    def lost_to(self, element: str, slot: str) -> frozenset[Dot]:
        """The dots that displaced one claim."""
        return frozenset(
            lost.by for lost in self.lost if (lost.element, lost.slot) == (element, slot)
        )

    def losing(self, lost: Iterable[Lost]) -> Status:
        return replace(self, lost=self.lost | frozenset(lost))

    def joined(self, other: Status) -> Status:
        """What two readings of one entry say together."""
        claims = dict.fromkeys((*self.claims, *other.claims))
        return replace(self, claims=tuple(claims), lost=self.lost | other.lost)


def status_of(arrived: Arrived) -> Status:
    """What the projection keeps of an entry, before anything displaced it."""
    entry = arrived.entry
    circumstances = arrived.context.circumstances if arrived.context else {}
    return Status(
        dot=entry.dot,
        decision=entry.decision[0],
        sha256=entry.decision[1],
        outcome=entry.outcome,
        at=entry.recorded_at,
        date=entry.effective,
        branch=str(circumstances.get("branch", "")),
        commit=str(circumstances.get("commit", "")),
        claims=entry.claims,
        mentions=entry.mentions,
        historical=entry.historical,
        globs=tuple(_globs(arrived)),
    )


def _globs(arrived: Arrived) -> Iterator[tuple[str, str]]:
    addressed = [claim for claim in arrived.entry.claims if claim.slot == PATHS]
    body = arrived.body if addressed else None  # reading the text takes as long as all the rest
    for claim in addressed:
        value = body.value(claim.element, claim.slot) if body else None
        if isinstance(value, list):
            yield from ((claim.element, str(glob)) for glob in value)


def differ(heads: Iterable[Claim]) -> bool:
    """Whether heads of one slot contradict each other; notes and addresses never do."""
    return len({head.value for head in heads if contests(head.slot)}) > 1


def contests(slot: str) -> bool:
    """Whether a slot can be fought over at all."""
    return slot != NOTE and slot not in ADDRESSES


def fold(entries: Iterable[Arrived]) -> dict[Dot, Status]:
    """The state of a set of entries, in memory: the meaning every projection must come to."""
    state: dict[Dot, Status] = {}
    lost: dict[Dot, set[Lost]] = defaultdict(set)
    for arrived in entries:
        status = status_of(arrived)
        state[status.dot] = status
        for gone in arrived.entry.displaces:
            lost[gone.dot].add(Lost(gone.element, gone.slot, status.dot))
    for dot, pairs in lost.items():
        state[dot] = state.get(dot, Status(dot)).losing(pairs)
    return state


@dataclass(frozen=True, slots=True)
class Digest:
    """A mergeable, order-free digest of arrived entries: sums modulo 2^256."""

    total: int = 0
    entries: int = 0

    def add(self, status: Status) -> Digest:
        if not status.arrived:
            return self
        row = [
            list(status.dot),
            status.sha256,
            sorted(list(claim) for claim in status.claims),
            sorted([lost.element, lost.slot, list(lost.by)] for lost in status.lost),
        ]
        term = int(canonical.sha256(canonical.dumps(row)), 16)
        return Digest((self.total + term) % 2**256, self.entries + 1)

    def __str__(self) -> str:
        return f"sha256sum:{self.total:064x}"


def digest(statuses: Iterable[Status]) -> Digest:
    """The digest of a state. Stubs, hints and generations do not count."""
    total = Digest()
    for status in statuses:
        total = total.add(status)
    return total
