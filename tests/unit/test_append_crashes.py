"""The crash matrix of append: every port call failing before, after, or the process dying there."""

from collections import Counter

import pytest
from precedent.errors import Unavailable
from precedent.ports import StoreError

from tests.property.shop import Shop, adopted, attach, id_of, link, prop, request_of

OLD = adopted("Old", prop("feature:search", "engine", "elastic"), attach("team:core"))
LINKED = adopted("Linked", link("feature:search", "USES", "service:db"))
NEW = adopted("New", prop("feature:search", "engine", "postgres"), supersedes=[id_of(OLD)])
REQUEST = request_of(NEW, LINKED, key="the-key", on_unseen="branch")


class ProcessDied(BaseException):
    """The end of a process: nothing catches it."""


class Fault:
    """Raises at one port call, once: before it is made, or after it was applied."""

    def __init__(self, shop, at, when, error):
        self.at, self.when, self.error, self.calls = at, when, error, 0
        for port in (shop.log, shop.pointers):
            port.before, port.after = self._before, self._after

    def _before(self, _name):
        self.calls += 1
        if self.calls == self.at and self.when == "before":
            raise self.error("before")

    def _after(self, _name):
        if self.calls == self.at and self.when == "after":
            self.at = 0
            raise self.error("after")


def shop_with_a_past():
    shop = Shop()
    shop.send("alice.laptop", OLD)
    return shop


def port_calls():
    shop = shop_with_a_past()
    fault = Fault(shop, 0, "never", StoreError)
    shop.appender("bob.desk").append(REQUEST)
    return fault.calls


CALLS = port_calls()
MATRIX = [
    pytest.param(at, when, error, id=f"{error.__name__} {when} call {at}")
    for at in range(1, CALLS + 1)
    for when in ("before", "after")
    for error in (StoreError, ProcessDied)
]


@pytest.mark.parametrize(("at", "when", "error"), MATRIX)
def test_sent_again_after_any_crash_a_request_is_recorded_exactly_once(at, when, error):
    shop = shop_with_a_past()
    Fault(shop, at, when, error)
    try:
        answer = shop.appender("bob.desk").append(REQUEST)
    except (Unavailable, ProcessDied):
        answer = None
    again = shop.appender("bob.desk").append(REQUEST)
    assert [result.status for result in again.results] == ["recorded", "recorded"]
    if answer:
        assert [r.dot for r in answer.results] == [r.dot for r in again.results]
    written = Counter(a.entry.decision[0] for a in shop.arrived() if a.dot.writer == "bob.desk")
    assert written == {id_of(NEW): 1, id_of(LINKED): 1}
    shop.sweep()
    assert shop.projected_digest() == shop.log_digest()
    assert {s.decision for s in shop.fold().values() if s.holding} == {id_of(NEW), id_of(LINKED)}


@pytest.mark.parametrize("at", range(1, CALLS + 1))
def test_once_the_object_is_durable_no_failing_projection_takes_the_2xx_back(at):
    shop = shop_with_a_past()
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
    shop = shop_with_a_past()
    put = shop.log.put

    def put_twice(*arguments):
        put(*arguments)
        return put(*arguments)

    shop.log.put = put_twice
    answer = shop.appender("bob.desk").append(REQUEST)
    assert [result.status for result in answer.results] == ["recorded", "recorded"]
    assert answer.projected
    assert len([a for a in shop.arrived() if a.dot.writer == "bob.desk"]) == 2
