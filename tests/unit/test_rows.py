"""The rows of the projection: what they show, and when a stale one is seen through."""

import pytest
from precedent.element import link_slot, property_slot
from precedent.entry import Claim, Dot
from precedent.globs import literal_folder
from precedent.live import read_live
from precedent.orset import Lost, Status
from precedent.rows import LiveRow, PathRow, live_rows, superfluous_rows

from tests.fakes.memory import MemoryProjection
from tests.property.shop import element

SEARCH, DB, TEAM = element("feature:search"), element("service:db"), element("team:core")
DOT, BY = Dot("alice.laptop", 1), Dot("bob.desk", 1)
ENGINE, USES = property_slot("engine"), link_slot("USES", DB)
STATUS = Status(
    DOT,
    "d_x",
    claims=(Claim(SEARCH, ENGINE, "v"), Claim(SEARCH, USES, "v"), Claim(SEARCH, "p:paths", "v")),
    mentions=(TEAM,),
    globs=((SEARCH, "search/**"), (SEARCH, "!search/old/**"), (SEARCH, "*.sql")),
)
ALL_LOST = STATUS.losing(Lost(SEARCH, slot, BY) for slot in (ENGINE, USES))


def live_row(place, slot):
    return LiveRow(place, slot, DOT, "d_x")


def test_claims_show_on_their_element_links_at_both_ends_mentions_where_attached():
    rows = {row for row in live_rows(STATUS) if isinstance(row, LiveRow)}
    assert rows == {
        live_row(SEARCH, ENGINE),
        live_row(SEARCH, USES),
        live_row(DB, f"r:uses:{SEARCH}"),
        live_row(SEARCH, "p:paths"),
        live_row(TEAM, "~"),
    }


def test_an_address_is_found_under_each_folder_its_globs_name():
    folders = {row.folder for row in live_rows(STATUS) if isinstance(row, PathRow)}
    assert folders == {"search", ""}


def test_with_the_last_claim_the_mention_goes_addresses_do_not_count():
    one = STATUS.losing([Lost(SEARCH, ENGINE, BY)])
    assert live_row(TEAM, "~") not in set(superfluous_rows(one, one.lost))
    assert live_row(TEAM, "~") in set(superfluous_rows(ALL_LOST, ALL_LOST.lost))


@pytest.mark.parametrize(
    ("row", "slot"),
    [
        (live_row(SEARCH, ENGINE), ENGINE),
        (live_row(SEARCH, USES), USES),
        (live_row(DB, f"r:uses:{SEARCH}"), USES),
        (live_row(SEARCH, "p:paths"), "p:paths"),
    ],
)
def test_a_row_holds_as_long_as_its_claim_is_not_lost(row, slot):
    assert row.holds(STATUS)
    assert not row.holds(STATUS.losing([Lost(SEARCH, slot, BY)]))
    assert row.holds(STATUS.losing([Lost(TEAM, slot, BY)]))


def test_a_stale_mention_is_seen_through():
    projection = MemoryProjection()
    projection.put_status(STATUS)
    for row in live_rows(STATUS):
        projection.put(row)
    assert [live.row.slot for live in read_live(projection, TEAM)] == ["~"]
    projection.add_lost(DOT, ALL_LOST.lost)
    assert read_live(projection, TEAM) == []
    assert [live.row.slot for live in read_live(projection, SEARCH)] == ["p:paths"]


def test_a_row_whose_status_is_gone_or_a_stub_holds_nothing():
    projection = MemoryProjection()
    projection.put(live_row(SEARCH, ENGINE))
    assert read_live(projection, SEARCH) == []
    projection.add_lost(DOT, [Lost(SEARCH, ENGINE, BY)])
    assert read_live(projection, SEARCH) == []


@pytest.mark.parametrize(
    ("glob", "folder"),
    [
        ("search/**", "search"),
        ("/search/api/*.py", "search/api"),
        ("a/b/c.py", "a/b"),
        ("*.py", ""),
        ("README", ""),
        ("/README", ""),
        ("**/x/y", ""),
        ("a/[bc]/d", "a"),
        ("a/b?/c", "a"),
        ("a/**/c", "a"),
    ],
)
def test_the_folder_all_matches_of_a_glob_lie_under(glob, folder):
    assert literal_folder(glob) == folder
