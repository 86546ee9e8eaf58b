"""Projecting one entry: a few single-item writes, each idempotent, in an order that never lies.

0. the key, so that a request that is sent again is known before anything else of it can be met
1. body and status   2. history, decision → dot, directory   3. search rows and live rows, then the slots are
read again for conflicts   4. what is displaced is marked lost, then its rows go. The writer's offset moves afterwards,
when every line of the object is in (see `consume`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from precedent.entry import Arrived, Claim, Dot
from precedent.indexing import index, shelve
from precedent.live import read_live
from precedent.orset import Lost, Status, contests, status_of
from precedent.ports import Projection
from precedent.rows import ConflictRow, immutable_rows, key_row, live_rows, superfluous_rows


@dataclass(frozen=True, slots=True)
class Conflict:
    """A slot whose heads differ, with the statuses behind them."""

    element: str
    slot: str
    heads: tuple[tuple[Status, Claim], ...]


def project(projection: Projection, arrived: Arrived) -> list[Conflict]:
    """Fold one entry into the projection; return the conflicts it stands in now."""
    projection.put(key_row(arrived))
    if body := arrived.body:
        projection.put_body(body)
    status = projection.put_status(status_of(arrived))
    for row in immutable_rows(arrived):
        projection.put(row)
    if body:
        index(projection, status, body.content)
    for row in live_rows(status):
        projection.put(row)
    conflicts = conflicts_of(projection, arrived, status)
    for conflict in conflicts:
        projection.put(ConflictRow(conflict.element, conflict.slot, arrived.dot))
    for dot, lost in _displaced(arrived).items():
        after = projection.add_lost(dot, lost)
        for row in superfluous_rows(after, lost):
            projection.delete(row)
        if after.arrived and not after.holding:
            shelve(projection, after)
    return conflicts


def conflicts_of(projection: Projection, arrived: Arrived, status: Status) -> list[Conflict]:
    """Read the claimed slots again: of two parallel entries at least one sees the other."""
    own = {(gone.element, gone.slot, gone.dot) for gone in arrived.entry.displaces}
    found: list[Conflict] = []
    for claim in status.live:
        if not contests(claim.slot):
            continue
        heads = [
            (head.status, head.claim)
            for head in read_live(projection, claim.element, claim.slot)
            if (claim.element, claim.slot, head.row.dot) not in own
        ]
        if any(head.value != claim.value for _, head in heads):
            found.append(Conflict(claim.element, claim.slot, tuple(heads)))
    return found


def _displaced(arrived: Arrived) -> dict[Dot, list[Lost]]:
    by_dot: dict[Dot, list[Lost]] = defaultdict(list)
    for gone in arrived.entry.displaces:
        by_dot[gone.dot].append(Lost(gone.element, gone.slot, arrived.dot))
    return by_dot
