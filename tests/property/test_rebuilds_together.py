"""Laws of rebuilding: two at once do no harm, and one answer never mixes two generations."""

from hypothesis import given
from hypothesis import strategies as st
from precedent.findings import Kind
from precedent.project import project
from precedent.rebuild import rebuild
from precedent.recall import recall, targets
from precedent.retire import retire
from precedent.verify import verify

from tests.property.interleaving import Interleaving, schedules
from tests.property.picture import NAMES
from tests.property.shop import SCOPE, Shop, adopted, prop
from tests.property.test_appends_in_parallel import BRANCHING, assert_once_each, sending, sent_by
from tests.property.worlds import History, histories


def hooked(shop, scheduler):
    for port in (shop.log, shop.pointers):
        port.before, port.after = scheduler.before, scheduler.after


def rebuilding(shop, names, rebuilt):
    """A rebuild under a name of its own each time it is begun; what it replaced goes afterwards."""

    def run():
        done = rebuild(SCOPE, shop.log, shop.pointers, next(names))
        if done.flipped:
            rebuilt.append(done.old)

    return run


@given(data=st.data(), turns=schedules(crashes=True))
def test_two_rebuilds_at_once_beside_appends_do_no_harm(data, turns):
    history = History()
    requests = sent_by(history, data.draw(st.lists(BRANCHING, min_size=1, max_size=3)))
    shop, scheduler = history.shop, Interleaving(turns)
    hooked(shop, scheduler)
    names, rebuilt = (f"g{number}" for number in range(2, 1000)), []
    tasks = [rebuilding(shop, names, rebuilt), rebuilding(shop, names, rebuilt)]
    tasks += [sending(shop, *sent) for sent in requests]
    scheduler.run(data.draw(st.permutations(tasks)))
    assert_once_each(shop)
    for old in rebuilt:
        retire(SCOPE, shop.log, shop.pointers, old)
    shop.sweep()
    if shop.log.objects:
        report = verify(SCOPE, shop.log, shop.pointers)
        assert {f.kind for f in report.findings} <= {Kind.HINT, Kind.LEFTOVER}, report.findings
        assert report.log_digest == report.projected_digest == shop.log_digest()


@given(histories(), schedules(crashes=True))
def test_one_answer_never_mixes_two_generations(history, turns):
    """The old generation shows a decision that no log holds, so that the two can be told apart."""
    shop = history.shop
    shop.sweep()
    if not shop.log.objects:
        return
    other = Shop()
    other.send("zoe.mac", adopted("Z", prop("feature:search", "marker", "x")))
    for arrived in other.arrived():
        project(shop.projection, arrived)

    def answer():
        projection = shop.projection
        return recall(projection, "shop", targets(projection, NAMES, []))[0]

    with_it = answer()
    answers = []
    scheduler = Interleaving(turns)
    hooked(shop, scheduler)
    names = (f"g{number}" for number in range(2, 1000))
    looks = [lambda: answers.append(answer())] * 3
    scheduler.run([*looks, rebuilding(shop, names, [])])
    shop.log.before = shop.pointers.before = shop.log.after = shop.pointers.after = lambda _: None
    without_it = answer()
    assert with_it != without_it
    assert all(told in (with_it, without_it) for told in answers)
