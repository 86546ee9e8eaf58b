"""A repeated key whose first sender died while its batch was being projected."""

import pytest
from precedent.errors import UnknownDecision
from precedent.pointer import follow
from precedent.ports import StoreError

from tests.fakes.faults import Fault, ProcessDied
from tests.fakes.memory import MemoryLog, MemoryPointers
from tests.fakes.steps import nothing
from tests.property.shop import EMPTY, SCOPE, Shop, adopted, prop

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
    assert arrived(shop) < 3
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


def calls():
    shop = Shop()
    fault = Fault((shop.log, shop.pointers), 0, "never", StoreError)
    send(shop)
    return fault.calls


@pytest.mark.parametrize("at", range(1, calls() + 1))
@pytest.mark.parametrize("other", ["nothing", "projector"])
def test_whatever_of_it_is_projected_a_repeated_key_is_answered_as_the_first_time(at, other):
    """Also while a projector finishes what was begun, at any moment of the second try."""
    shop = Shop()
    fault = Fault((shop.log, shop.pointers), at, "before", ProcessDied)
    with pytest.raises(ProcessDied):
        send(shop)
    fault.lift()
    if not shop.log.objects:
        return
    for moment in range(1, 12 if other == "projector" else 2):
        again = Shop(
            log=MemoryLog(objects=dict(shop.log.objects)),
            pointers=MemoryPointers(pointer=EMPTY, table=dict(shop.pointers.table)),
        )
        if other == "projector":
            meanwhile(again, moment)
        assert [result.status for result in send(again).results] == ["recorded"] * 3
        assert len(again.arrived()) == 3


def meanwhile(shop, moment):
    """Have a projector do all its work just before one of the calls to come."""
    left = iter(range(moment))

    def before(_name):
        if next(left, None) is None:
            shop.log.before = shop.pointers.before = nothing
            follow(SCOPE, shop.log, shop.pointers, "alice.laptop")

    shop.log.before = shop.pointers.before = before


def test_a_batch_is_not_laid_over_what_somebody_wrote_ahead():
    """Its later lines would share their seqs with what is written after the other's object."""
    shop = Shop()
    shop.log.objects["alice.laptop", 2] = b"rubbish\n"
    assert [result.dot.seq for result in send(shop).results] == [3, 4, 5]
    shop.sweep()
    assert [row.dot.seq for row in shop.projection.quarantined()] == [1, 2]
    assert shop.projected_digest() == shop.log_digest()


def died_with_nothing_projected(*decisions):
    """The object is durable, and nothing tells of it."""
    for at in range(1, 1000):
        shop = Shop()
        shop.send("bob.desk", adopted("Before", prop("feature:z", "engine", "z")))
        fault = Fault((shop.log, shop.pointers), at, "before", ProcessDied)
        with pytest.raises(ProcessDied):
            shop.send("alice.laptop", *decisions, key="the-key")
        fault.lift()
        if ("alice.laptop", 1) in shop.log.objects:
            return shop
    raise AssertionError("it never came so far")


def test_a_head_that_came_since_does_not_refuse_what_was_recorded_before_it():
    shop = died_with_nothing_projected(*BATCH)
    shop.send("bob.desk", adopted("Bob's", prop("feature:a", "engine", "other")))
    answer = send(shop)
    assert [(each.status, each.dot.seq) for each in answer.results] == [
        ("recorded", 1),
        ("recorded", 2),
        ("recorded", 3),
    ]
    assert [writer for writer, _ in shop.log.objects].count("alice.laptop") == 1


def test_no_refusal_is_given_before_the_log_was_asked_whether_it_is_recorded():
    """Its answer is looked up even where the projection knows nothing of what it supersedes."""
    shop = died_with_nothing_projected(*BATCH)
    unknown = "d_" + "0" * 24
    with pytest.raises(UnknownDecision):
        shop.send("alice.laptop", adopted("New", supersedes=[unknown]), key="another")
    assert shop.projection.results("alice.laptop", "the-key")
