"""An element's story: oldest first, each decision with what it replaced, and how long it held."""

import pytest
from precedent import timeline as telling
from precedent.errors import NotFound
from precedent.timeline import timeline

from tests.property.shop import Shop, adopted, attach, element, id_of, prop

SEARCH = "feature:search"


def engine(value, date=None, **fields):
    dated = {"date": date} if date else {}
    return adopted(f"Engine {value}", prop(SEARCH, "engine", value), **dated, **fields)


def story(shop, name=SEARCH):
    steps, start = [], None
    while True:
        page, start = timeline(shop.projection, element(name), start)
        steps += page.steps
        if start is None:
            return steps


def held(step):
    return [(one.slot, one.value, one.historical, one.until, one.ended_by) for one in step.decided]


def test_what_each_decision_replaced_and_until_when_it_held():
    shop = Shop()
    first, last = engine("postgres", "2024-01-01"), engine("elastic", "2026-01-01")
    past = engine("solr", "2025-01-01")
    shop.send("alice.laptop", first)
    shop.send("bob.desk", last, overrule=[id_of(first)])
    shop.send("ci.main", past, on_unseen="historical")
    steps = story(shop)
    assert [step.title for step in steps] == ["Engine postgres", "Engine solr", "Engine elastic"]
    assert held(steps[0]) == [("engine", "postgres", False, "2025-01-01", id_of(past))]
    assert held(steps[1]) == [("engine", "solr", True, "2026-01-01", id_of(last))]
    assert held(steps[2]) == [("engine", "elastic", False, None, None)]
    (gone,) = steps[2].replaced
    assert (gone.slot, gone.value, gone.id, gone.why) == (
        "engine",
        "postgres",
        id_of(first),
        "overrule",
    )
    assert steps[0].rationale == "Because."


def test_a_withdrawal_is_a_step_that_settles_nothing():
    shop = Shop()
    shop.send("a", engine("postgres"))
    off = {"title": "Off", "outcome": "note", "supersedes": [id_of(engine("postgres"))]}
    shop.send("a", off)
    before, after = story(shop)
    assert held(before)[0][4] == id_of(off)
    assert (after.decided, [gone.value for gone in after.replaced]) == ([], ["postgres"])


def test_pages_are_everything_once_and_an_end_beyond_a_page_is_found(monkeypatch):
    monkeypatch.setattr(telling, "PAGE", 2)
    shop = Shop()
    for n in range(7):
        known = [id_of(engine(m, f"2024-01-0{m + 1}")) for m in range(n)]
        shop.send("a", engine(n, f"2024-01-0{n + 1}"), seen=known)
    steps = story(shop)
    assert [held(step)[0][1] for step in steps] == list(range(7))
    assert [held(step)[0][3] for step in steps] == [f"2024-01-0{n + 2}" for n in range(6)] + [None]


def test_attached_only_is_told_too_and_nobody_elses_is_not():
    shop = Shop()
    shop.send("a", adopted("Both", prop(SEARCH, "engine", 1), attach("team:core")))
    (step,) = story(shop, "team:core")
    assert (step.title, step.decided, step.replaced) == ("Both", [], [])
    with pytest.raises(NotFound):
        timeline(shop.projection, element("no:thing"), None)
    with pytest.raises(NotFound):
        timeline(None, element(SEARCH), None)
