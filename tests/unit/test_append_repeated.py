"""A repeated key whose first sender died while its batch was being projected."""

import pytest
from precedent.ports import StoreError

from tests.fakes.faults import Fault, ProcessDied
from tests.property.shop import Shop, adopted, prop

BATCH = [adopted(name, prop(f"feature:{name}", "engine", name)) for name in ("a", "b", "c")]


def send(shop):
    return shop.send("alice.laptop", *BATCH, key="the-key")


def died_with_a_part_projected():
    """The object is durable, and of three entries one can be found."""
    for at in range(1, 1000):
        shop = Shop()
        fault = Fault((shop.log, shop.pointers), at, "before", ProcessDied)
        with pytest.raises(ProcessDied):
            send(shop)
        fault.lift()
        if shop.projection.results("alice.laptop", "the-key"):
            return shop
    raise AssertionError("it never came so far")


def arrived(shop):
    return sum(status.arrived for status in shop.projection.all_statuses())


def test_what_is_answered_as_projected_is_projected_to_the_last_entry():
    shop = died_with_a_part_projected()
    assert arrived(shop) == 1
    answer = send(shop)
    assert [result.dot.seq for result in answer.results] == [1, 2, 3]
    assert answer.projected
    assert arrived(shop) == 3


def test_if_that_fails_the_answer_stands_and_says_so():
    shop = died_with_a_part_projected()

    def full(name):
        if name == "put_status":
            raise StoreError("throttled")

    shop.pointers.before = full
    answer = send(shop)
    assert [result.dot.seq for result in answer.results] == [1, 2, 3]
    assert not answer.projected
