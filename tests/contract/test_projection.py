"""The contract of `ports.Projection`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from precedent.aws.projection import DynamoProjection
from precedent.element import Name
from precedent.entry import Claim, Dot
from precedent.orset import Lost, Status
from precedent.ports import Projection
from precedent.rows import (
    COMPLETE,
    MENTION,
    REFILLING,
    ConflictRow,
    DirectoryRow,
    DotRow,
    HistoryRow,
    KeyRow,
    LiveRow,
    PathRow,
    QuarantineRow,
    Row,
    SearchRow,
    WordRow,
)

from tests.contract.conftest import ProjectionOf
from tests.contract.samples import CART, HOSTILE_SLOTS, SEARCH, at_once, body, decision_id, status
from tests.fakes.memory import MemoryProjection

ALICE, BOB = Dot("alice", 1), Dot("bob", 7)

ROWS: tuple[Row, ...] = (
    LiveRow(SEARCH, "p:a", ALICE, "d_1"),
    PathRow("search", SEARCH, ALICE),
    PathRow("", SEARCH, ALICE),
    PathRow("ü" * 499, SEARCH, ALICE),
    ConflictRow(SEARCH, "p:a", ALICE),
    HistoryRow(SEARCH, "2026-11-30", ALICE, "d_1", ("p:a",), (), (("p:a", BOB, "seen"),)),
    DotRow("d_1", ALICE),
    DirectoryRow(SEARCH, "feature", Name("Feature", "Product-Search")),
    KeyRow("key", 0, 1, "0" * 64, "d_1", ALICE, 1),
    QuarantineRow(ALICE, 1, "not a line of this log"),
    SearchRow("postgr", "f", 812, ALICE),
    SearchRow("検索", "p", 0, BOB),
    WordRow("postgres"),
    WordRow("postgres", backwards=True),
    COMPLETE,
)


def put_in_parallel(projection: Projection, rows: list[LiveRow]) -> None:
    def put(part: int) -> None:
        for row in rows[part::8]:
            projection.put(row)

    at_once(put, range(8))


# ------------------------------------------------------------------------------------- bodies


def test_a_body_is_kept_once(projection: Projection) -> None:
    first = body("d_1")
    projection.put_body(first)
    projection.put_body(body("d_1", title="Another"))
    assert projection.bodies(["d_1"]) == {"d_1": first}


def test_a_body_read_twice_is_not_shared(projection: Projection) -> None:
    projection.put_body(body("d_1"))
    projection.bodies(["d_1"])["d_1"].content.clear()
    assert projection.bodies(["d_1"]) == {"d_1": body("d_1")}


def test_the_largest_text_is_kept_whole(projection: Projection) -> None:
    largest = replace(
        body("d_1"),
        content={"rationale": "\U0001f5ff" * 16_000},
        elements={f"el_{n:020x}": Name("k" * 64, chr(0x1F300 + n) * 200) for n in range(200)},
        sets=tuple((f"el_{n:020x}", "p:" + "ﷺ" * 64, f"/mutations/{n}/value") for n in range(400)),
    )
    projection.put_body(largest)
    assert projection.bodies(["d_1"]) == {"d_1": largest}


def test_bodies_are_read_in_any_number(projection: Projection) -> None:
    assert projection.bodies([]) == {}
    names = [f"d_{number}" for number in range(250)]
    for name in names:
        projection.put_body(body(name, title=name))
    found = projection.bodies([*names, *names, "d_unknown"])
    assert found == {name: body(name, title=name) for name in names}


# ----------------------------------------------------------------------------------- statuses


def test_a_status_comes_back_as_it_was_put(projection: Projection) -> None:
    full = replace(
        status(ALICE, HOSTILE_SLOTS),
        branch="main",
        commit="abc",
        historical=(Claim(SEARCH, "p:old", "v0"),),
    )
    bare = Status(BOB, decision="d_2", sha256="2" * 64, outcome="note", at="t", date="t")
    assert projection.put_status(full) == full
    assert projection.put_status(bare) == bare
    assert projection.statuses([ALICE, BOB]) == {ALICE: full, BOB: bare}


def test_a_status_is_put_once(projection: Projection) -> None:
    first = projection.put_status(status(ALICE))
    other = replace(status(ALICE, ["p:other"], "v2"), branch="later")
    again = projection.put_status(other)
    # A status arrives whole, so what the first left empty is the only thing a second could add.
    assert replace(again, branch="") == first
    assert projection.put_status(status(ALICE)).claims == first.claims


def test_put_status_leaves_an_earlier_lost_alone_and_returns_it(projection: Projection) -> None:
    lost = Lost(SEARCH, "p:engine", BOB)
    stub = projection.add_lost(ALICE, [lost])
    assert stub == Status(ALICE, lost=frozenset([lost]))
    assert not stub.arrived
    after = projection.put_status(status(ALICE))
    assert after == replace(status(ALICE), lost=frozenset([lost]))
    assert projection.statuses([ALICE]) == {ALICE: after}
    # Recording it again, with nothing lost in the caller's hand, brings nothing back.
    assert projection.put_status(status(ALICE)) == after


def test_add_lost_only_grows(projection: Projection) -> None:
    projection.put_status(status(ALICE, HOSTILE_SLOTS))
    everything = {Lost(SEARCH, slot, Dot("a.b", 3)) for slot in HOSTILE_SLOTS}
    for lost in everything:
        projection.add_lost(ALICE, [lost])
    after = projection.add_lost(ALICE, everything)
    assert after.lost == everything
    assert after.live == ()
    assert projection.add_lost(ALICE, []) == after


def test_parallel_add_lost_loses_nothing(projection: Projection) -> None:
    pairs = [[Lost(SEARCH, f"p:{n}", Dot(f"w{n}", m)) for m in range(1, 6)] for n in range(8)]
    at_once(lambda mine: [projection.add_lost(ALICE, [lost]) for lost in mine], pairs)
    found = projection.statuses([ALICE])[ALICE].lost
    assert found == {lost for mine in pairs for lost in mine}


def test_a_status_and_its_displacement_in_parallel_both_arrive(projection: Projection) -> None:
    dots = [Dot("alice", seq) for seq in range(1, 21)]
    lost = Lost(SEARCH, "p:engine", BOB)

    def arrive() -> None:
        for dot in dots:
            projection.put_status(status(dot))

    def displace() -> None:
        for dot in reversed(dots):
            projection.add_lost(dot, [lost])

    at_once(lambda run: run(), [arrive, displace])
    expected = {dot: replace(status(dot), lost=frozenset([lost])) for dot in dots}
    assert projection.statuses(dots) == expected


def test_statuses_are_read_in_any_number_and_unknown_ones_are_absent(
    projection: Projection,
) -> None:
    assert projection.statuses([]) == {}
    # Over the edge of a partition of statuses, and of what one request may ask for.
    dots = [Dot("alice", seq) for seq in range(400, 650)]
    for dot in dots:
        projection.put_status(status(dot))
    found = projection.statuses([*dots, *dots, Dot("alice", 1), Dot("alice.b", 400)])
    assert found == {dot: status(dot) for dot in dots}


def test_every_status_is_found_stubs_included(projection_of: ProjectionOf, tenant: str) -> None:
    projection = projection_of(tenant, "shop", "g1")
    arrived = [Dot("a", 1), Dot("a", 511), Dot("a", 512), Dot("a.b", 1), Dot("b", 100_000)]
    for dot in arrived:
        projection.put_status(status(dot))
    stub = projection.add_lost(Dot("c", 999_999), [Lost(SEARCH, "p:a", ALICE)])
    for other in (
        projection_of(tenant, "shop", "g2"),
        projection_of(tenant, "shop-api", "g1"),
        projection_of(f"{tenant}.b", "shop", "g1"),
    ):
        other.put_status(status(ALICE))
    found = list(projection.all_statuses())
    assert len(found) == 6
    assert {one.dot: one for one in found} == {dot: status(dot) for dot in arrived} | {
        stub.dot: stub
    }


# --------------------------------------------------------------------------------------- rows


@pytest.mark.parametrize("row", ROWS, ids=lambda row: type(row).__name__)
def test_a_row_is_put_and_deleted_any_number_of_times(projection: Projection, row: Row) -> None:
    projection.delete(row)
    for _ in range(2):
        projection.put(row)
        projection.put(row)
    for _ in range(2):
        projection.delete(row)


def test_the_first_row_stays(projection: Projection) -> None:
    first = QuarantineRow(ALICE, 1, "the first reason")
    projection.put(first)
    projection.put(replace(first, reason="another"))
    assert list(projection.quarantined()) == [first]
    projection.delete(first)
    assert list(projection.quarantined()) == []


def test_marks_are_those_that_were_put(projection: Projection) -> None:
    assert projection.marks() == set()
    projection.put(REFILLING)
    projection.put(COMPLETE)
    assert projection.marks() == {COMPLETE, REFILLING}
    projection.delete(REFILLING)
    assert projection.marks() == {COMPLETE}


def test_live_rows_of_one_slot_are_not_those_of_another(projection: Projection) -> None:
    dots = [Dot("a", 2), Dot("a", 10), Dot("a-b", 1), Dot("a.b", 1)]
    for slot in HOSTILE_SLOTS:
        for dot in reversed(dots):
            projection.put(LiveRow(SEARCH, slot, dot, decision_id(dot)))
    projection.put(LiveRow(CART, "p:a", ALICE, "d_1"))
    for slot in HOSTILE_SLOTS:
        assert projection.live(SEARCH, slot) == [
            LiveRow(SEARCH, slot, dot, decision_id(dot)) for dot in dots
        ]
    rows = projection.live(SEARCH)
    assert len(rows) == len(HOSTILE_SLOTS) * len(dots)
    assert rows == sorted(rows, key=lambda row: (row.slot, row.dot))
    assert projection.live(SEARCH, "p:unknown") == []
    assert projection.live(SEARCH, "") == []


def test_a_deleted_live_row_takes_no_other_with_it(projection: Projection) -> None:
    kept = [
        LiveRow(SEARCH, "p:a", Dot("a", 2), "d_1"),
        LiveRow(SEARCH, "p:a", Dot("a.b", 1), "d_1"),
        LiveRow(SEARCH, "p:a#a", ALICE, "d_1"),
        LiveRow(SEARCH, MENTION, Dot("a", 1), "d_1"),
    ]
    gone = LiveRow(SEARCH, "p:a", Dot("a", 1), "d_1")
    for row in (*kept, gone):
        projection.put(row)
    projection.delete(gone)
    assert sorted(projection.live(SEARCH), key=repr) == sorted(kept, key=repr)


def test_an_element_with_a_thousand_rows_is_read_to_the_end(projection: Projection) -> None:
    # Long slots, so that what a store answers at once (1 MB) does not hold them.
    rows = [LiveRow(SEARCH, f"p:{n:04d}" + "ü" * 60, ALICE, "d_" + "1" * 900) for n in range(1000)]
    put_in_parallel(projection, rows)
    assert projection.live(SEARCH) == rows


def test_the_aliases_of_an_element_are_found_from_either_end(projection: Projection) -> None:
    aliases = [LiveRow(SEARCH, f"a:{CART}", dot, "d_1") for dot in (ALICE, BOB)]
    aliases.append(LiveRow(SEARCH, f"a~{CART}", ALICE, "d_1"))
    others = [LiveRow(SEARCH, slot, ALICE, "d_1") for slot in ("@", "aa:x", "l:a:el_1", "p:a:b")]
    for row in (*reversed(aliases), *others, LiveRow(CART, f"a:{SEARCH}", ALICE, "d_1")):
        projection.put(row)
    assert projection.aliases(SEARCH) == aliases
    assert projection.aliases("el_unknown") == []


def test_history_is_in_the_order_of_date_and_dot(projection: Projection) -> None:
    places = [
        ("2026-11-29T23:59:59.999Z", Dot("z", 1)),
        ("2026-11-30", Dot("a", 2)),
        ("2026-11-30", Dot("a", 10)),
        ("2026-11-30", Dot("a-b", 1)),
        ("2026-11-30", Dot("a.b", 1)),
        ("2026-11-30T10:00:00.000Z", Dot("a", 1)),
    ]
    rows = [
        HistoryRow(SEARCH, date, dot, "d_1", HOSTILE_SLOTS, ("@",), (("p:a#b", BOB, "overrule"),))
        for date, dot in places
    ]
    for row in (*reversed(rows), HistoryRow(CART, "2026-11-30", ALICE, "d_1", (), (), ())):
        projection.put(row)
    assert list(projection.history(SEARCH)) == rows
    assert list(projection.history("el_unknown")) == []
    asked = [(SEARCH, *places[4]), (SEARCH, *places[1]), (CART, *places[0])]
    assert projection.events(asked) == [rows[1], rows[4]]
    assert projection.events([]) == []


def test_a_decision_that_displaces_very_much_has_a_history_row(projection: Projection) -> None:
    displaced = tuple((f"p:{n % 100}" + "ü" * 60, Dot("bob", n), "seen") for n in range(5000))
    row = HistoryRow(SEARCH, "2026-11-30", ALICE, "d_1", (), (), displaced)
    projection.put(row)
    assert list(projection.history(SEARCH)) == [row]


def test_the_dots_of_a_decision_are_not_its_text(projection: Projection) -> None:
    projection.put_body(body("d_1"))
    dots = [Dot("a", 2), Dot("a", 10), Dot("a-b", 1), Dot("a.b", 1)]
    for dot in reversed(dots):
        projection.put(DotRow("d_1", dot))
    projection.put(DotRow("d_11", ALICE))
    assert projection.dots("d_1") == dots
    assert projection.dots("d_unknown") == []


def test_the_results_of_a_key_are_its_own(projection: Projection) -> None:
    rows = [
        KeyRow("key", index, 2, "0" * 64, f"d_{index}", Dot("a", 5 + index), 5) for index in (0, 1)
    ]
    others = [
        KeyRow("key#1", 0, 1, "1" * 64, "d_9", Dot("a", 9), 9),
        KeyRow("key2", 0, 1, "1" * 64, "d_9", Dot("a", 10), 10),
        KeyRow("key", 0, 1, "1" * 64, "d_9", Dot("a.b", 1), 1),
    ]
    for row in (*reversed(rows), *others):
        projection.put(row)
    assert projection.results("a", "key") == rows
    assert projection.results("a", "key#1") == others[:1]
    assert projection.results("a.b", "key") == others[2:]
    assert projection.results("a", "ke") == []


def test_conflicts_come_back_whatever_the_slot(projection: Projection) -> None:
    rows = {ConflictRow(SEARCH, slot, Dot("a.b", 3)) for slot in HOSTILE_SLOTS}
    for row in rows:
        projection.put(row)
        projection.put(row)
    found = list(projection.conflicts())
    assert len(found) == len(rows)
    assert set(found) == rows


@pytest.mark.parametrize("order", [1, -1])
def test_the_smaller_spelling_of_a_name_stays_in_any_order(
    projection: Projection, order: int
) -> None:
    spellings = [Name("Feature", "Z"), Name("Feature", "a"), Name("feature", "A")][::order]
    for name in spellings:
        projection.put(DirectoryRow(SEARCH, "feature", name))
    assert spelling(projection) == Name("Feature", "Z")
    projection.put(DirectoryRow(SEARCH, "feature", Name("Feature", "A")))
    assert spelling(projection) == Name("Feature", "A")


def spelling(projection: Projection) -> Name | None:
    """The spelling of SEARCH in the directory, which no port reads back yet."""
    row = DirectoryRow(SEARCH, "feature", Name("", ""))
    if isinstance(projection, MemoryProjection):
        there = projection.table[projection.keys.row(row)]
        return there.name if isinstance(there, DirectoryRow) else None
    assert isinstance(projection, DynamoProjection)
    key = projection._keys.row(row)
    item = projection._items.get(*key, consistent_read=True)
    return Name(item.kind, item.name)


def test_generations_and_projects_share_nothing(projection_of: ProjectionOf, tenant: str) -> None:
    projection = projection_of(tenant, "shop", "g1")
    projection.put_body(body("d_1"))
    projection.put_status(status(ALICE))
    for row in ROWS:
        projection.put(row)
    for generation, project in (("g2", "shop"), ("g1", "shop-api"), ("g1", "sho")):
        other = projection_of(tenant, project, generation)
        assert other.bodies(["d_1"]) == {}
        assert other.statuses([ALICE]) == {}
        assert other.live(SEARCH) == []
        assert other.dots("d_1") == []
        assert other.results("alice", "key") == []
        assert list(other.history(SEARCH)) == []
        assert list(other.conflicts()) == []
        assert list(other.quarantined()) == []
        assert other.marks() == set()
        assert list(other.all_statuses()) == []
