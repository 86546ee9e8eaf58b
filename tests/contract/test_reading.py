"""The contract of `ports.Projection`, as far as paged reading goes."""

from __future__ import annotations

from itertools import islice

import pytest
from precedent.element import Name
from precedent.entry import Dot
from precedent.orset import Lost, Status
from precedent.ports import Projection
from precedent.rows import ConflictRow, DirectoryRow, HistoryRow, PathRow

from tests.contract.samples import CART, HOSTILE_SLOTS, SEARCH, status

ALICE, BOB = Dot("alice", 1), Dot("bob", 7)


def history_row(date: str, dot: Dot) -> HistoryRow:
    return HistoryRow(SEARCH, date, dot, "d_1", (), (), ())


@pytest.mark.parametrize("newest_first", [False, True])
def test_history_goes_on_after_a_row(projection: Projection, *, newest_first: bool) -> None:
    rows = [history_row(f"2026-11-{day:02d}", dot) for day in (1, 2, 3) for dot in (ALICE, BOB)]
    for row in reversed(rows):
        projection.put(row)
    ordered = rows[::-1] if newest_first else rows
    assert list(projection.history(SEARCH, newest_first=newest_first)) == ordered
    for place, row in enumerate(ordered):
        after = projection.history(SEARCH, row, newest_first=newest_first)
        assert list(after) == ordered[place + 1 :]


def test_more_history_than_one_page(projection: Projection) -> None:
    rows = [history_row("2026-11-30", Dot("alice", seq)) for seq in range(1, 231)]
    for row in rows:
        projection.put(row)
    assert list(projection.history(SEARCH)) == rows
    assert list(islice(projection.history(SEARCH, rows[99]), 3)) == rows[100:103]


def test_paths_are_found_by_their_folder_alone(projection: Projection) -> None:
    rows = [
        PathRow(folder, element, dot)
        for folder in ("", "src", "src/api", "srcapi")
        for element in sorted((CART, SEARCH))
        for dot in (ALICE, BOB)
    ]
    for row in reversed(rows):
        projection.put(row)
    for folder in ("", "src", "src/api", "srcapi"):
        assert projection.paths(folder) == [row for row in rows if row.folder == folder]
    assert projection.paths("src/") == []


def test_the_directory_is_listed_by_kind_and_goes_on_after_a_row(projection: Projection) -> None:
    kinds = sorted(["feature", "feature#x", "feature x", "service", "тема"], key=str.encode)
    rows = [
        DirectoryRow(element, kind, Name(kind, element))
        for kind in kinds
        for element in sorted((CART, SEARCH))
    ]
    for row in reversed(rows):
        projection.put(row)
    assert {row.element for row in projection.directory("feature", None)} == {CART, SEARCH}
    for kind in kinds:
        found = list(projection.directory(kind, None))
        assert found == [row for row in rows if row.kind == kind]
        assert list(projection.directory(kind, found[0])) == found[1:]
    everything = list(projection.directory(None, None))
    assert sorted(everything, key=repr) == sorted(rows, key=repr)
    for place, row in enumerate(everything):
        assert list(projection.directory(None, row)) == everything[place + 1 :]


def test_conflicts_go_on_after_a_row_even_if_it_is_gone(projection: Projection) -> None:
    for slot in HOSTILE_SLOTS:
        projection.put(ConflictRow(SEARCH, slot, ALICE))
    everything = list(projection.conflicts())
    assert {row.slot for row in everything} == set(HOSTILE_SLOTS)
    projection.delete(everything[1])
    assert list(projection.conflicts(everything[1])) == everything[2:]


def test_a_writers_entries_come_by_seq_across_partitions(projection: Projection) -> None:
    seqs = [1, 2, 511, 512, 513, 2000]
    for seq in reversed(seqs):
        projection.put_status(status(Dot("alice", seq)))
    projection.put_status(status(Dot("alice.laptop", 3)))
    projection.add_lost(Dot("alice", 600), [Lost(SEARCH, "p:a", BOB)])
    expected = sorted([*seqs, 600])
    for after in (0, 1, 2, 510, 511, 512, 600, 1999, 2000):
        found = [one.dot.seq for one in projection.entries("alice", after)]
        assert found == [seq for seq in expected if seq > after]
    assert [s for s in projection.entries("alice", 599) if not s.arrived] == [
        Status(Dot("alice", 600), lost=frozenset({Lost(SEARCH, "p:a", BOB)}))
    ]
