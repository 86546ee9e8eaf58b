"""The contract of `ports.Inventory`, of listing a log, and of putting an offset back."""

from __future__ import annotations

import pytest
from precedent.aws.inventory import DynamoInventory
from precedent.aws.log import S3Log
from precedent.aws.projection import DynamoProjection
from precedent.entry import Dot
from precedent.orset import Lost
from precedent.ports import Bookmark, Inventory, Log, Offset, Pointers, Projection, StoreMissing
from precedent.rows import QuarantineRow

from tests.contract.conftest import Aws, PointersOf
from tests.contract.samples import SEARCH, body, status
from tests.contract.test_projection import ROWS

ALICE, BOB = Dot("alice", 1), Dot("bob", 7)


@pytest.fixture
def served(pointers: Pointers) -> tuple[Projection, Inventory]:
    pointer = pointers.ensure("salt")
    return pointers.open(pointer), pointers.inventory(pointer)


def filled(projection: Projection) -> set[object]:
    """One item of every kind; returns them as a scan has to find them."""
    text = body("d_9")
    projection.put_body(text)
    arrived = projection.put_status(status(ALICE))
    stub = projection.add_lost(BOB, [Lost(SEARCH, "p:a", ALICE)])
    for row in ROWS:
        projection.put(row)
    projection.move_offset("alice", Offset(), Offset(1, "a" * 64))
    return {arrived, stub, *ROWS, Bookmark("alice", Offset(1, "a" * 64)), text.id}


def scanned(inventory: Inventory) -> set[object]:
    """What a scan finds; a text, which has no hash, by its id."""
    items = [found.item for found in inventory.scan() if found.item is not None]
    return {getattr(item, "id", item) for item in items}


def test_a_scan_finds_every_item_as_it_was_put(served: tuple[Projection, Inventory]) -> None:
    projection, inventory = served
    items = filled(projection)
    assert scanned(inventory) == items
    for found in inventory.scan():
        if found.item is not None:
            assert tuple(found.key) == tuple(inventory.key(found.item))


def test_a_gap_keeps_where_the_log_went_on(served: tuple[Projection, Inventory]) -> None:
    projection, inventory = served
    gap = QuarantineRow(ALICE, 1, "nothing lies at 1", until=7)
    projection.put(gap)
    assert list(projection.quarantined()) == [gap]
    assert scanned(inventory) == {gap}


def test_a_scan_names_the_generation(pointers: Pointers) -> None:
    old = pointers.ensure("salt")
    for pointer in (old, pointers.fresh(old, "g2")):
        pointers.open(pointer).put_status(status(ALICE))
    found = {found.generation for found in pointers.inventory(old).scan()}
    assert found == {"g1", "g2"}


def test_a_scan_sees_no_other_project(pointers_of: PointersOf, tenant: str) -> None:
    mine, other = pointers_of(tenant, "shop"), pointers_of(tenant, "shop-api")
    other.open(other.ensure("salt")).put_status(status(ALICE))
    assert list(mine.inventory(mine.ensure("salt")).scan()) == []


def test_what_is_forgotten_is_gone_and_nothing_else(served: tuple[Projection, Inventory]) -> None:
    projection, inventory = served
    items = filled(projection)
    inventory.forget([*ROWS, *ROWS])
    assert scanned(inventory) == items - set(ROWS)
    inventory.forget(inventory.scan())
    assert list(inventory.scan()) == []
    inventory.forget([])


def test_what_was_forgotten_can_be_put_again(served: tuple[Projection, Inventory]) -> None:
    projection, inventory = served
    filled(projection)
    inventory.forget(list(inventory.scan()))
    projection.put_status(status(ALICE))
    assert projection.statuses([ALICE]) == {ALICE: status(ALICE)}


def test_an_offset_is_put_back_and_moves_on_from_there(projection: Projection) -> None:
    far, back = Offset(5, "b" * 64), Offset(2, "a" * 64, promised=5)
    projection.move_offset("alice", Offset(), far)
    assert not projection.rewind("alice", back, back)
    assert projection.rewind("alice", far, back)
    assert projection.offset("alice") == back
    assert projection.offsets() == {"alice": back}
    assert projection.offset("alice").short
    further = Offset(6, "c" * 64)
    assert projection.move_offset("alice", back, further)
    assert projection.offset("alice") == further._replace(promised=5)
    assert not projection.offset("alice").short


def test_an_offset_is_put_back_to_nothing_and_moves_on(projection: Projection) -> None:
    first, nothing = Offset(1, "a" * 64), Offset(promised=1)
    projection.move_offset("alice", Offset(), first)
    assert projection.rewind("alice", first, nothing)
    assert projection.offset("alice") == nothing
    assert projection.move_offset("alice", nothing, first)


def test_a_promise_is_kept_where_nothing_was_read(projection: Projection) -> None:
    assert projection.rewind("alice", Offset(), Offset(promised=3))
    assert projection.offset("alice") == Offset(promised=3)


def test_a_log_lists_everything_under_its_prefix(log: Log) -> None:
    log.put("alice", 1, b"one\n")
    log.put("a.b", 7, b"seven\n")
    assert sorted(log.names()) == [("a.b/000000000007.jsonl", 6), ("alice/000000000001.jsonl", 4)]


def test_what_is_no_object_is_listed_too(aws: Aws, tenant: str) -> None:
    from precedent.aws.log import s3_client

    s3_client().put_object(Bucket=aws.bucket, Key=f"t/{tenant}/shop/log/notes.txt", Body=b"x")
    assert list(aws.log(tenant, "shop").names()) == [("notes.txt", 1)]


def test_what_is_not_there_at_all_is_told_from_what_does_not_answer(aws: Aws, tenant: str) -> None:
    with pytest.raises(StoreMissing):
        list(S3Log("no-such-bucket", tenant, "shop").names())
    with pytest.raises(StoreMissing):
        DynamoProjection("NoSuchTable", "g1", tenant, "shop").offset("alice")
    with pytest.raises(StoreMissing):
        list(DynamoInventory("NoSuchTable", "g1", tenant, "shop").scan())
