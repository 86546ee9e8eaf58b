"""Repair mends what can be mended in place; a rebuild mends the rest; retiring takes a generation away."""

import pytest
from precedent.errors import NotFound
from precedent.findings import Kind
from precedent.ports import Offset, Pointer
from precedent.project import project
from precedent.rebuild import rebuild
from precedent.repair import repair
from precedent.retire import retire
from precedent.rows import ConflictRow, DotRow, HistoryRow, LiveRow, QuarantineRow
from precedent.verify import verify

from tests.fakes.memory import MemoryLog, MemoryPointers
from tests.property.shop import SALT, SCOPE, Shop, adopted, prop
from tests.unit.test_verify import ALICE, Dot, check, rows
from tests.unit.test_verify import shop as shop  # a fixture

NOWHERE = "el_" + "0" * 20


def mended(shop):
    return repair(SCOPE, shop.log, shop.pointers)


def lose_every_second_row(shop):
    for key in sorted(shop.pointers.table)[::2]:
        del shop.pointers.table[key]


def forget_statuses(shop):
    for status in list(shop.projection.all_statuses()):
        del shop.pointers.table[shop.projection.keys.status(status.dot)]


def put_offset(seq, hash_):
    def damage(shop):
        shop.projection.rewind(ALICE, shop.projection.offset(ALICE), Offset(seq, hash_))

    return damage


def lose_contradictions(shop):
    for row in rows(shop, ConflictRow):
        shop.projection.delete(row)


def stale_hints(shop):
    shop.projection.put(LiveRow(NOWHERE, "p:engine", Dot(ALICE, 1), "d_x"))
    shop.projection.put(ConflictRow(NOWHERE, "p:engine", Dot(ALICE, 1)))


def stale_quarantine(shop):
    shop.projection.put(QuarantineRow(Dot(ALICE, 1), 1, "was unreadable once"))
    shop.projection.put(QuarantineRow(Dot(ALICE, 99), 99, "never was"))


MENDABLE = [
    lose_every_second_row,
    forget_statuses,
    lose_contradictions,
    stale_hints,
    stale_quarantine,
    put_offset(2, "a" * 64),
    put_offset(3, "a" * 64),
    put_offset(0, "a" * 64),
    lambda shop: shop.pointers.table.clear(),
]


@pytest.mark.parametrize("damage", MENDABLE)
def test_what_can_be_mended_is(shop, damage):
    damage(shop)
    assert check(shop).findings
    repaired = mended(shop)
    assert repaired.left.findings == ()
    assert repaired.left.projected_digest == shop.log_digest()
    assert mended(shop).done.total() == 0, "done twice it does nothing more"
    assert shop.send(ALICE, adopted("On", prop("feature:on", "x", 1)), key="on").written
    assert check(shop).findings == ()


def test_what_stands_quarantined_is_noted_and_stays_a_finding(shop):
    shop.log.objects[ALICE, 5] = b"rubbish\n"
    shop.sweep()
    shop.projection.delete(next(shop.projection.quarantined()))
    repaired = mended(shop)
    assert {f.kind for f in repaired.left.findings} == {Kind.UNREADABLE}
    assert [row.dot.seq for row in shop.projection.quarantined()] == [5]


def test_what_stood_before_something_else_is_mended_with_it():
    """Rubbish inside the numbers of an object that was cut: put back, it hides what was read there."""
    shop = Shop()
    shop.send(ALICE, adopted("One", prop("feature:a", "x", 1)), adopted("Two", prop("b:b", "x", 1)))
    whole = shop.log.objects[ALICE, 1]
    shop.log.objects[ALICE, 1] = b""
    shop.log.objects[ALICE, 2] = b"rubbish\n" * 3
    fresh = Shop(log=shop.log)
    fresh.sweep()
    shop.log.objects[ALICE, 1] = whole
    fresh.sweep()
    assert {f.kind for f in check(fresh).findings} == {Kind.HIDDEN, Kind.FREED, Kind.SHORT}
    assert {f.kind for f in mended(fresh).left.findings} == {Kind.HIDDEN}
    assert mended(fresh).done.total() == 0
    assert fresh.send(ALICE, adopted("On", prop("feature:on", "x", 1)), key="on").written


def unmendable(shop):
    other = Shop()
    other.send("zoe.mac", adopted("Z", prop("feature:search", "x", 1)))
    for arrived in other.arrived():
        project(shop.projection, arrived)
    row = rows(shop, HistoryRow)[0]
    key = shop.projection.keys.row(row)
    shop.pointers.table[key] = HistoryRow(row.element, row.date, row.dot, "d_other", (), (), ())


def test_what_cannot_be_mended_in_place_stays_until_a_rebuild(shop):
    unmendable(shop)
    left = {f.kind for f in mended(shop).left.findings}
    assert left == {Kind.NOT_IN_LOG, Kind.DIFFERENT}
    rebuilt = rebuild(SCOPE, shop.log, shop.pointers, "g2", accept_loss=True)
    retire(SCOPE, shop.log, shop.pointers, rebuilt.old)
    assert {f.kind for f in check(shop).findings} <= {Kind.LEFTOVER}


def test_leftovers_go_when_asked_for(shop):
    shop.pointers.open(Pointer("projection", "g0", SALT)).put(DotRow("d_1", Dot(ALICE, 1)))
    assert [f.kind for f in mended(shop).left.findings] == [Kind.LEFTOVER]
    assert repair(SCOPE, shop.log, shop.pointers, leftovers=True).left.findings == ()


def test_a_project_that_is_not_there_is_not_made_by_repairing_it():
    pointers = MemoryPointers()
    with pytest.raises(NotFound):
        repair(SCOPE, MemoryLog(), pointers)
    assert pointers.pointer is None


# -------------------------------------------------------------------------------------- retiring


def test_an_old_generation_goes_to_the_last_item(shop):
    lost = sum(len(status.lost) for status in shop.projection.all_statuses())
    assert lost, "something was displaced, so there are stubs and conflicts to think of"
    old = dict(shop.pointers.table)
    rebuilt = rebuild(SCOPE, shop.log, shop.pointers, "g2")
    retire(SCOPE, shop.log, shop.pointers, rebuilt.old)
    assert not old.keys() & shop.pointers.table.keys()
    assert verify(SCOPE, shop.log, shop.pointers).findings == ()


def test_the_generation_that_serves_is_not_taken_away(shop):
    before = dict(shop.pointers.table)
    with pytest.raises(NotFound):
        retire(SCOPE, shop.log, shop.pointers, shop.pointers.pointer)
    assert shop.pointers.table == before


def test_what_is_half_taken_away_is_never_gone_on_with(shop):
    old = shop.pointers.pointer
    rebuild(SCOPE, shop.log, shop.pointers, "g2")

    def die(name):
        if name == "get":
            raise KeyboardInterrupt

    shop.log.before = die
    with pytest.raises(KeyboardInterrupt):
        retire(SCOPE, shop.log, shop.pointers, old)
    shop.log.before = lambda _: None
    assert shop.pointers.open(old).offsets() == {}
    # A rebuild told to go on with it makes it whole again.
    assert rebuild(SCOPE, shop.log, shop.pointers, old.generation).flipped
    assert {f.kind for f in check(shop).findings} == {Kind.LEFTOVER}
    assert shop.projected_digest() == shop.log_digest()
