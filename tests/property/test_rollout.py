"""Old and new code side by side on one log and one projection, while a later version is rolled out.

The newer code here is this code, but for one thing: it also writes and reads entries of version 2.
"""

from contextlib import contextmanager
from contextvars import ContextVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from precedent import entry, sealing
from precedent.errors import LogTruncated
from precedent.findings import Kind
from precedent.orset import digest
from precedent.pointer import follow
from precedent.rebuild import rebuild
from precedent.verify import verify

from tests.fakes.steps import nothing
from tests.property.interleaving import Interleaving, schedules
from tests.property.shop import SCOPE, Shop, adopted, id_of, prop

ALICE, BOB = "alice.laptop", "bob.desk"
LATER = ContextVar("LATER", default=False)


class Known:
    """The versions a reader knows: which, depends on whose code is running."""

    __hash__ = None

    def __eq__(self, version):
        return version in ((1, 2) if LATER.get() else (1,))


@pytest.fixture(autouse=True)
def versions(monkeypatch):
    monkeypatch.setattr(entry, "VERSION", Known())


@contextmanager
def newer():
    """Code of the later version runs in here."""
    token = LATER.set(True)
    try:
        yield
    finally:
        LATER.reset(token)


def engine(value):
    return adopted(f"Engine {value}", prop("feature:search", "engine", value))


def send(shop, number, writer, *, later):
    """Record one decision by old or new code; what the former one set is overruled, if it is known."""
    past = [id_of(engine(n)) for n in range(number)]
    request = {"key": f"k{number}", "on_unseen": "branch", "seen": past}
    if not later:
        return shop.send(writer, engine(number), **request)
    with newer(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealing, "VERSION", 2)
        return shop.send(writer, engine(number), **request)


def a_log(history):
    shop = Shop()
    for number, (writer, later) in enumerate(history):
        send(shop, number, writer, later=later)
    return shop


def as_newer(act, *args):
    with newer():
        return act(*args)


def findings(shop):
    with newer():
        return verify(SCOPE, shop.log, shop.pointers).findings


histories = st.lists(
    st.tuples(st.sampled_from((ALICE, BOB)), st.booleans()), min_size=2, max_size=6
)


@given(histories, schedules(crashes=True))
@settings(max_examples=25)
def test_old_and_new_projectors_beside_each_other_lose_nothing(history, turns):
    shop = a_log(history)
    shop.pointers.table.clear()
    run = Interleaving(turns)
    for port in (shop.log, shop.pointers):
        port.before, port.after = run.before, run.after

    def old(writer):
        return lambda: follow(SCOPE, shop.log, shop.pointers, writer)

    def new(writer):
        return lambda: as_newer(old(writer))

    run.run([old(ALICE), new(ALICE), old(BOB), new(BOB), shop.sweep])
    for port in (shop.log, shop.pointers):
        port.before = port.after = nothing
    with newer():
        shop.sweep()
        assert shop.projected_digest() == shop.log_digest()
        assert not list(shop.projection.quarantined())
    found = findings(shop)
    assert {finding.kind for finding in found} <= {Kind.HINT}, found


def test_old_code_alone_shows_what_it_can_read_and_says_what_it_cannot():
    shop = a_log([(ALICE, False), (ALICE, True), (ALICE, False)])
    shop.pointers.table.clear()
    shop.sweep()
    [row] = shop.projection.quarantined()
    assert (row.dot.seq, row.reason) == (2, "version 2 is not known to this reader")
    assert {s.dot.seq for s in shop.projection.all_statuses() if s.arrived} == {1, 3}


def test_what_new_code_has_projected_old_code_does_not_take_away():
    shop = a_log([(ALICE, False), (ALICE, True), (BOB, True)])
    with newer():
        shop.sweep()
        there = digest(shop.projection.all_statuses())
    table = dict(shop.pointers.table)
    for writer in (ALICE, BOB):
        follow(SCOPE, shop.log, shop.pointers, writer)
    shop.sweep()
    assert digest(shop.projection.all_statuses()) == there
    assert table.items() <= shop.pointers.table.items()


@pytest.mark.parametrize("projected", [True, False])
def test_old_code_appends_after_what_it_cannot_read(projected):
    """Whoever moved the offset past the newer line: its hash or its stand-in is what comes next."""
    shop = a_log([(ALICE, False), (ALICE, True)])
    if not projected:
        shop.pointers.table.clear()
        shop.sweep()
    assert send(shop, 2, ALICE, later=False).results[0].dot.seq == 3
    with newer():
        shop.sweep()
        assert shop.projected_digest() == shop.log_digest()
    assert {finding.kind for finding in findings(shop)} <= {Kind.HINT}


def test_a_key_new_code_has_answered_is_not_recorded_again_by_old_code():
    shop = a_log([(ALICE, False), (ALICE, True)])
    objects = dict(shop.log.objects)
    with pytest.raises(LogTruncated):
        send(shop, 1, ALICE, later=False)
    assert shop.log.objects == objects
    assert send(shop, 1, ALICE, later=True).results[0].dot.seq == 2


def test_a_rebuild_by_old_code_is_completed_by_new_code():
    shop = a_log([(ALICE, False), (ALICE, True), (BOB, False)])
    assert rebuild(SCOPE, shop.log, shop.pointers, "g2", accept_loss=True).flipped
    assert [row.dot for row in shop.projection.quarantined()] == [(ALICE, 2)]
    with newer():
        shop.sweep()
        assert shop.projected_digest() == shop.log_digest()
        assert not list(shop.projection.quarantined())
