"""Laws: interleaved step by step, crashed and redelivered, projecting comes to the same end."""

from hypothesis import given
from hypothesis import strategies as st
from precedent.live import read_live
from precedent.orset import Status, digest
from precedent.project import project
from precedent.recall import recall, targets
from precedent.rows import LiveRow, live_rows

from tests.fakes.memory import MemoryProjection
from tests.property.interleaving import Interleaving, schedules
from tests.property.picture import (
    NAMES,
    claims_of,
    contradictions,
    hinted_conflicts,
    meant_live,
    picture,
    shown_live,
)
from tests.property.shop import Shop, adopted, element, id_of, prop, request_of
from tests.property.worlds import histories

SLOT = (element("feature:search"), "p:engine")


def interleaved(entries, turns, watch=None):
    """Entries projected by one task each, interleaved; returns the projection and the scheduler."""
    projection = MemoryProjection()
    scheduler = Interleaving(turns)
    if watch:
        scheduler.watch = lambda: watch(projection, scheduler)
    projection.before, projection.after = scheduler.before, scheduler.after
    scheduler.run([lambda arrived=arrived: project(projection, arrived) for arrived in entries])
    return projection


def in_turn(entries):
    projection = MemoryProjection()
    for arrived in entries:
        project(projection, arrived)
    return projection


@given(histories(), st.data(), schedules(crashes=False))
def test_any_interleaving_of_single_steps_comes_to_the_same_projection(history, data, turns):
    entries = history.shop.arrived()
    projection = interleaved(data.draw(st.permutations(entries + entries[:2])), turns)
    assert picture(projection) == picture(in_turn(entries))


@given(histories(), st.data(), schedules(crashes=True))
def test_crashes_at_any_step_and_redelivery_come_to_the_same_projection(history, data, turns):
    entries = history.shop.arrived()
    projection = interleaved(data.draw(st.permutations(entries)), turns)
    assert picture(projection) == picture(in_turn(entries))
    assert digest(projection.all_statuses()) == history.shop.log_digest()


@given(histories(), st.data(), schedules(crashes=True))
def test_what_is_live_is_shown_whatever_the_interleaving(history, data, turns):
    entries = history.shop.arrived()
    projection = interleaved(data.draw(st.permutations(entries)), turns)
    assert shown_live(projection) == meant_live(history.shop.fold())


@given(histories(), st.data(), schedules(crashes=True))
def test_an_entry_once_projected_is_shown_from_then_on_at_every_step(history, data, turns):
    entries = data.draw(st.permutations(history.shop.arrived()))

    def watch(projection, scheduler):
        rows = {row for row in projection.table.values() if isinstance(row, LiveRow)}
        for number, arrived in enumerate(entries):
            if scheduler.returned(number):
                status = projection.statuses([arrived.dot])[arrived.dot]
                assert rows >= {row for row in live_rows(status) if isinstance(row, LiveRow)}

    interleaved(entries, turns, watch)


@given(histories(), st.data(), schedules(crashes=True))
def test_nothing_is_shown_that_its_status_does_not_bear_out(history, data, turns):
    entries = data.draw(st.permutations(history.shop.arrived()))

    def watch(projection, _scheduler):
        state = {status.dot: status for status in projection.all_statuses()}
        meant = meant_live(state)
        for element_id, shown in shown_live(projection).items():
            assert shown <= meant[element_id]

    interleaved(entries, turns, watch)


@given(histories(), st.data(), schedules(crashes=True))
def test_of_two_heads_that_differ_at_least_one_is_hinted_at(history, data, turns):
    projection = interleaved(data.draw(st.permutations(history.shop.arrived())), turns)
    hints = hinted_conflicts(projection)
    for element_id, slot, one, other in contradictions(history.shop.fold()):
        assert hints & {(element_id, slot, one), (element_id, slot, other)}


@given(st.data(), schedules(crashes=False))
def test_two_parallel_adds_never_both_miss_each_other(data, turns):
    """The smallest world in which a conflict could be overlooked."""
    shop = Shop()
    shop.send("alice.laptop", adopted("A", prop("feature:search", "engine", "a")))
    unaware = branching(adopted("B", prop("feature:search", "engine", "b")))
    assert shop.send_unaware("bob.desk", [], unaware)
    entries = shop.arrived()
    projection = interleaved(data.draw(st.permutations(entries)), turns)
    assert {(row.element, row.slot) for row in projection.conflicts()} == {SLOT}


def branching(*decisions, **verdicts):
    return request_of(*decisions, key="k", on_unseen="branch", **verdicts)


@st.composite
def successions(draw):
    """Entries that hold one slot after one another: each displaces one or more that stood before it."""
    shop = Shop()
    names = []
    for number in range(draw(st.integers(2, 6))):
        content = adopted(str(number), prop("feature:search", "engine", str(number)))
        displaced = draw(st.lists(st.sampled_from(names), min_size=1, unique=True)) if names else []
        view = [a for a in shop.arrived() if a.entry.decision[0] in displaced]
        writer = draw(st.sampled_from(("alice.laptop", "bob.desk", "zoe.mac"))) + str(number)
        assert shop.send_unaware(writer, view, branching(content, seen=displaced))
        names.append(id_of(content))
    return sorted(shop.arrived(), key=lambda arrived: arrived.entry.recorded_at)


@given(successions(), st.data(), schedules(crashes=True))
def test_a_slot_that_was_never_empty_is_never_seen_empty(entries, data, turns):
    projection = in_turn(entries[:1])
    scheduler = Interleaving(turns)
    sights = []

    def look():
        for _ in range(12):
            sights.append(read_live(projection, *SLOT))
            recalled, _ = recall(projection, "shop", targets(projection, NAMES[:1], []))
            sights.append(recalled.elements[0].slots.get("engine"))

    projection.before, projection.after = scheduler.before, scheduler.after
    writers = [lambda a=arrived: project(projection, a) for arrived in entries[1:]]
    scheduler.run(data.draw(st.permutations([look, *writers])))
    assert all(sights)


@given(histories(), schedules(crashes=False))
def test_a_reader_sees_no_claim_that_was_lost_before_it_began(history, turns):
    """Whatever is displaced when a read begins is not in what it returns."""
    entries = history.shop.arrived()
    projection = MemoryProjection()
    scheduler = Interleaving(turns)

    def look():
        for name in NAMES:
            lost = [s for s in projection.table.values() if isinstance(s, Status) and s.lost]
            before = {status.dot: status for status in lost}
            for live in read_live(projection, name.id):
                if live.row.slot != "~" and live.row.dot in before:
                    owner = (live.row.dot, *live.row.owner)
                    assert owner in claims_of([before[live.row.dot]])

    projection.before, projection.after = scheduler.before, scheduler.after
    scheduler.run([look, *(lambda a=arrived: project(projection, a) for arrived in entries)])
