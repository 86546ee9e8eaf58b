"""The crash matrix of append: every port call failing before, after, or the process dying there."""

import os
from collections import Counter

import pytest
from precedent.errors import Unavailable
from precedent.ports import StoreError

from tests.chaos.check import Answered, failures
from tests.fakes.faults import Fault, ProcessDied, matrix
from tests.fakes.memory import MemoryPointers
from tests.property.shop import SCOPE, Shop, adopted, attach, id_of, link, prop, request_of

OLD = adopted("Old", prop("feature:search", "engine", "elastic"), attach("team:core"))
LINKED = adopted("Linked", link("feature:search", "USES", "service:db"))
OTHER = adopted("Other", prop("feature:search", "engine", "sqlite"))
NEW = adopted("New", prop("feature:search", "engine", "postgres"), supersedes=[id_of(OLD)])
REQUEST = request_of(NEW, LINKED, key="the-key", on_unseen="branch")
FIRST = request_of(OTHER, LINKED, key="the-key")


def a_past():
    """A project in which somebody decided before."""
    shop = Shop()
    shop.send("alice.laptop", OLD)
    return shop


def a_past_of_its_own():
    """The same, and the projection of this writer's log is lost."""
    shop = a_past()
    for number in range(3):
        shop.send("bob.desk", adopted(f"{number}", prop("feature:own", "x", number)), seen=SEEN)
    for key in [key for key in shop.pointers.table if "bob.desk" in f"{key}"]:
        del shop.pointers.table[key]
    return shop


def nothing_yet():
    """A project that begins with this very request."""
    return Shop(pointers=MemoryPointers())


PROVE = os.environ.get("HYPOTHESIS_PROFILE") == "prove"
SEEN = [id_of(adopted(f"{number}", prop("feature:own", "x", number))) for number in range(3)]
REQUESTS = {a_past: REQUEST, a_past_of_its_own: REQUEST, nothing_yet: FIRST}


def calls_of(begin):
    def counted():
        shop = begin()
        fault = Fault((shop.log, shop.pointers), 0, "never", StoreError)
        shop.appender("bob.desk").append(REQUESTS[begin])
        return fault.calls

    return counted


MATRIX = [
    pytest.param(begin, *case.values, id=f"{begin.__name__}: {case.id}")
    for begin in REQUESTS
    for case in matrix(calls_of(begin))[:: 1 if PROVE or begin is a_past else 3]
]
"""Every call, and of the two other beginnings every third case; all of them where it is to be proved."""


@pytest.mark.parametrize(("begin", "at", "when", "error"), MATRIX)
def test_sent_again_after_any_crash_a_request_is_recorded_exactly_once(begin, at, when, error):
    shop, request = begin(), REQUESTS[begin]
    fault = Fault((shop.log, shop.pointers), at, when, error)
    try:
        answer = shop.appender("bob.desk").append(request)
    except (Unavailable, ProcessDied):
        answer = None
    fault.lift()
    again = shop.appender("bob.desk").append(request)
    assert [result.status for result in again.results] == ["recorded", "recorded"]
    if answer:
        assert [r.dot for r in answer.results] == [r.dot for r in again.results]
    shop.sweep()
    given = tuple((result.id, result.dot.seq) for result in again.results)
    acknowledged = [Answered("bob.desk", request.key, given)]
    assert list(failures(acknowledged, SCOPE, shop.log, shop.pointers)) == []
    in_force = Counter(s.decision for s in shop.fold().values() if s.holding)
    assert {in_force[decision.id] for decision in request.decisions} == {1}
    assert id_of(OLD) not in in_force


CALLS = calls_of(a_past)()


@pytest.mark.parametrize("at", range(1, CALLS + 1))
def test_once_the_object_is_durable_no_failing_projection_takes_the_2xx_back(at):
    shop = a_past()
    since = []

    def fail_for_good(name):
        since.extend([name] * (("bob.desk", 1) in shop.log.objects))
        if len(since) >= at:
            raise StoreError("gone")

    shop.log.before = shop.pointers.before = fail_for_good
    answer = shop.appender("bob.desk").append(REQUEST)
    assert [(r.id, r.status) for r in answer.results] == [
        (id_of(NEW), "recorded"),
        (id_of(LINKED), "recorded"),
    ]


def test_an_adapter_that_tried_again_and_met_its_own_object_has_written_it():
    shop = a_past()
    put = shop.log.put

    def put_twice(*arguments):
        put(*arguments)
        return put(*arguments)

    shop.log.put = put_twice
    answer = shop.appender("bob.desk").append(REQUEST)
    assert [result.status for result in answer.results] == ["recorded", "recorded"]
    assert answer.projected
    assert len([a for a in shop.arrived() if a.dot.writer == "bob.desk"]) == 2
