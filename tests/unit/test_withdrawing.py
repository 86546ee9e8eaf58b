"""A withdrawal takes a decision out of force, says why, and names what could be put back in its place."""

import pytest

from tests.property.shop import Shop, adopted, attach, element, id_of, prop

SEARCH, DB = "feature:search", "service:db"
POSTGRES = adopted("Postgres", prop(SEARCH, "engine", "postgres"), prop(DB, "size", 3))
ELASTIC = adopted("Elastic", prop(SEARCH, "engine", "elastic"))


def off(*contents, **fields):
    names = sorted(map(id_of, contents))
    return {
        "title": "Withdrawn",
        "rationale": "No.",
        "outcome": "note",
        "supersedes": names,
        **fields,
    }


def offered(answer):
    return {one.id: one.held for one in answer.results[0].restorable}


@pytest.fixture
def shop():
    shop = Shop()
    shop.send("alice.laptop", POSTGRES)
    shop.send("bob.desk", ELASTIC, seen=[id_of(POSTGRES)])
    return shop


def test_it_is_out_of_force_and_what_stood_before_is_offered(shop):
    answer = shop.send("alice.laptop", off(ELASTIC))
    (gone,) = answer.results[0].overruled
    assert (gone.id, gone.by, gone.left) == (id_of(ELASTIC), "supersedes", ["engine"])
    assert offered(answer) == {id_of(POSTGRES): ["feature:search.engine"]}
    assert answer.results[0].restorable[0].title == "Postgres"
    assert answer.results[0].warnings == []


def test_recorded_again_it_is_in_force_and_no_longer_offered(shop):
    shop.send("alice.laptop", off(ELASTIC))
    read = [id_of(ELASTIC), id_of(off(ELASTIC))]
    assert shop.send("alice.laptop", POSTGRES, seen=read).results[0].status == "recorded"
    live = {claim for status in shop.fold().values() for claim in status.holding}
    assert {(c.element, c.slot) for c in live} == {
        (element(SEARCH), "p:engine"),
        (element(DB), "p:size"),
    }


def test_an_outcome_is_not_needed(shop):
    content = {"title": "Off", "supersedes": [id_of(ELASTIC)]}
    assert offered(shop.send("alice.laptop", content)) == {
        id_of(POSTGRES): ["feature:search.engine"]
    }


def test_what_it_had_superseded_elsewhere_is_offered_too():
    shop = Shop()
    shop.send("a", POSTGRES)
    everywhere = adopted("No engine", prop("team:core", "size", 1), supersedes=[id_of(POSTGRES)])
    shop.send("a", everywhere)
    answer = shop.send("a", off(everywhere))
    assert offered(answer) == {id_of(POSTGRES): ["feature:search.engine", "service:db.size"]}


def test_a_withdrawal_that_is_withdrawn_offers_what_it_withdrew(shop):
    shop.send("a", off(ELASTIC, mutations=[attach(SEARCH)]))
    answer = shop.send("a", off(off(ELASTIC, mutations=[attach(SEARCH)]), title="After all"))
    assert offered(answer) == {id_of(ELASTIC): ["feature:search.engine"]}


def test_a_slot_somebody_else_holds_is_no_gap(shop):
    shop.send("c", adopted("Solr", prop(SEARCH, "engine", "solr")), on_unseen="branch")
    assert offered(shop.send("alice.laptop", off(ELASTIC))) == {}


def test_a_decision_that_replaces_offers_nothing(shop):
    solr = adopted("Solr", prop(SEARCH, "engine", "solr"), supersedes=[id_of(ELASTIC)])
    assert offered(shop.send("a", solr)) == {}


def test_withdrawing_what_is_not_in_force_is_recorded_with_a_warning(shop):
    shop.send("a", off(ELASTIC))
    (warning,) = shop.send("b", off(ELASTIC, title="Again")).results[0].warnings
    assert "was not in force" in warning


def test_sent_again_the_answer_is_the_same(shop):
    first = shop.send("a", off(ELASTIC), key="k")
    assert shop.send("a", off(ELASTIC), key="k") == first
