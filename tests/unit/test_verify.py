"""Verify finds what is wrong, names it, and finds nothing where nothing is."""

from dataclasses import replace

import pytest
from hypothesis import given
from precedent.entry import Dot
from precedent.errors import NotFound
from precedent.findings import Grade, Kind
from precedent.ports import Offset, Pointer, StoreError
from precedent.project import project
from precedent.rebuild import rebuild
from precedent.rows import (
    ConflictRow,
    DirectoryRow,
    DotRow,
    HistoryRow,
    KeyRow,
    LiveRow,
    PathRow,
    QuarantineRow,
)
from precedent.verify import verify

from tests.fakes.memory import MemoryLog, MemoryPointers
from tests.fakes.steps import nothing
from tests.property.shop import SALT, SCOPE, Shop, adopted, id_of, link, prop
from tests.property.worlds import histories

ALICE, BOB = "alice.laptop", "bob.desk"
ENGINE = adopted("Engine", prop("feature:search", "engine", "a"))
PATHS = adopted("Paths", prop("feature:search", "paths", ["search/**"]))
LINK = adopted("Link", link("feature:search", "USES", "service:db"))
OTHER = adopted("Other", prop("feature:search", "engine", "b"))
NEWER = adopted(
    "Newer", prop("service:db", "engine", "pg"), supersedes=[id_of(LINK)], date="2026-05-01"
)


@pytest.fixture
def shop():
    """Two writers, a link that was displaced, a contradiction, paths; swept, with nothing wrong."""
    shop = Shop()
    shop.send(ALICE, ENGINE, key="k1")
    shop.send(ALICE, PATHS, LINK, key="k2")
    shop.send(BOB, OTHER, key="k3", on_unseen="branch")
    shop.send(BOB, NEWER, key="k4")
    shop.send(ALICE, adopted("Last", prop("feature:last", "engine", "z")), key="k5")
    shop.sweep()
    return shop


def check(shop):
    return verify(SCOPE, shop.log, shop.pointers)


def kinds(shop):
    return {finding.kind for finding in check(shop).findings}


def rows(shop, kind):
    return [row for row in shop.projection.table.values() if isinstance(row, kind)]


def drop(shop, item):
    del shop.projection.table[
        next(k for k, v in shop.projection.table.items() if v is item or v == item)
    ]


def test_nothing_is_wrong_with_what_is_whole(shop):
    report = check(shop)
    assert report.findings == ()
    assert report.healthy
    assert report.log_digest == report.projected_digest == shop.log_digest()
    assert (report.generation, report.writers, report.entries) == ("g1", 2, 6)


@given(histories())
def test_whatever_was_recorded_a_swept_project_is_healthy(history):
    history.shop.sweep()
    if not history.shop.log.objects:
        return
    report = check(history.shop)
    assert report.healthy, report.findings
    assert not {f.kind for f in report.findings} - {Kind.HINT}
    assert report.log_digest == report.projected_digest


def test_a_project_nobody_recorded_anything_in_is_not_there():
    with pytest.raises(NotFound):
        verify(SCOPE, MemoryLog(), MemoryPointers())


def test_a_log_that_was_never_projected_is_behind(shop):
    fresh = Shop(log=shop.log, pointers=MemoryPointers())
    report = check(fresh)
    assert [f.where for f in report.of(Kind.BEHIND)] == [f"{ALICE}/0", f"{BOB}/0"]
    assert not report.healthy
    assert fresh.pointers.pointer is None


def test_verifying_writes_nothing(shop):
    before = dict(shop.pointers.table), dict(shop.log.objects)
    check(shop)
    assert (shop.pointers.table, shop.log.objects) == before


def test_each_kind_says_what_it_costs_and_what_mends_it():
    for kind in Kind:
        assert kind.title
        assert kind.cost.endswith(".")
        assert kind.mend.endswith(".")
        assert kind.grade in Grade


# --------------------------------------------------------------------------------------- the log


def flipped(data):
    return data.replace(b'"act":"record"', b'"act":"recorD"')


def moved_from_elsewhere(data):
    return data.replace(b'"tenant":"acme"', b'"tenant":"evil"')


@pytest.mark.parametrize("damage", [flipped, moved_from_elsewhere, lambda _: b"\0", lambda _: b""])
def test_an_unreadable_line_is_named_with_its_reason(shop, damage):
    shop.log.objects[BOB, 1] = damage(shop.log.objects[BOB, 1])
    [finding] = check(shop).of(Kind.UNREADABLE)
    assert finding.where == f"{BOB}/1"
    assert finding.detail
    [shown] = check(shop).of(Kind.NOT_IN_LOG)
    assert shown.where == f"{BOB}/1"


def test_a_gap_is_named_and_what_the_projection_still_shows_of_it(shop):
    del shop.log.objects[ALICE, 2]
    report = check(shop)
    assert [f.where for f in report.of(Kind.GAP)] == [f"{ALICE}/2"]
    assert {f.where for f in report.of(Kind.NOT_IN_LOG)} >= {f"{ALICE}/2", f"{ALICE}/3"}
    assert Kind.UNNOTED in kinds(shop)


def test_a_log_that_ends_too_early_is_named_swept_or_not(shop):
    del shop.log.objects[ALICE, 4]
    for _ in range(2):
        [finding] = check(shop).of(Kind.SHORT)
        assert finding.detail == "ends at 3, 4 was acknowledged"
        shop.sweep()


def test_a_writer_whose_log_is_gone_altogether_is_named(shop):
    for first in (1, 2, 4):
        del shop.log.objects[ALICE, first]
    assert [f.where for f in check(shop).of(Kind.SHORT)] == [f"{ALICE}/4"]


def test_a_replaced_entry_breaks_the_chain_behind_it(shop):
    other = Shop()
    other.send(ALICE, OTHER, key="k1")
    shop.log.objects[ALICE, 1] = other.log.objects[ALICE, 1]
    report = check(shop)
    assert [f.where for f in report.of(Kind.CHAIN)] == [f"{ALICE}/2"]
    assert f"{ALICE}/1" in {f.where for f in report.of(Kind.DIFFERENT)}


def test_two_installs_of_one_writer_show_where_their_logs_part():
    """Two copies of one log, each written on, then put together: neither install did anything wrong."""
    here = Shop()
    here.send(ALICE, ENGINE, key="k1")
    there = Shop(log=MemoryLog(objects=dict(here.log.objects)))
    there.sweep()
    here.send(ALICE, PATHS, key="k2")
    there.send(ALICE, LINK, key="k3")
    there.send(ALICE, NEWER, key="k4")
    together = Shop(
        log=MemoryLog(objects=here.log.objects | {(ALICE, 3): there.log.objects[ALICE, 3]})
    )
    together.sweep()
    # The third entry was written after the second of the other copy.
    assert [f.where for f in check(together).of(Kind.CHAIN)] == [f"{ALICE}/3"]


def test_a_restored_table_that_forgot_an_entry_forks_its_writer():
    shop = Shop()
    shop.send(ALICE, ENGINE, key="k1")
    stale = shop.projection.offset(ALICE)
    shop.send(ALICE, PATHS, key="k2")
    late = shop.projection.offset(ALICE)
    shop.projection.rewind(ALICE, late, Offset(late.seq, stale.hash))
    shop.send(ALICE, LINK, key="k3")
    [fork] = check(shop).of(Kind.FORK)
    assert fork.where == f"{ALICE}/3"
    assert fork.detail == "seq 1 was followed twice: by seq 2, and by seq 3"


def test_an_install_that_began_anew_is_a_fork():
    shop = Shop()
    shop.send(ALICE, ENGINE, key="k1")
    at = shop.projection.offset(ALICE)
    shop.projection.rewind(ALICE, at, Offset(at.seq, Offset().hash))
    shop.send(ALICE, PATHS, key="k2")
    [fork] = check(shop).of(Kind.FORK)
    assert fork.detail == "a second log begins: by seq 1, and by seq 2"


def test_an_object_inside_anothers_numbers_is_named(shop):
    shop.log.objects[ALICE, 3] = shop.log.objects[ALICE, 2].splitlines(keepends=True)[1]
    [finding] = check(shop).of(Kind.HIDDEN)
    assert (finding.where, finding.detail) == (f"{ALICE}/3", "1 lines, 1 of them entries")


def test_what_is_no_object_of_the_log_is_astray_and_harmless(shop):
    names = ("notes.txt", "Alice/000000000001.jsonl", f"{ALICE}/1.jsonl", f"{ALICE}/{0:012d}.jsonl")
    shop.log.strays = dict.fromkeys(names, b"xy")
    report = check(shop)
    assert {(f.where, f.detail) for f in report.findings} == {(name, "2 bytes") for name in names}
    assert kinds(shop) == {Kind.STRAY}
    assert report.healthy


def test_what_could_not_be_read_is_no_health_and_hides_no_other_writer(shop):
    reads = iter(range(1000))

    def denied(name):
        if name == "get" and next(reads) == 1:
            raise StoreError("AccessDenied")

    drop(shop, next(row for row in rows(shop, DotRow) if row.dot.writer == BOB))
    shop.log.before = denied
    report = check(shop)
    shop.log.before = nothing
    [unread] = report.of(Kind.UNREAD)
    assert (unread.where, unread.detail) == (ALICE, "after seq 1: AccessDenied")
    assert not report.healthy
    assert {f.kind for f in report.findings} == {Kind.UNREAD, Kind.MISSING}


# -------------------------------------------------------------------------------- the projection


@pytest.mark.parametrize("kind", [LiveRow, PathRow, HistoryRow, DotRow, DirectoryRow, KeyRow])
def test_a_missing_row_of_every_kind_is_named(shop, kind):
    for row in rows(shop, kind):
        table = dict(shop.pointers.table)
        drop(shop, row)
        report = check(shop)
        assert [f.item for f in report.of(Kind.MISSING)] == [row]
        assert {f.kind for f in report.findings} == {Kind.MISSING}
        shop.pointers.table.clear()
        shop.pointers.table.update(table)


def test_a_contradiction_without_any_hint_is_named(shop):
    for row in rows(shop, ConflictRow):
        drop(shop, row)
    [finding] = check(shop).findings
    assert isinstance(finding.item, ConflictRow)
    assert "contradiction" in finding.cost


def test_a_missing_status_and_a_missing_text_are_named(shop):
    status = next(s for s in shop.projection.all_statuses() if s.dot == (ALICE, 1))
    drop(shop, status)
    drop(shop, shop.projection.bodies([status.decision])[status.decision])
    report = check(shop)
    assert {f.detail for f in report.of(Kind.MISSING)} == {
        "its status",
        f"the text of {status.decision}",
    }
    assert report.log_digest != report.projected_digest


def test_a_displacement_that_is_not_marked_is_named(shop):
    lost = next(s for s in shop.projection.all_statuses() if s.lost)
    key = shop.projection.keys.status(lost.dot)
    shop.pointers.table[key] = replace(lost, lost=frozenset())
    report = check(shop)
    assert [f.where for f in report.of(Kind.MISSING) if "marked" in f.detail] == [f"{BOB}/2"]


def test_a_stale_hint_of_every_kind_is_harmless(shop):
    stale = [
        LiveRow("el_" + "0" * 20, "p:engine", Dot(ALICE, 1), "d_x"),
        PathRow("nowhere", "el_" + "0" * 20, Dot(ALICE, 1)),
        ConflictRow("el_" + "0" * 20, "p:engine", Dot(ALICE, 1)),
    ]
    for row in stale:
        shop.projection.put(row)
    report = check(shop)
    assert {f.item.item for f in report.of(Kind.HINT)} == set(stale)
    assert report.healthy


def test_rows_of_no_entry_are_named(shop):
    row = DotRow("d_" + "0" * 24, Dot(ALICE, 1))
    shop.projection.put(row)
    [finding] = check(shop).findings
    assert finding.kind is Kind.NOT_IN_LOG
    assert finding.item.item == row


def test_a_row_that_says_something_else_is_named(shop):
    row = rows(shop, HistoryRow)[0]
    key = shop.projection.keys.row(row)
    shop.pointers.table[key] = HistoryRow(row.element, row.date, row.dot, "d_other", (), (), ())
    assert kinds(shop) == {Kind.DIFFERENT}


def test_an_offset_that_lags_is_named(shop):
    late = shop.projection.offset(ALICE)
    first = next(iter(shop.objects(ALICE))).end
    shop.projection.rewind(ALICE, late, first)
    [finding] = check(shop).findings
    assert (finding.kind, finding.detail) == (Kind.BEHIND, "3 seqs are not projected")


@pytest.mark.parametrize("wrong", [Offset(2, "a" * 64), Offset(4, "a" * 64)])
def test_an_offset_inside_an_object_or_with_another_hash_is_named(shop, wrong):
    shop.projection.rewind(ALICE, shop.projection.offset(ALICE), wrong)
    assert kinds(shop) == {Kind.OFFSET}


def test_quarantine_is_compared_with_what_cannot_be_read(shop):
    shop.log.objects[ALICE, 5] = b"rubbish\n"
    shop.sweep()
    assert kinds(shop) == {Kind.UNREADABLE}
    [row] = shop.projection.quarantined()
    drop(shop, row)
    assert kinds(shop) == {Kind.UNREADABLE, Kind.UNNOTED}
    shop.projection.put(row)
    shop.projection.put(QuarantineRow(Dot(BOB, 1), 1, "was unreadable once"))
    assert kinds(shop) == {Kind.UNREADABLE, Kind.FREED}


def test_an_entry_that_is_not_in_the_log_is_named(shop):
    other = Shop()
    other.send("zoe.mac", adopted("Z", prop("feature:search", "x", 1)))
    for arrived in other.arrived():
        project(shop.projection, arrived)
    found = check(shop).of(Kind.NOT_IN_LOG)
    assert "zoe.mac/1" in {f.where for f in found}


def test_another_generation_is_told_of_and_harmless(shop):
    shop.pointers.open(Pointer("projection", "g0", SALT)).put(DotRow("d_1", Dot(ALICE, 1)))
    report = check(shop)
    assert [(f.kind, f.where, f.detail) for f in report.findings] == [
        (Kind.LEFTOVER, "g0", "1 items")
    ]
    assert report.healthy


def test_what_is_appended_while_it_runs_is_no_finding(shop):
    sent = iter(range(40))

    def append(name):
        shop.pointers.before = shop.log.before = nothing
        if (number := next(sent, None)) is None:
            return
        value = f"meanwhile {number}"
        shop.send(BOB, adopted(value, prop("feature:search", "engine", value)), on_unseen="branch")
        shop.pointers.before = shop.log.before = append

    shop.pointers.before = shop.log.before = append
    report = check(shop)
    shop.pointers.before = shop.log.before = nothing
    assert {f.kind for f in report.findings} <= {Kind.HINT, Kind.BEHIND}, report.findings


def test_a_flip_while_it_runs_starts_it_again(shop):
    def flip(name):
        if name == "scan":
            shop.pointers.before = nothing
            rebuild(SCOPE, shop.log, shop.pointers, "g2")

    shop.pointers.before = flip
    report = check(shop)
    assert report.generation == "g2"
    assert {f.kind for f in report.findings} == {Kind.LEFTOVER}
