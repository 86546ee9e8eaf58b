"""A rebuild in shares comes to what a rebuild by one process comes to, whoever dies and whatever is done twice."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedent import shares
from precedent.errors import NotFound, TooLarge, Unavailable
from precedent.findings import Kind
from precedent.ports import Pointer, StoreError
from precedent.rebuild import rebuild
from precedent.recall import recall, targets
from precedent.rows import WordRow
from precedent.shares import Built, Plan, build, finish, plan
from precedent.verify import verify

from tests.fakes.faults import Fault, matrix
from tests.fakes.loader import MemoryLoader
from tests.property.picture import NAMES, picture
from tests.property.shop import SCOPE, Shop, adopted, prop
from tests.property.test_log_damage import a_log, damage, damaged, emptied, sizes
from tests.property.worlds import histories
from tests.unit.test_rebuild_crashes import ALICE, BOB, a_shop, dying, healthy_but_for


def planned(shop, of=3, generation="g2"):
    found = plan(SCOPE, shop.log, shop.pointers, generation)
    return msgspec.structs.replace(found, shares=of)


def loader(shop, planned):
    pointer = Pointer(planned.table, planned.generation, "")
    return MemoryLoader(shop.pointers.open(pointer))


def built(shop, planned):
    return [
        build(planned, shop.log, loader(shop, planned), share) for share in range(planned.shares)
    ]


def rebuilt(shop, of=3, generation="g2"):
    made = planned(shop, of, generation)
    return finish(made, shop.log, shop.pointers, built(shop, made))


def recalled(shop):
    return recall(shop.projection, "shop", targets(shop.projection, NAMES, []))[0]


@given(histories(), st.integers(1, 5))
def test_it_is_healthy_and_shows_what_a_rebuild_by_one_process_shows(history, of):
    one, other = emptied(history.shop), emptied(history.shop)
    one.sweep()
    if not one.log.objects:
        return
    assert rebuilt(other, of).flipped
    assert picture(other.projection) == picture(one.projection)
    report = verify(SCOPE, other.log, other.pointers)
    # The mark of the generation before.
    assert {f.kind for f in report.findings} <= {Kind.LEFTOVER}
    assert report.log_digest == report.projected_digest


@given(sizes, damage, st.integers(1, 3))
def test_of_a_damaged_log_it_comes_to_what_one_process_comes_to(sizes, kinds, of):
    shop = a_log(sizes)
    damaged(shop, kinds)
    one, other = emptied(shop), emptied(shop)
    rebuild(SCOPE, one.log, one.pointers, "g2", accept_loss=True)
    made = planned(other, of)
    finish(made, other.log, other.pointers, built(other, made), accept_loss=True)
    assert picture(other.projection) == picture(one.projection)
    assert [*other.projection.quarantined()] == [*one.projection.quarantined()]
    assert other.projection.offsets() == one.projection.offsets()
    assert other.projected_digest() == other.log_digest()


def test_each_item_is_written_by_one_share():
    shop = a_shop()
    made = planned(shop, of=4)
    written = []

    class Listing:
        def load(self, items):
            written.extend(
                shop.projection.keys.item(item) for item in items if not isinstance(item, WordRow)
            )
            return 0

    for share in range(4):
        build(made, shop.log, Listing(), share)
    assert len(written) == len(set(written))


@pytest.mark.parametrize("step", range(5))
def test_an_append_between_any_two_steps_is_in_what_serves(step):
    shop = a_shop()

    def meddle(at):
        if at == step:
            shop.send(
                BOB, adopted("Late", prop("feature:search", "engine", "z")), on_unseen="branch"
            )

    meddle(0)
    made = planned(shop)
    done = []
    for share in range(3):
        meddle(share + 1)
        done.append(build(made, shop.log, loader(shop, made), share))
    meddle(4)
    assert finish(made, shop.log, shop.pointers, done).flipped
    healthy_but_for(shop, Kind.LEFTOVER)


def test_a_worker_that_was_given_up_and_goes_on_takes_nothing_away():
    shop = a_shop()
    made = planned(shop)
    done = built(shop, made)
    assert finish(made, shop.log, shop.pointers, done).flipped
    old = [status.decision for status in shop.projection.all_statuses()]
    shop.send(BOB, adopted("After", prop("feature:search", "engine", "z")), overrule=old)
    told = recalled(shop)
    assert built(shop, made) == done
    assert recalled(shop) == told
    healthy_but_for(shop, Kind.LEFTOVER)


def test_a_log_that_changed_between_two_workers_does_not_come_to_serve():
    shop = a_shop()
    made = planned(shop)
    done = [build(made, shop.log, loader(shop, made), share) for share in (0, 1)]
    shop.log.objects[BOB, 1] = b"rubbish\n"
    done.append(build(made, shop.log, loader(shop, made), 2))
    with pytest.raises(Unavailable, match="start the rebuild again"):
        finish(made, shop.log, shop.pointers, done)
    assert shop.pointers.pointer.generation == "g1"


def test_a_share_that_is_not_done_is_missed():
    shop = a_shop()
    made = planned(shop)
    with pytest.raises(Unavailable):
        finish(made, shop.log, shop.pointers, built(shop, made)[:2])


def test_a_log_whose_last_object_goes_before_the_end_is_read_again():
    shop = a_shop()
    made = planned(shop)
    done = built(shop, made)
    del shop.log.objects[ALICE, 3]
    assert not finish(made, shop.log, shop.pointers, done).flipped, "the log is too short"
    assert shop.pointers.pointer.generation == "g1"


def test_a_project_that_is_not_there_is_not_planned():
    shop = Shop()
    shop.pointers.pointer = None
    with pytest.raises(NotFound):
        planned(shop)


def test_more_writers_than_a_plan_can_name_are_refused(monkeypatch):
    monkeypatch.setattr(shares, "WRITERS_LIMIT", 1)
    with pytest.raises(TooLarge, match="writers"):
        planned(a_shop())


def test_the_shares_follow_from_the_entries(monkeypatch):
    monkeypatch.setattr(shares, "SHARE_ENTRIES", 2)
    shop = a_shop()
    assert plan(SCOPE, shop.log, shop.pointers, "g2").shares == 3
    monkeypatch.setattr(shares, "SHARES_LIMIT", 2)
    assert plan(SCOPE, shop.log, shop.pointers, "g2").shares == 2


def test_a_plan_and_what_was_built_survive_being_handed_on_as_json():
    shop = a_shop()
    made = planned(shop)
    done = built(shop, made)
    assert msgspec.convert(msgspec.to_builtins(made), Plan) == made
    assert [msgspec.convert(msgspec.to_builtins(each), Built) for each in done] == done


# --------------------------------------------------------------------------------- crash matrix


def steps(shop):
    made = planned(shop, of=2)
    return finish(made, shop.log, shop.pointers, built(shop, made))


def ports(shop):
    return shop.log, shop.pointers


def calls_of_steps():
    shop = a_shop()
    fault = Fault(ports(shop), 0, "never", StoreError)
    assert steps(shop).flipped
    return fault.calls


@pytest.mark.parametrize(("at", "when", "error"), matrix(calls_of_steps))
def test_wherever_it_dies_something_whole_serves_and_doing_it_again_finishes(at, when, error):
    shop = a_shop()
    told = recalled(shop)
    fault = Fault(ports(shop), at, when, error)
    dying(steps, shop)
    fault.lift()
    assert recalled(shop) == told
    assert shop.projected_digest() == shop.log_digest()
    if shop.pointers.pointer.generation == "g1":
        assert steps(shop).flipped
    assert recalled(shop) == told
    healthy_but_for(shop, Kind.LEFTOVER)


def test_the_last_step_done_again_says_that_it_serves():
    shop = a_shop()
    made = planned(shop)
    done = built(shop, made)
    for _ in range(2):
        assert finish(made, shop.log, shop.pointers, done).flipped
    healthy_but_for(shop, Kind.LEFTOVER)
