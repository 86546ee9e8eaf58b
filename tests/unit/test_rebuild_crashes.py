"""The crash matrix of rebuild, of retiring and of the projector: every port call failing before, after, or dying."""

import pytest
from precedent.findings import Kind
from precedent.pointer import follow
from precedent.ports import StoreError
from precedent.rebuild import rebuild
from precedent.recall import recall, targets
from precedent.retire import retire
from precedent.rows import COMPLETE
from precedent.verify import verify

from tests.fakes.faults import Fault, ProcessDied, matrix
from tests.property.picture import NAMES
from tests.property.shop import SCOPE, Shop, adopted, attach, id_of, link, prop

ALICE, BOB = "alice.laptop", "bob.desk"
OLD = adopted("Old", prop("feature:search", "engine", "elastic"), attach("team:core"))
LINKED = adopted("Linked", link("feature:search", "USES", "service:db"))
NEW = adopted("New", prop("feature:search", "engine", "postgres"), supersedes=[id_of(OLD)])
OTHER = adopted("Other", prop("feature:search", "engine", "sqlite"))


def a_shop():
    """Two writers; something displaced, something contradicted, a line that cannot be read."""
    shop = Shop()
    shop.send(ALICE, OLD)
    shop.log.objects[ALICE, 2] = b"rubbish\n"
    shop.send(BOB, NEW, LINKED)
    shop.send(ALICE, OTHER, on_unseen="branch")
    shop.sweep()
    return shop


def ports(shop):
    return shop.log, shop.pointers


def dying(act, *args):
    try:
        return act(*args)
    except (StoreError, ProcessDied):
        return None


def recalled(shop):
    return recall(shop.projection, "shop", targets(shop.projection, NAMES, []))[0]


def healthy_but_for(shop, *kinds):
    report = verify(SCOPE, shop.log, shop.pointers)
    assert {f.kind for f in report.findings} <= {Kind.UNREADABLE, Kind.HINT, *kinds}, (
        report.findings
    )
    assert report.log_digest == report.projected_digest


# --------------------------------------------------------------------------------------- rebuild


def rebuilding(shop, generation="g2"):
    return rebuild(SCOPE, shop.log, shop.pointers, generation)


def calls_of_rebuild():
    shop = a_shop()
    fault = Fault(ports(shop), 0, "never", StoreError)
    assert rebuilding(shop).flipped
    return fault.calls


@pytest.mark.parametrize(("at", "when", "error"), matrix(calls_of_rebuild))
def test_wherever_a_rebuild_dies_something_whole_serves_and_another_finishes(at, when, error):
    shop = a_shop()
    told = recalled(shop)
    fault = Fault(ports(shop), at, when, error)
    dying(rebuilding, shop)
    fault.lift()
    assert recalled(shop) == told
    assert shop.projected_digest() == shop.log_digest()
    assert rebuilding(shop, "g3").flipped
    assert recalled(shop) == told
    healthy_but_for(shop, Kind.LEFTOVER)


@pytest.mark.parametrize(("at", "when", "error"), matrix(calls_of_rebuild)[::3])
def test_wherever_a_rebuild_dies_it_can_be_gone_on_with(at, when, error):
    shop = a_shop()
    fault = Fault(ports(shop), at, when, error)
    dying(rebuilding, shop)
    fault.lift()
    if shop.pointers.pointer.generation != "g2":
        assert rebuilding(shop).flipped
    shop.send(BOB, adopted("After", prop("feature:after", "x", 1)), key="after")
    healthy_but_for(shop, Kind.LEFTOVER)


def test_a_flip_whose_repeat_is_told_it_came_too_late_has_flipped():
    shop = a_shop()
    flip = shop.pointers.flip

    def twice(old, new):
        flip(old, new)
        return flip(old, new)

    shop.pointers.flip = twice
    assert rebuilding(shop).flipped


# -------------------------------------------------------------------------------------- retiring


def rebuilt_shop():
    shop = a_shop()
    return shop, rebuilding(shop).old


def retiring(shop, old):
    return retire(SCOPE, shop.log, shop.pointers, old)


def calls_of_retire():
    shop, old = rebuilt_shop()
    fault = Fault(ports(shop), 0, "never", StoreError)
    retiring(shop, old)
    return fault.calls


@pytest.mark.parametrize(("at", "when", "error"), matrix(calls_of_retire)[::2])
def test_wherever_retiring_dies_what_serves_is_whole_and_it_can_be_done_again(at, when, error):
    shop, old = rebuilt_shop()
    fault = Fault(ports(shop), at, when, error)
    dying(retiring, shop, old)
    fault.lift()
    healthy_but_for(shop, Kind.LEFTOVER)
    retiring(shop, old)
    healthy_but_for(shop)


# ------------------------------------------------------------------------------------- projector


def behind():
    """A shop whose serving generation has seen nothing yet."""
    shop = a_shop()
    shop.pointers.table.clear()
    shop.projection.put(COMPLETE)
    return shop


def projecting(shop):
    return [follow(SCOPE, shop.log, shop.pointers, writer) for writer in (BOB, ALICE)]


def calls_of_projector():
    shop = behind()
    fault = Fault(ports(shop), 0, "never", StoreError)
    projecting(shop)
    return fault.calls


@pytest.mark.parametrize(("at", "when", "error"), matrix(calls_of_projector))
def test_wherever_a_projector_dies_the_next_wake_up_finishes(at, when, error):
    shop = behind()
    fault = Fault(ports(shop), at, when, error)
    dying(projecting, shop)
    fault.lift()
    projecting(shop)
    healthy_but_for(shop)
    assert {status.decision for status in shop.fold().values() if status.holding} == {
        id_of(NEW),
        id_of(LINKED),
        id_of(OTHER),
    }
