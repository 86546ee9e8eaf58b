"""Law: the projection is a pure function of the set of valid entries."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from precedent.orset import digest, fold
from precedent.project import project
from precedent.rows import ConflictRow, LiveRow, live_rows

from tests.fakes.memory import MemoryProjection
from tests.property.picture import (
    contradictions,
    hinted_conflicts,
    meant_live,
    picture,
    real_conflicts,
    shown_live,
)
from tests.property.worlds import History, histories


def shuffled(data: st.DataObject, history: History) -> MemoryProjection:
    """The history's entries projected in any order, some of them more than once."""
    entries = history.shop.arrived()
    again = data.draw(st.lists(st.sampled_from(entries), max_size=4)) if entries else []
    projection = MemoryProjection()
    for arrived in data.draw(st.permutations(entries + again)):
        project(projection, arrived)
    return projection


@given(histories(), st.data())
def test_any_order_and_duplication_comes_to_the_same_projection(history, data):
    assert picture(shuffled(data, history)) == picture(shuffled(data, history))


@given(histories(), st.data())
def test_the_projection_is_what_the_fold_says(history, data):
    projection = shuffled(data, history)
    state = history.shop.fold()
    assert {status.dot: status for status in projection.all_statuses()} == state
    assert digest(projection.all_statuses()) == digest(state.values())


@given(histories(), st.data())
def test_the_fold_knows_no_order_and_no_duplicates(history, data):
    entries = history.shop.arrived()
    assert fold(data.draw(st.permutations(entries + entries[:3]))) == fold(entries)


@given(histories(), st.data())
def test_live_hints_are_never_missing_and_stale_ones_are_filtered(history, data):
    projection = shuffled(data, history)
    for arrived in history.shop.arrived():
        status = projection.statuses([arrived.dot])[arrived.dot]
        for row in live_rows(replace(status, lost=frozenset())):
            projection.put(row)  # as if nothing had ever been cleared away
    assert shown_live(projection) == meant_live(history.shop.fold())


@given(histories(), st.data())
def test_every_contradiction_is_hinted_at_by_one_of_its_two_sides(history, data):
    projection = shuffled(data, history)
    hints = hinted_conflicts(projection)
    for element, slot, one, other in contradictions(history.shop.fold()):
        assert hints & {(element, slot, one), (element, slot, other)}


@given(histories())
def test_projecting_again_leaves_everything_but_hints_as_it_is(history):
    projection = MemoryProjection()
    for arrived in history.shop.arrived():
        project(projection, arrived)
    settled = {key: row for key, row in projection.table.items() if not _is_hint(row)}
    for arrived in history.shop.arrived():
        project(projection, arrived)
    assert {k: row for k, row in projection.table.items() if not _is_hint(row)} == settled


def _is_hint(row):
    return isinstance(row, LiveRow | ConflictRow)


@given(histories(), st.data())
def test_what_conflicts_shows_is_every_contradiction_and_nothing_else(history, data):
    projection = shuffled(data, history)
    meant = {(element, slot) for element, slot, _, _ in contradictions(history.shop.fold())}
    assert real_conflicts(projection) == meant
