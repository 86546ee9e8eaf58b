"""Rebuilding beside appends: the old generation serves until the new one has everything."""

import pytest
from precedent.orset import digest
from precedent.ports import StoreError
from precedent.rebuild import rebuild

from tests.property.shop import SCOPE, Shop, adopted, prop


@pytest.fixture
def shop():
    shop = Shop()
    for number in range(3):
        shop.send("alice.laptop", adopted(str(number), prop(f"feature:{number}", "engine", number)))
    return shop


def late(shop):
    shop.send("bob.desk", adopted("Late", prop("feature:late", "engine", "x")))


@pytest.mark.parametrize("name", ["read", "writers", "flip", "first_after"])
@pytest.mark.parametrize("nth", range(1, 6))
def test_an_append_at_any_moment_is_in_the_new_generation(shop, name, nth):
    calls = []

    def meddle(called):
        calls.append(called)
        if called == name and calls.count(name) == nth:
            shop.log.before = shop.pointers.before = lambda _: None
            late(shop)

    shop.log.before = shop.pointers.before = meddle
    rebuilt = rebuild(SCOPE, shop.log, shop.pointers, "g2")
    assert rebuilt.flipped
    assert shop.pointers.pointer.generation == "g2"
    assert shop.projected_digest() == shop.log_digest()


@pytest.mark.parametrize("at", range(1, 90))
def test_a_crash_anywhere_leaves_one_serving_and_the_next_run_comes_to_the_end(shop, at):
    calls = []

    def fail(called):
        calls.append(called)
        if len(calls) == at:
            raise StoreError(called)

    shop.log.before = shop.pointers.before = fail
    try:
        rebuild(SCOPE, shop.log, shop.pointers, "g2")
    except StoreError:
        assert shop.projected_digest() == shop.log_digest()
    shop.log.before = shop.pointers.before = lambda _: None
    assert rebuild(SCOPE, shop.log, shop.pointers, "g3").flipped
    assert shop.projected_digest() == shop.log_digest()


def test_of_two_at_once_one_flips(shop):
    done = []

    def second(called):
        if called == "flip" and not done:
            done.append(called)
            done.append(rebuild(SCOPE, shop.log, shop.pointers, "g3"))

    shop.pointers.before = second
    first = rebuild(SCOPE, shop.log, shop.pointers, "g2")
    assert (first.flipped, done[1].flipped) == (False, True)
    assert shop.pointers.pointer.generation == "g3"
    assert shop.projected_digest() == shop.log_digest()


def test_with_every_table_lost_the_log_alone_is_enough(shop):
    late(shop)
    bare = Shop(log=shop.log)
    bare.pointers.pointer = None
    rebuild(SCOPE, bare.log, bare.pointers, "g9")
    assert bare.projected_digest() == shop.log_digest()
    assert bare.pointers.pointer.salt == shop.pointers.pointer.salt


def test_an_empty_log_makes_an_empty_projection():
    shop = Shop()
    assert rebuild(SCOPE, shop.log, shop.pointers, "g2").flipped
    assert digest(shop.projection.all_statuses()).entries == 0
