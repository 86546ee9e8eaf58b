"""Laws of the log: one bad object hides nothing else, and what can be read again simply arrives."""

import itertools
from contextlib import suppress

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from precedent.consume import Scope
from precedent.entry import OBJECT_LIMIT
from precedent.orset import digest
from precedent.ports import Pointer
from precedent.rebuild import rebuild

from tests.fakes.steps import nothing
from tests.property.shop import SALT, SCOPE, Shop, adopted, prop

WRITER = "alice.laptop"
OTHER = Scope("evil", "shop")


def a_log(sizes):
    """A shop in which one writer has put objects of so many lines each, and another one object."""
    shop = Shop()
    for number, size in enumerate(sizes):
        values = [f"{number}.{line}" for line in range(size)]
        batch = [adopted(v, prop(f"feature:{v}", "engine", v)) for v in values]
        shop.send(WRITER, *batch, on_unseen="branch")
    shop.send("bob.desk", adopted("Bob's", prop("feature:bob", "engine", "b")))
    shop.log.objects = dict(sorted(shop.log.objects.items()))
    return shop


def truncated(data):
    """Cut within a line."""
    return data[: len(data) * 2 // 3].rstrip(b"\n")[:-1]


def cut_between_lines(data):
    """What is left is whole lines; that there were more only their entries tell."""
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: len(lines) // 2]) or data[:-2]


def flipped(data):
    return data.replace(b'"act":"record"', b'"act":"recorD"')


def of_a_later_version(data):
    lines = [msgspec.json.decode(line) for line in data.splitlines()]
    for line in lines:
        line["entry"]["v"] = 2
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


DAMAGES = {
    "gone": lambda _: None,
    "empty": lambda _: b"",
    "truncated": truncated,
    "cut between lines": cut_between_lines,
    "binary": lambda data: bytes(reversed(data)),
    "lines of rubbish": lambda _: b"rubbish\n" * 5,
    "blank lines": lambda data: b"\n" * 9,
    "flipped": flipped,
    "later version": of_a_later_version,
    "too large": lambda data: data + b" " * OBJECT_LIMIT,
    "deep": lambda _: b"[" * 100_000,
}

damage = st.dictionaries(st.integers(0, 5), st.sampled_from(sorted(DAMAGES)), max_size=4)
sizes = st.lists(st.integers(1, 4), min_size=1, max_size=6)


def damaged(shop, kinds):
    """Damage a writer's n-th object each; return the objects as they were."""
    whole = dict(shop.log.objects)
    mine = [place for place in whole if place[0] == WRITER]
    for number, kind in kinds.items():
        if number < len(mine):
            changed = DAMAGES[kind](whole[mine[number]])
            if changed is None:
                del shop.log.objects[mine[number]]
            else:
                shop.log.objects[mine[number]] = changed
    return whole


def emptied(shop):
    """The same log with a projection that has seen none of it."""
    return Shop(log=shop.log)


def put_back(shop, objects):
    shop.log.objects = objects


@given(sizes, damage)
@example([1, 1, 1], {0: "lines of rubbish"})
@example([1, 1, 1, 1], {1: "blank lines"})
def test_damage_to_one_object_hides_no_other_entry(sizes, kinds):
    shop = a_log(sizes)
    damaged(shop, kinds)
    fresh = emptied(shop)
    fresh.sweep()
    assert {status.dot for status in fresh.projection.all_statuses()} == set(fresh.fold())


@given(sizes, damage)
@example([3, 1], {0: "gone"})
@example([1, 1, 1], {0: "gone", 1: "gone"})
@example([3, 1], {0: "truncated"})
@example([4, 1], {0: "cut between lines"})
@example([2, 1, 1], {0: "too large"})
def test_what_becomes_readable_arrives_with_the_next_sweep(sizes, kinds):
    shop = a_log(sizes)
    whole = damaged(shop, kinds)
    fresh = emptied(shop)
    fresh.sweep()
    put_back(fresh, whole)
    fresh.sweep()
    assert fresh.projected_digest() == fresh.log_digest()
    assert not list(fresh.projection.quarantined())


@given(sizes, damage, damage)
def test_consumed_as_it_was_damaged_or_rebuilt_afterwards_is_the_same(sizes, first, second):
    """The projection is a function of what can be read now, not of what it was read through."""
    shop = a_log(sizes)
    whole = damaged(shop, first)
    fresh = emptied(shop)
    fresh.sweep()
    put_back(fresh, whole)
    fresh.sweep()
    assert rebuild(SCOPE, fresh.log, fresh.pointers, "g2").flipped
    rebuilt = fresh.pointers.open(Pointer("projection", "g2", SALT))
    assert digest(rebuilt.all_statuses()) == fresh.log_digest()


@given(sizes, damage)
def test_nothing_is_stepped_over_in_silence(sizes, kinds):
    shop = a_log(sizes)
    damaged(shop, {number: kind for number, kind in kinds.items() if number < len(sizes) - 1})
    harmed = {kind for number, kind in kinds.items() if number < len(sizes) - 1}
    fresh = emptied(shop)
    swept = fresh.sweep()
    rows = list(fresh.projection.quarantined())
    assert bool(rows) == bool(harmed)
    assert swept.quarantined >= len(rows)
    assert all(row.reason for row in rows)


@given(sizes, st.sampled_from(sorted(set(DAMAGES) - {"gone", "too large"})))
def test_the_chain_goes_on_from_an_unreadable_line(sizes, kind):
    """The next entry's `prev` is the sha256 of the line that could not be read."""
    shop = a_log(sizes)
    damaged(shop, {len(sizes) - 1: kind})
    fresh = emptied(shop)
    fresh.send(WRITER, adopted("After", prop("feature:after", "engine", "x")), key="after")
    last = list(fresh.objects(WRITER))[-1]
    assert not last.chain_breaks


@given(sizes)
def test_a_copy_in_another_place_is_no_entry_there(sizes):
    shop = a_log(sizes)
    for (writer, first), data in list(shop.log.objects.items()):
        if writer == WRITER:
            shop.log.objects["mallory.pc", first] = data
    shop.sweep()
    assert {dot.writer for dot in shop.fold()} == {WRITER, "bob.desk"}
    assert shop.projected_digest() == shop.log_digest()
    assert {row.dot.writer for row in shop.projection.quarantined()} == {"mallory.pc"}


class Died(BaseException):
    """The end of a sweep's process."""


def swept_twice_dying_once(sizes, kinds, steps):
    """A sweep of what was put back dies at its so many-th call; the next one runs to its end."""
    shop = a_log(sizes)
    whole = damaged(shop, kinds)
    fresh = emptied(shop)
    fresh.sweep()
    put_back(fresh, whole)
    calls = itertools.count(1)

    def die(_name):
        if next(calls) == steps:
            raise Died

    fresh.pointers.before = die
    with suppress(Died):
        fresh.sweep()
    fresh.pointers.before = nothing
    fresh.sweep()
    return fresh


@given(sizes, damage, st.integers(1, 60))
def test_a_sweep_that_dies_is_finished_by_the_next(sizes, kinds, steps):
    fresh = swept_twice_dying_once(sizes, kinds, steps)
    assert fresh.projected_digest() == fresh.log_digest()


@pytest.mark.parametrize("steps", range(1, 60))
def test_a_sweep_may_die_at_any_call_while_it_fills_a_gap(steps):
    fresh = swept_twice_dying_once([1, 2, 1, 1], {0: "gone", 1: "gone", 2: "gone"}, steps)
    assert fresh.projected_digest() == fresh.log_digest()
