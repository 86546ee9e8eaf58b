"""The proof against a killed local AWS can fail: each promise that is broken is named."""

import pytest
from precedent.entry import Dot
from precedent.rebuild import rebuild
from precedent.rows import COMPLETE, DotRow

from tests.chaos.check import Answered, failures
from tests.property.shop import SCOPE, Shop, adopted, prop

ALICE = "alice.laptop"


def decision(text):
    return adopted(text, prop(f"feature:{text}", "x", text))


@pytest.fixture
def shop():
    shop = Shop()
    shop.answers = []
    for number, texts in enumerate(("a", "bc", "d")):
        answer = shop.send(ALICE, *map(decision, texts), key=f"k{number}")
        results = tuple((result.id, result.dot.seq) for result in answer.results)
        shop.answers.append(Answered(ALICE, f"k{number}", results))
    return shop


def broken(shop):
    return list(failures(shop.answers, SCOPE, shop.log, shop.pointers))


def named(shop, text):
    found = broken(shop)
    assert [said for said in found if text in said], found


def test_nothing_is_broken_where_all_is_well(shop):
    assert broken(shop) == []


def test_an_acknowledged_entry_that_is_gone_from_the_log(shop):
    del shop.log.objects[ALICE, 4]
    named(shop, "k2 was acknowledged as alice.laptop/4 and is not in the log")


def test_an_acknowledged_entry_that_is_not_shown(shop):
    key = shop.projection.keys.status(Dot(ALICE, 1))
    del shop.pointers.table[key]
    named(shop, "k0 was acknowledged as alice.laptop/1 and is not in the projection")
    named(shop, "the projection holds 3 entries and the log means 4")


def test_a_key_that_wrote_twice(shop):
    shop.pointers.table.clear()
    shop.projection.put(COMPLETE)
    shop.projection.move_offset(ALICE, shop.projection.offset(ALICE), shop.tail(ALICE))
    shop.send(ALICE, decision("a"), key="k0", on_unseen="branch")
    named(shop, "k0 of alice.laptop: decision 0 was recorded 2 times")
    named(shop, "k0 of alice.laptop lies in 2 objects")


def test_half_a_batch(shop):
    whole = shop.log.objects[ALICE, 2]
    shop.log.objects[ALICE, 2] = whole[: whole.index(b"\n") + 1]
    named(shop, "alice.laptop/2 holds 1 of 2 lines")


def test_another_decision_than_was_acknowledged(shop):
    shop.answers.append(Answered(ALICE, "k9", (("d_" + "0" * 24, 1),)))
    named(shop, "k9 was acknowledged as alice.laptop/1 and is not in the log")


def test_a_row_that_is_missing(shop):
    shop.projection.delete(DotRow(shop.arrived()[0].entry.decision[0], Dot(ALICE, 1)))
    named(shop, "missing-row")


def test_what_a_rebuild_leaves_behind_breaks_nothing(shop):
    assert rebuild(SCOPE, shop.log, shop.pointers, "g2").flipped
    assert broken(shop) == []
