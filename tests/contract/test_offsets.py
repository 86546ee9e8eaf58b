"""The contract of `ports.Projection`, its offsets."""

from __future__ import annotations

from functools import partial

from precedent.entry import GENESIS
from precedent.ports import Offset, Projection

from tests.contract.conftest import ProjectionOf
from tests.contract.samples import at_once


def test_an_offset_moves_only_from_where_it_stands(projection: Projection) -> None:
    first, second = Offset(2, "a" * 64), Offset(5, "b" * 64)
    assert projection.offset("alice") == Offset(0, GENESIS)
    assert not projection.move_offset("alice", first, second)
    assert projection.move_offset("alice", Offset(), first)
    assert not projection.move_offset("alice", Offset(), second)
    assert not projection.move_offset("alice", Offset(2, "c" * 64), second)
    assert projection.offset("alice") == first
    assert projection.move_offset("alice", first, second)
    assert projection.offset("alice") == second
    assert projection.offset("alice.b") == Offset()


def test_an_offset_never_goes_back(projection: Projection) -> None:
    far = Offset(5, "b" * 64)
    projection.move_offset("alice", Offset(), far)
    assert not projection.move_offset("alice", far, Offset(4, "a" * 64))
    assert not projection.move_offset("alice", far, Offset(5, "c" * 64))
    assert projection.offset("alice") == far


def test_of_parallel_moves_exactly_one_wins_a_step(projection: Projection) -> None:
    old = Offset()
    for seq in range(1, 6):
        new = [Offset(seq, f"{thread:064x}") for thread in range(8)]
        moved = at_once(partial(projection.move_offset, "alice", old), new)
        assert moved.count(True) == 1
        old = new[moved.index(True)]
        assert projection.offset("alice") == old


def test_every_writer_has_an_offset_of_its_own(projection_of: ProjectionOf, tenant: str) -> None:
    projection = projection_of(tenant, "shop", "g1")
    expected = {
        writer: Offset(seq, "a" * 64) for seq, writer in enumerate(("a", "a-b", "a.b", "b"), 1)
    }
    for writer, offset in expected.items():
        projection.move_offset(writer, Offset(), offset)
    assert projection.offsets() == expected
    for generation, project in (("g2", "shop"), ("g1", "shop-api"), ("g1", "sho")):
        assert projection_of(tenant, project, generation).offsets() == {}
