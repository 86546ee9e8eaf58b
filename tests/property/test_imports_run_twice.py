"""Law: an import run twice, by anybody, changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedent.errors import SlotSetTwice

from tests.property.shop import request_of
from tests.property.worlds import History, histories, plans

batches = st.lists(plans(), min_size=1, max_size=5)


def imported(history: History, contents, writer, on_unseen) -> bool:
    """Run an import; False where it sets one slot twice, which no import may."""
    shop = history.shop
    shop.sent += 1
    request = request_of(*contents, key=f"import-{shop.sent}", on_unseen=on_unseen)
    try:
        shop.appender(writer).append(request)
    except SlotSetTwice:
        return False
    return True


def contents_of(history: History, batch):
    known = dict(history.known)
    return [plan.content(known) for plan in batch]


@pytest.mark.parametrize("on_unseen", ["branch", "historical"])
@given(history=histories(max_size=8), batch=batches, writers=st.permutations(("a.pc", "b.pc")))
def test_run_again_by_the_same_or_another_writer_nothing_is_written(
    on_unseen, history, batch, writers
):
    recorded = {status.decision for status in history.shop.fold().values()}
    history.known = {name: c for name, c in history.known.items() if name in recorded}
    history.shop.sweep()
    contents = contents_of(history, batch)
    if not imported(history, contents, writers[0], on_unseen):
        return
    objects, digest = dict(history.shop.log.objects), history.shop.log_digest()
    for writer in writers:
        assert imported(history, contents, writer, on_unseen)
    assert history.shop.log.objects == objects
    assert history.shop.projected_digest() == digest


@given(batch=batches)
def test_one_decision_a_request_or_all_in_one_an_import_is_the_same(batch):
    whole, single = History(), History()
    contents = contents_of(whole, batch)
    if not imported(whole, contents, "a.pc", "branch"):
        return
    for content in contents:
        assert imported(single, [content], "a.pc", "branch")
    assert whole.shop.log_digest() == single.shop.log_digest()
