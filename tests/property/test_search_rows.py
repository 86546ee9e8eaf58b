"""Laws of search: what is in force is never missing from it, what is not is filtered, in any order, after any crash."""

from hypothesis import given
from hypothesis import strategies as st
from precedent.indexing import SHELVES, rows_on, search_rows, shelf_of, words_of
from precedent.project import project
from precedent.query import parse
from precedent.rows import SearchRow, WordRow
from precedent.search import SHELVES as INCLUDED
from precedent.search import search

from tests.fakes.memory import MemoryProjection
from tests.property.interleaving import schedules
from tests.property.test_interleavings_of_projecting import interleaved
from tests.property.worlds import histories


def found(projection, decision, include):
    """Whether a decision is found by its title, and as what."""
    hits = search(projection, "shop", parse(decision["title"]), include, 50).hits
    return {hit.id: hit.state for hit in hits}


def rows_meant(history):
    """The rows of each entry as the fold says it stands, and the words of all."""
    state = history.shop.fold()
    rows, words = set(), set()
    for arrived in history.shop.arrived():
        rows |= set(search_rows(state[arrived.dot], arrived.content))
        words |= words_of(arrived.content)
    return rows, words


def rows_there(projection):
    rows = {row for row in projection.table.values() if isinstance(row, SearchRow)}
    words = [row for row in projection.table.values() if isinstance(row, WordRow)]
    assert len(words) == 2 * len({row.word for row in words})
    return rows, {row.word for row in words}


@given(histories(), st.data(), schedules(crashes=True))
def test_no_row_is_ever_missing_whatever_the_interleaving(history, data, turns):
    projection = interleaved(data.draw(st.permutations(history.shop.arrived())), turns)
    (there, words), (meant, meant_words) = rows_there(projection), rows_meant(history)
    assert there >= meant
    assert words == meant_words


@given(histories(), st.data())
def test_one_after_the_other_in_any_order_leaves_no_stale_row(history, data):
    projection = MemoryProjection()
    for arrived in data.draw(st.permutations(history.shop.arrived())):
        project(projection, arrived)
    assert rows_there(projection) == rows_meant(history)


@given(histories())
def test_what_is_found_is_what_stands_there_and_stale_rows_change_nothing(history):
    projection = history.shop.projection
    history.shop.sweep()
    state = history.shop.fold()
    for arrived in history.shop.arrived():
        for shelf in SHELVES:
            projection.write(rows_on(shelf, state[arrived.dot], arrived.content))
    for arrived in history.shop.arrived()[:3]:
        decision = arrived.entry.decision[0]
        shelves = {shelf_of(s) for s in state.values() if s.decision == decision}
        for include, included in INCLUDED.items():
            hits = found(projection, arrived.content, include)
            assert (decision in hits) == bool(shelves & {*included})
            if "p" not in included:
                assert not {*hits.values()} & {"superseded", "history"}
