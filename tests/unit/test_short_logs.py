"""A log that ends before what was acknowledged stops its writer, until what is missing is back."""

import pytest
from precedent.errors import LogTruncated
from precedent.findings import Kind
from precedent.ports import Offset, Pointer
from precedent.project import project
from precedent.rebuild import rebuild
from precedent.verify import verify

from tests.property.shop import SALT, SCOPE, Shop, adopted, id_of, prop

ALICE, BOB = "alice.laptop", "bob.desk"


def note(text):
    return adopted(text, prop(f"feature:{text}", "engine", text))


def a_shop_of(*values):
    shop = Shop()
    for value in values:
        shop.send(ALICE, note(value))
    return shop


def lose(shop, first):
    return {(ALICE, first): shop.log.objects.pop((ALICE, first))}


def test_an_append_after_the_sweep_saw_it_is_refused_and_says_what_is_missing():
    shop = a_shop_of("a", "b", "c")
    lose(shop, 3)
    assert shop.sweep().short == {ALICE: "ends at 2, 3 was acknowledged"}
    with pytest.raises(LogTruncated) as refused:
        shop.send(ALICE, note("d"))
    assert refused.value.members == {"writer": ALICE, "missing": 3, "promised": 3}
    assert (ALICE, 3) not in shop.log.objects


def test_other_writers_go_on():
    shop = a_shop_of("a", "b")
    lose(shop, 2)
    shop.sweep()
    assert shop.send(BOB, note("d")).written


def test_once_it_is_back_the_very_next_append_goes_on():
    shop = a_shop_of("a", "b", "c")
    lost = lose(shop, 3) | lose(shop, 2)
    shop.sweep()
    with pytest.raises(LogTruncated):
        shop.send(ALICE, note("d"))
    shop.log.objects |= lost
    assert shop.send(ALICE, note("d")).results[0].dot.seq == 4
    assert shop.sweep().short == {}
    assert shop.projected_digest() == shop.log_digest()


def test_a_log_that_is_gone_altogether_is_a_short_one():
    shop = a_shop_of("a")
    lost = lose(shop, 1)
    assert shop.sweep().short == {ALICE: "ends at 0, 1 was acknowledged"}
    assert shop.sweep().short == {ALICE: "ends at 0, 1 was acknowledged"}
    with pytest.raises(LogTruncated):
        shop.send(ALICE, note("b"))
    shop.log.objects |= lost
    assert shop.send(ALICE, note("b")).results[0].dot.seq == 2


def test_the_end_of_a_batch_that_was_cut_off_is_missing_too():
    shop = Shop()
    shop.send(ALICE, note("a"), note("b"), note("c"))
    whole = shop.log.objects[ALICE, 1]
    shop.log.objects[ALICE, 1] = whole[: whole.index(b"\n") + 1]
    assert shop.sweep().short == {ALICE: "ends at 1, 3 was acknowledged"}


def test_an_object_inside_a_batch_does_not_make_the_log_shorter():
    shop = Shop()
    shop.send(ALICE, note("a"), note("b"), note("c"))
    shop.log.objects[ALICE, 2] = b"rubbish\n"
    assert shop.sweep().short == {}
    assert shop.send(ALICE, note("d")).written


def test_a_repeated_key_whose_object_is_gone_is_told_so():
    shop = a_shop_of("a")
    shop.send(ALICE, note("b"), key="the-key")
    lose(shop, 2)
    with pytest.raises(LogTruncated):
        shop.send(ALICE, note("b"), key="the-key")


def test_a_rebuild_does_not_let_a_shorter_log_serve():
    shop = a_shop_of("a", "b")
    lose(shop, 2)
    rebuilt = rebuild(SCOPE, shop.log, shop.pointers, "g2")
    assert not rebuilt.flipped
    assert rebuilt.swept.short == {ALICE: "ends at 1, 2 was acknowledged"}
    assert len(list(shop.projection.all_statuses())) == 2


def test_where_the_loss_is_accepted_the_numbers_are_still_not_given_out_again():
    shop = a_shop_of("a", "b")
    lost = lose(shop, 2)
    assert rebuild(SCOPE, shop.log, shop.pointers, "g2", accept_loss=True).flipped
    assert [status.dot.seq for status in shop.projection.all_statuses()] == [1]
    with pytest.raises(LogTruncated):
        shop.send(ALICE, note("c"))
    shop.log.objects |= lost
    assert shop.send(ALICE, note("c")).results[0].dot.seq == 3
    assert shop.projected_digest() == shop.log_digest()


def swept(shop):
    return shop.sweep()


def rebuilt(shop):
    return rebuild(SCOPE, shop.log, shop.pointers, "g2", accept_loss=True).swept


@pytest.mark.parametrize("made_again", [swept, rebuilt])
def test_with_the_table_gone_too_what_others_displaced_still_tells(made_again):
    shop = a_shop_of("a", "b")
    shop.send(BOB, adopted("New", prop("feature:b", "engine", "x"), supersedes=[id_of(note("b"))]))
    lose(shop, 2)
    shop.pointers.table.clear()
    assert made_again(shop).short == {ALICE: "ends at 1, 2 was acknowledged"}
    with pytest.raises(LogTruncated):
        shop.send(ALICE, note("c"))


def test_rubbish_that_is_gone_again_was_never_acknowledged():
    shop = a_shop_of("a")
    shop.log.objects[ALICE, 2] = b"rubbish\n" * 5
    shop.sweep()
    assert shop.projection.offset(ALICE).seq == 6
    del shop.log.objects[ALICE, 2]
    shop.send(BOB, note("b"))
    assert shop.sweep().short == {ALICE: "ends at 1, 6 was acknowledged"}, "it may have been"


def test_rubbish_in_place_of_a_shorter_object_is_outgrown():
    shop = a_shop_of("a", "b")
    whole = shop.log.objects[ALICE, 2]
    shop.log.objects[ALICE, 2] = b"rubbish\n" * 5
    fresh = Shop(log=shop.log)
    fresh.sweep()
    fresh.log.objects[ALICE, 2] = whole
    assert fresh.sweep().short == {}
    assert rebuild(SCOPE, fresh.log, fresh.pointers, "g2").flipped
    assert fresh.send(ALICE, note("c"), key="c").written


def test_an_offset_that_lags_is_never_put_forward():
    shop = a_shop_of("a", "b")
    lose(shop, 2)
    fresh = Shop(log=shop.log)
    generation = fresh.pointers.open(Pointer("projection", "g1", SALT))
    assert generation.rewind(ALICE, Offset(), Offset(promised=2))
    assert fresh.sweep().short == {ALICE: "ends at 1, 2 was acknowledged"}
    assert [status.dot.seq for status in fresh.projection.all_statuses()] == [1]


def test_a_repeated_key_whose_object_cannot_be_read_is_not_recorded_again():
    shop = a_shop_of("a")
    shop.send(ALICE, note("b"), key="the-key")
    whole = shop.log.objects[ALICE, 2]
    shop.log.objects[ALICE, 2] = b"rubbish\n"
    with pytest.raises(LogTruncated):
        shop.send(ALICE, note("b"), key="the-key")
    shop.log.objects[ALICE, 2] = whole
    assert shop.send(ALICE, note("b"), key="the-key").results[0].dot.seq == 2


def test_a_gap_that_is_filled_in_part_leaves_a_gap_that_is_noted():
    """An append whose tail was read before somebody wrote ahead of it takes a name within the gap."""
    shop = a_shop_of("a")
    other = a_shop_of("a", "b")
    shop.log.objects[ALICE, 6] = b"rubbish\n"
    shop.sweep()
    assert [row.dot.seq for row in shop.projection.quarantined()] == [2, 6]
    late = other.log.objects[ALICE, 2]
    assert shop.log.put(ALICE, 2, late)
    for arrived in shop.arrived():
        project(shop.projection, arrived)
    for _ in range(2):
        shop.sweep()
        assert [row.dot.seq for row in shop.projection.quarantined()] == [3, 6]


def test_what_was_written_over_a_batch_does_not_keep_its_lines_from_coming_back():
    shop = Shop()
    shop.send(ALICE, note("a"), note("b"), note("c"))
    whole = shop.log.objects[ALICE, 1]
    shop.log.objects[ALICE, 3] = b"rubbish\n"
    shop.log.objects[ALICE, 1] = whole[:-50]
    fresh = Shop(log=shop.log)
    fresh.sweep()
    assert [(row.dot.seq, row.first) for row in fresh.projection.quarantined()] == [(3, 1)]
    shop.log.objects[ALICE, 1] = whole
    fresh.sweep()
    assert fresh.projected_digest() == fresh.log_digest()
    assert not list(fresh.projection.quarantined())


@pytest.mark.parametrize("harm", [b"", b"rubbish\n"])
def test_a_batch_at_the_end_that_was_written_over_and_is_put_back(harm):
    shop = a_shop_of("a")
    shop.send(ALICE, note("b"), note("c"), note("d"))
    whole = shop.log.objects[ALICE, 2]
    shop.log.objects[ALICE, 2] = harm
    for _ in range(2):
        assert shop.sweep().short == {ALICE: "ends at 2, 4 was acknowledged"}
    shop.log.objects[ALICE, 2] = whole
    assert shop.sweep().short == {}
    assert shop.send(ALICE, note("e")).results[0].dot.seq == 5
    assert not any(opened.chain_breaks for opened in shop.objects(ALICE))


def test_a_gap_that_begins_earlier_than_it_was_noted_is_noted_where_it_begins():
    """Rubbish took three seqs, so the gap after it seemed to begin behind them; then it was put right."""
    shop = a_shop_of("a", "b")
    whole = shop.log.objects[ALICE, 2]
    shop.log.objects[ALICE, 2] = b"rubbish\n" * 3
    shop.log.objects[ALICE, 6] = b"rubbish\n"
    fresh = Shop(log=shop.log)
    fresh.sweep()
    assert [row.dot.seq for row in fresh.projection.quarantined()] == [2, 3, 4, 5, 6]
    shop.log.objects[ALICE, 2] = whole
    fresh.sweep()
    assert [row.dot.seq for row in fresh.projection.quarantined()] == [3, 6]
    assert {f.kind for f in verify(SCOPE, fresh.log, fresh.pointers).findings} == {
        Kind.GAP,
        Kind.UNREADABLE,
    }


def test_no_number_is_given_out_inside_an_object_that_was_harmed_when_it_was_read():
    shop = a_shop_of("a")
    shop.send(ALICE, note("b"), note("c"))
    whole = shop.log.objects[ALICE, 2]
    shop.log.objects[ALICE, 2] = b"rubbish\n"
    fresh = Shop(log=shop.log)
    fresh.sweep()
    assert fresh.projection.offset(ALICE).seq == 2
    fresh.log.objects[ALICE, 2] = whole
    fresh.sweep()
    assert fresh.send(ALICE, note("d"), key="d").results[0].dot.seq == 4
    assert not any(opened.chain_breaks for opened in fresh.objects(ALICE))
    assert fresh.projected_digest() == fresh.log_digest()
