"""The ports together: parallel appends of one writer, projectors on one log, and both beside each other."""

from __future__ import annotations

import threading

import pytest
from precedent.answers import Appended
from precedent.append import Appender
from precedent.consume import Scope, catch_up, open_object
from precedent.decision import parse
from precedent.element import parse_name
from precedent.entry import GENESIS, Arrived
from precedent.live import read_live
from precedent.orset import digest, fold
from precedent.ports import Log, Pointers, Projection
from precedent.request import AppendRequest
from precedent.resolve import Verdicts
from precedent.rows import COMPLETE

from tests.contract.samples import at_once

WRITERS = ("alice", "alice.laptop")
EACH = 4


def request(writer: str, number: int) -> AppendRequest:
    """One of several values for one slot: whoever comes later stands beside the others."""
    decision = {
        "title": f"Search runs on {writer} {number}",
        "rationale": "Because.",
        "mutations": [
            {
                "op": "set_prop",
                "element": "feature:search",
                "key": "engine",
                "value": f"{writer}{number}",
            }
        ],
    }
    verdicts = Verdicts(frozenset(), frozenset(), frozenset(), "branch")
    return AppendRequest((parse(decision),), verdicts, f"key-{number}", {})


def entries(scope: Scope, log: Log) -> list[Arrived]:
    """Every entry of a log, each of which can be read and none of which is missing."""
    found: list[Arrived] = []
    for writer in log.writers():
        first, tail = log.first_after(writer, 0), GENESIS
        while first:
            data = log.get(writer, first)
            assert data is not None
            opened = open_object(scope, writer, first, data, tail)
            assert opened.chain_breaks == ()
            found += [line for line in opened.lines if isinstance(line, Arrived)]
            assert found[-1].dot.seq == opened.end.seq
            first, tail = log.first_after(writer, first), opened.end.hash
    return found


def assert_projected(scope: Scope, log: Log, projection: Projection, expected: int) -> None:
    """The projection is what the log means: statuses, heads, every offset at the end, no stub."""
    arrived = entries(scope, log)
    assert len(arrived) == expected
    state = fold(arrived)
    assert {status.dot: status for status in projection.all_statuses()} == state
    assert digest(projection.all_statuses()) == digest(state.values())
    heads = read_live(projection, parse_name("feature:search", "").id, "p:engine")
    assert {head.row.dot for head in heads} == {s.dot for s in state.values() if s.holding}
    assert all(catch_up(scope, log, projection, writer).entries == 0 for writer in log.writers())


@pytest.mark.parametrize("projectors", [0, 2])
def test_parallel_appends_of_one_writer_lose_nothing(
    log: Log, pointers: Pointers, tenant: str, projectors: int
) -> None:
    scope = Scope(tenant, "shop")
    projection = pointers.open(pointers.ensure("salt"))
    projection.put(COMPLETE)
    done = threading.Event()

    def project() -> None:
        while not done.is_set():
            for writer in WRITERS:
                catch_up(scope, log, projection, writer)

    def append(work: tuple[str, int]) -> Appended:
        writer, number = work
        appender = Appender(scope, writer, log, pointers, lambda: "2026-11-30T20:38:14.123Z")
        return appender.append(request(writer, number))

    beside = [threading.Thread(target=project) for _ in range(projectors)]
    for thread in beside:
        thread.start()
    try:
        at_once(append, [(writer, number) for writer in WRITERS for number in range(EACH)])
    finally:
        done.set()
        for thread in beside:
            thread.join()
    for writer in WRITERS:
        assert catch_up(scope, log, projection, writer).complete
    assert_projected(scope, log, projection, len(WRITERS) * EACH)


def test_projectors_of_one_log_come_to_what_it_means(
    log: Log, pointers: Pointers, tenant: str
) -> None:
    scope = Scope(tenant, "shop")
    first = pointers.ensure("salt")
    pointers.open(first).put(COMPLETE)
    for number in range(EACH):
        for writer in WRITERS:
            appender = Appender(scope, writer, log, pointers, lambda: "2026-11-30T20:38:14.123Z")
            appender.append(request(writer, number))
    assert pointers.flip(first, pointers.fresh(first, "g2"))
    pointer = pointers.read()
    assert pointer is not None
    at_once(
        lambda writer: catch_up(scope, log, pointers.open(pointer), writer).complete, WRITERS * 3
    )
    assert_projected(scope, log, pointers.open(pointer), len(WRITERS) * EACH)
