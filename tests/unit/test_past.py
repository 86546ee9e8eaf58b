"""What was in force at a date, by example; the law is in tests/property/test_as_of.py."""

import pytest
from precedent import past
from precedent.element import parse_name
from precedent.errors import NotFound, PastTooLong
from precedent.past import Past
from precedent.recall import recall, recall_element, targets
from precedent.render import render

from tests.property.shop import Shop, adopted, attach, element, id_of, link, prop

SEARCH, DB = "feature:search", "service:db"


def engine(value, date, **fields):
    return adopted(f"Engine {value}", prop(SEARCH, "engine", value), date=date, **fields)


def then(shop, at, name=SEARCH):
    answer, _ = recall(
        shop.projection, "shop", targets(shop.projection, [parse_name(name, "")], []), as_of=at
    )
    (found,) = answer.elements
    return [one.value for one in found.slots.get("engine", ())]


@pytest.fixture
def shop():
    """postgres from 2024 on, elastic since 2026; solr of 2025 was imported afterwards."""
    shop = Shop()
    first, last = engine("postgres", "2024-01-01"), engine("elastic", "2026-01-01")
    shop.send("alice.laptop", first)
    shop.send("alice.laptop", last, seen=[id_of(first)])
    shop.send("ci.main", engine("solr", "2025-01-01"), on_unseen="historical")
    return shop


@pytest.mark.parametrize(
    ("at", "values"),
    [
        ("2023-12-31", []),
        ("2023-12-31T23:59:59.999999Z", []),
        ("2024-01-01T00:00:00Z", ["postgres"]),
        ("2024-12-31", ["postgres"]),
        ("2025-01-01T00:00:00Z", ["solr"]),
        ("2025-12-31", ["solr"]),
        ("2026-01-01", ["elastic"]),
        ("2999-01-01", ["elastic"]),
    ],
)
def test_each_value_holds_from_its_date_to_the_next(shop, at, values):
    assert then(shop, at) == values


def test_a_bare_day_is_its_end_and_a_decision_of_a_bare_day_holds_from_its_beginning():
    shop = Shop()
    shop.send("a", engine("morning", "2025-03-01T08:00:00Z"))
    assert then(shop, "2025-03-01") == ["morning"]
    assert then(shop, "2025-03-01T07:59:59.9Z") == []


def test_what_stands_today_is_not_ended_by_history_between():
    """Nobody displaced it: it was in force then, beside what was recorded as history, and is now."""
    shop = Shop()
    shop.send("a", engine("postgres", "2024-01-01"))
    shop.send("b", engine("elastic", "2026-01-01"), on_unseen="branch")
    shop.send("c", engine("solr", "2025-01-01"), on_unseen="historical")
    assert sorted(then(shop, "2025-06-01")) == ["postgres", "solr"]
    assert sorted(then(shop, "2026-06-01")) == ["elastic", "postgres"]


def test_a_displacer_dated_before_what_it_displaces_ends_it_as_it_begins():
    shop = Shop()
    late = engine("late", "2026-05-01")
    shop.send("a", late)
    shop.send("b", engine("early", "2025-05-01"), overrule=[id_of(late)])
    assert then(shop, "2025-06-01") == ["early"]
    assert then(shop, "2026-06-01") == ["early"]


def test_a_conflict_was_one():
    shop = Shop()
    one, two = engine("a", "2024-01-01"), engine("b", "2024-02-01")
    shop.send("a", one)
    shop.send("b", two, on_unseen="branch")
    shop.send("c", engine("c", "2025-01-01", supersedes=[id_of(one), id_of(two)]))
    answer, _ = recall_element(shop.projection, "shop", element(SEARCH), None, "2024-06-01")
    assert answer.elements[0].conflicts == ["engine"]
    assert answer.as_of == "2024-06-01"


def test_notes_links_and_what_is_only_attached():
    shop = Shop()
    held = adopted("Uses", link(SEARCH, "USES", DB), attach("team:core"), date="2024-01-01")
    shop.send("a", held)
    shop.send(
        "a", {"title": "Off", "outcome": "note", "supersedes": [id_of(held)], "date": "2025-01-01"}
    )
    for name in (SEARCH, DB, "team:core"):
        before, _ = recall_element(shop.projection, "shop", element(name), None, "2024-06-01")
        assert before.elements[0].in_force == [id_of(held)]
        assert before.decisions[id_of(held)].holds == ["feature:search.uses → service:db"]
        after, _ = recall_element(shop.projection, "shop", element(name), None, "2025-06-01")
        assert after.state == "empty"


def test_history_on_two_elements_is_told_of_both():
    shop = Shop()
    for name in (SEARCH, DB):
        shop.send("a", adopted(f"New {name}", prop(name, "engine", "new"), date="2026-01-01"))
    old = adopted(
        "Old", prop(SEARCH, "engine", "old"), prop(DB, "engine", "old"), date="2024-01-01"
    )
    shop.send("b", old, on_unseen="historical")
    names = [parse_name(name, "") for name in (SEARCH, DB)]
    answer, _ = recall(
        shop.projection, "shop", targets(shop.projection, names, []), as_of="2025-01-01"
    )
    assert answer.decisions[id_of(old)].holds == ["feature:search.engine", "service:db.engine"]


def test_pages_of_the_past_are_everything_once(monkeypatch):
    monkeypatch.setattr("precedent.recall.PAGE", 3)
    shop = Shop()
    for n in range(8):
        shop.send("a", adopted(f"T{n}", prop(SEARCH, f"k{n}", n), date="2024-01-01"))
    found, start = [], None
    while True:
        answer, start = recall_element(
            shop.projection, "shop", element(SEARCH), start, "2025-01-01"
        )
        found += answer.decisions
        if start is None:
            break
    assert len(found) == len(set(found)) == 8


def test_more_than_one_answer_is_made_from_is_refused_and_says_what_to_do(monkeypatch, shop):
    monkeypatch.setattr(past, "ROWS", 2)
    assert Past(shop.projection, "2025-06-01").live(element(SEARCH))
    with pytest.raises(PastTooLong) as refused:
        Past(shop.projection, "2026-06-01").live(element(SEARCH))
    assert "timeline" in refused.value.detail


def test_nobody_ever_named_it(shop):
    with pytest.raises(NotFound):
        recall_element(shop.projection, "shop", element("no:thing"), None, "2025-01-01")


def test_the_agents_text_says_that_it_is_the_past(shop):
    answer, _ = recall_element(shop.projection, "shop", element(SEARCH), None, "2025-06-01")
    text = render(answer, budget=2000, tag="0" * 16).text
    assert "what was in force as of 2025-06-01" in text
    assert "solr" in text
    nothing, _ = recall_element(shop.projection, "shop", element(SEARCH), None, "2020-01-01")
    assert "Nothing was in force here." in render(nothing, budget=2000, tag="0" * 16).text
