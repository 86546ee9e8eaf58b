"""A projection that was lost is refused by everybody until all of it is back: never taken for what there is."""

import contextlib
import json
from pathlib import Path

import pytest
from precedent.complete import is_complete
from precedent.consume import Scope
from precedent.element import element_id
from precedent.errors import Unavailable, UnseenHead
from precedent.pointer import follow
from precedent.ports import StoreError
from precedent.rebuild import rebuild
from precedent.retire import retire
from precedent.rows import REFILLING, LiveRow
from precedent.verify import verify

from tests.fakes.faults import Fault, ProcessDied, matrix
from tests.fakes.memory import MemoryLog, MemoryPointers
from tests.property.shop import SCOPE, Shop, adopted, id_of, prop
from tests.unit.served import PROJECT, Service, service

ALICE, BOB, CAROL = "alice.laptop", "bob.desk", "carol.tablet"
ELASTIC = adopted("Elastic", prop("feature:search", "engine", "elastic"))
POSTGRES = adopted("Postgres", prop("feature:search", "engine", "postgres"))
OTHER = adopted("Other", prop("team:core", "size", 3))
OPENAPI = json.loads((Path(__file__).resolve().parents[2] / "docs/openapi.json").read_text())


def a_shop():
    shop = Shop()
    shop.send(ALICE, ELASTIC)
    shop.send(ALICE, OTHER)
    shop.send(BOB, adopted("Third", prop("team:core", "lead", "x")))
    return shop


def lost(shop):
    shop.pointers.table.clear()
    return shop


def healthy(shop):
    return not verify(SCOPE, shop.log, shop.pointers).findings


# --------------------------------------------------------------------------------------- appending


def test_nobody_records_over_what_cannot_be_read():
    shop = lost(a_shop())
    before = dict(shop.log.objects)
    with pytest.raises(Unavailable, match="lost"):
        shop.send(CAROL, POSTGRES)
    follow(SCOPE, shop.log, shop.pointers, BOB)  # a wake-up fills in one writer's part
    for writer in (BOB, CAROL):
        with pytest.raises(Unavailable, match="lost"):
            shop.send(writer, POSTGRES)
    assert shop.log.objects == before
    shop.sweep()
    with pytest.raises(UnseenHead):
        shop.send(CAROL, POSTGRES)


def test_a_sweep_that_could_not_read_a_writer_leaves_it_refused():
    shop = lost(a_shop())

    def failing(name):
        if name == "get":
            raise StoreError("no answer")

    shop.log.before = failing
    with pytest.raises(StoreError):
        shop.sweep()
    shop.log.before = lambda _: None
    assert not is_complete(shop.projection)
    shop.sweep()
    assert is_complete(shop.projection)
    assert healthy(shop)


def test_what_outlived_the_loss_is_not_believed():
    """Items go one by one, in any order: an offset may be left whose rows are gone."""
    shop = a_shop()
    for key, item in list(shop.pointers.table.items()):
        if isinstance(item, LiveRow) or key.pk.endswith("#M"):
            del shop.pointers.table[key]
    with pytest.raises(Unavailable):
        shop.send(CAROL, POSTGRES)
    shop.sweep()
    assert healthy(shop)


def test_what_was_acknowledged_is_still_known_when_the_log_is_cut_too():
    shop = a_shop()
    for key in [key for key in shop.pointers.table if key.pk.endswith("#M")]:
        del shop.pointers.table[key]
    del shop.log.objects[ALICE, 2]
    swept = shop.sweep()
    assert swept.short == {ALICE: "ends at 1, 2 was acknowledged"}


def calls_of_refilling():
    shop = lost(a_shop())
    fault = Fault((shop.log, shop.pointers), 0, "never", StoreError)
    shop.sweep()
    return fault.calls


@pytest.mark.parametrize(("at", "when", "error"), matrix(calls_of_refilling))
def test_wherever_a_refill_dies_it_serves_only_once_whole(at, when, error):
    shop = lost(a_shop())
    fault = Fault((shop.log, shop.pointers), at, when, error)
    with contextlib.suppress(StoreError, ProcessDied):
        shop.sweep()
    fault.lift()
    if is_complete(shop.projection):
        assert shop.projected_digest() == shop.log_digest()
    shop.sweep()
    assert healthy(shop)
    assert REFILLING not in shop.projection.marks()


# ---------------------------------------------------------------------------------- the beginning


def calls_of_beginning():
    shop = Shop(log=MemoryLog(), pointers=MemoryPointers())
    fault = Fault((shop.log, shop.pointers), 0, "never", StoreError)
    shop.send(ALICE, ELASTIC)
    return fault.calls


@pytest.mark.parametrize(("at", "when", "error"), matrix(calls_of_beginning))
def test_wherever_the_first_append_dies_the_project_can_be_recorded_in(at, when, error):
    shop = Shop(log=MemoryLog(), pointers=MemoryPointers())
    fault = Fault((shop.log, shop.pointers), at, when, error)
    with contextlib.suppress(Unavailable, ProcessDied):
        shop.send(ALICE, ELASTIC, key="once")
    fault.lift()
    shop.send(BOB, OTHER)
    shop.send(ALICE, ELASTIC, key="once")
    shop.sweep()
    assert healthy(shop)
    assert len(shop.arrived()) == 2


@pytest.mark.parametrize("table", ["whole", "lost"])
def test_a_lost_pointer_does_not_make_a_new_project(table):
    shop = a_shop()
    shop.pointers.pointer = None
    if table == "lost":
        lost(shop)
        with pytest.raises(Unavailable, match="lost"):
            shop.send(CAROL, POSTGRES)
        shop.sweep()
    with pytest.raises(UnseenHead):
        shop.send(CAROL, POSTGRES)


# ------------------------------------------------------------------------------------- generations


def test_a_generation_serves_marked_and_is_taken_away_mark_first():
    shop = lost(a_shop())
    old = shop.pointers.read()
    rebuild(SCOPE, shop.log, shop.pointers, "g2")
    assert is_complete(shop.projection)
    shop.send(CAROL, POSTGRES, seen=[id_of(ELASTIC)])
    rebuild(SCOPE, shop.log, shop.pointers, "g3")
    retire(SCOPE, shop.log, shop.pointers, old)
    assert not is_complete(shop.pointers.open(old))


# ----------------------------------------------------------------------------------------- reading


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    made = service(monkeypatch)
    made.record(ELASTIC)
    log, pointers = made.ports(Scope("acme", "shop"))
    pointers.table.clear()
    # Somebody else's part is filled in, and is all there seems to be.
    log.objects = {("bob.desk", 1): b"rubbish\n", **log.objects}
    follow(Scope("acme", "shop"), log, pointers, "bob.desk")
    return made


ELSEWHERE = {"/v1/projects/{project}/log", "/v1/projects/{project}/feedback"}
"""Routes that read the log, or a table of their own."""


def routes():
    """Every route that reads a project's projection."""
    for path, methods in OPENAPI["paths"].items():
        if (
            path.startswith("/v1/projects/{project}/")
            and "get" in methods
            and path not in ELSEWHERE
        ):
            yield path


def answered(served, path):
    path = path.replace("{project}", "shop")
    path = path.replace("{element}", element_id("feature", "search"))
    path = path.replace("{decision}", id_of(ELASTIC))
    asked = {
        "recall": {"element": "feature:search"},
        "search": {"q": "elastic"},
        "resolve": {"name": "feature:search"},
    }
    query = asked.get(path.rsplit("/", 1)[1], {})
    for function in served.functions:
        answer = served.ask(function, "GET", path, query=query)
        if answer.status not in (404, 405):
            return answer
    raise AssertionError(f"nobody serves {path}")


@pytest.mark.parametrize("path", list(routes()))
def test_every_route_says_that_it_could_not_be_read(served, path):
    answer = answered(served, path)
    if path.endswith("/recall"):
        assert (answer.status, answer.body["state"]) == (200, "unavailable")
        assert answer.body["decisions"] == {}
    else:
        assert answer.status == 503
        assert answer.body["type"] == "urn:precedent:error:unavailable"


def test_the_agents_text_says_so_too(served):
    headers = {"accept": "text/markdown"}
    answer = served.recall(query={"element": "feature:search"}, headers=headers)
    assert "could not be read" in answer.body


def test_a_project_nobody_recorded_in_is_empty(served):
    answer = served.ask("browse", "GET", PROJECT.replace("shop", "new") + "/elements")
    assert (answer.status, answer.body["elements"]) == (200, [])
