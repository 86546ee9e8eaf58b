"""The contract of `ports.Pointers`."""

from __future__ import annotations

from dataclasses import replace

from precedent.entry import Dot
from precedent.ports import Pointers

from tests.contract.conftest import PointersOf
from tests.contract.samples import at_once, status

ALICE = Dot("alice", 1)


def test_a_project_nothing_was_recorded_in_has_none(pointers: Pointers) -> None:
    assert pointers.read() is None


def test_the_first_to_ensure_it_chooses_the_salt(pointers: Pointers) -> None:
    made = pointers.ensure("salt")
    assert made.salt == "salt"
    assert pointers.ensure("another") == made
    assert pointers.read() == made


def test_of_parallel_ensures_all_get_the_same(pointers: Pointers) -> None:
    got = at_once(pointers.ensure, "abcdefgh")
    assert set(got) == {pointers.read()}


def test_a_flip_keeps_table_and_salt(pointers: Pointers) -> None:
    old = pointers.ensure("salt")
    assert pointers.flip(old, pointers.fresh(old, "g2"))
    assert pointers.read() == replace(old, generation="g2")
    assert pointers.ensure("another") == replace(old, generation="g2")


def test_a_flip_from_what_is_no_longer_there_does_nothing(pointers: Pointers) -> None:
    old = pointers.ensure("salt")
    assert pointers.flip(old, pointers.fresh(old, "g2"))
    assert not pointers.flip(old, pointers.fresh(old, "g3"))
    assert pointers.read() == replace(old, generation="g2")


def test_of_parallel_flips_exactly_one_wins(pointers: Pointers) -> None:
    old = pointers.ensure("salt")
    generations = [f"g{number}" for number in range(2, 10)]
    won = at_once(
        lambda generation: pointers.flip(old, pointers.fresh(old, generation)), generations
    )
    assert won.count(True) == 1
    assert pointers.read() == replace(old, generation=generations[won.index(True)])


def test_a_flip_of_what_never_was_makes_nothing(
    pointers: Pointers, pointers_of: PointersOf
) -> None:
    old, other = pointers.ensure("salt"), pointers_of("nobody", "else")
    assert not other.flip(old, other.fresh(old, "g2"))
    assert other.read() is None


def test_a_pointer_opens_the_generation_it_names(pointers: Pointers) -> None:
    first = pointers.ensure("salt")
    pointers.open(first).put_status(status(ALICE))
    second = replace(first, generation="g2")
    assert pointers.open(second).statuses([ALICE]) == {}
    assert pointers.open(first).statuses([ALICE]) == {ALICE: status(ALICE)}


def test_projects_whose_names_begin_alike_keep_apart(pointers_of: PointersOf, tenant: str) -> None:
    pointers_of(tenant, "shop").ensure("salt")
    assert pointers_of(tenant, "shop-api").read() is None
    assert pointers_of(f"{tenant}.b", "shop").read() is None


def test_what_is_proposed_is_what_would_be_made(pointers: Pointers) -> None:
    proposed = pointers.proposed("salt")
    assert pointers.read() is None
    assert pointers.ensure("salt") == proposed
