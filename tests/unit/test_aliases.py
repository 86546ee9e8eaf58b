"""Two names for one thing: recalled together, judged together, and both histories kept."""

import pytest
from precedent.decision import parse
from precedent.element import parse_name
from precedent.errors import Invalid, UnseenHead
from precedent.live import EQUIVALENTS, equivalents
from precedent.naming import resolve_name
from precedent.recall import recall, recall_element, targets
from precedent.render import render

from tests.property.shop import Shop, adopted, alias, attach, element, id_of, link, prop

OLD, NEW, OTHER = "feature:search", "feature:product-search", "service:search"
SAME = adopted("Renamed", alias(OLD, NEW))


def engine(name, value):
    return adopted(f"{name} runs on {value}", prop(name, "engine", value))


def asked(shop, *names, paths=()):
    named = [parse_name(name, "") for name in names]
    return recall(shop.projection, "shop", targets(shop.projection, named, paths))[0]


@pytest.fixture
def shop():
    shop = Shop()
    shop.send("alice.laptop", engine(OLD, "postgres"))
    shop.send("alice.laptop", SAME)
    return shop


@pytest.mark.parametrize("name", [OLD, NEW])
def test_each_is_recalled_with_the_other(shop, name):
    answer = asked(shop, name)
    assert {f"{one.kind}:{one.name}" for one in answer.elements} == {OLD, NEW}
    assert set(answer.decisions) == {id_of(engine(OLD, "postgres")), id_of(SAME)}
    first, second = answer.elements
    assert (first.same_as, second.same_as) == ([second.id], [first.id])
    assert second.why == f"the same as {name}"
    by_id, _ = recall_element(shop.projection, "shop", element(name), None)
    assert by_id.elements == answer.elements


def test_it_is_shown_at_both_ends_and_in_both_histories(shop):
    old, new = asked(shop, OLD).elements
    assert "alias → feature:product-search" in old.slots
    assert "alias ← feature:search" in new.slots
    for name in (OLD, NEW):
        events = list(shop.projection.history(element(name)))
        assert id_of(SAME) in {event.decision for event in events}


def test_a_path_of_one_leads_to_both(shop):
    shop.send("a", adopted("Where", prop(NEW, "paths", ["search/**"])))
    answer = asked(shop, paths=["search/api.py"])
    assert [f"{one.kind}:{one.name}" for one in answer.elements] == [NEW, OLD]


def test_nobody_overrules_under_another_name_what_they_have_not_read(shop):
    with pytest.raises(UnseenHead) as refused:
        shop.send("bob.desk", engine(NEW, "elastic"))
    (met,) = refused.value.members["unseen"]
    assert (met["element"], met["slot"], met["value"]) == (OLD, "engine", "postgres")


def test_what_was_read_is_displaced_under_its_own_name(shop):
    read = [id_of(engine(OLD, "postgres"))]
    answer = shop.send("bob.desk", engine(NEW, "elastic"), seen=read)
    (gone,) = answer.results[0].overruled
    assert (gone.element, gone.slots) == (OLD, ["engine"])
    old, new = asked(shop, OLD).elements
    assert "engine" not in old.slots
    assert [one.value for one in new.slots["engine"]] == ["elastic"]
    assert not old.conflicts + new.conflicts


def test_two_that_agree_stand(shop):
    assert shop.send("bob.desk", engine(NEW, "postgres")).results[0].status == "recorded"
    assert not [one.conflicts for one in asked(shop, OLD).elements if one.conflicts]


def test_a_contradiction_between_names_is_a_conflict_on_each(shop):
    answer = shop.send("bob.desk", engine(NEW, "elastic"), on_unseen="branch")
    (conflict,) = answer.results[0].conflicts
    assert {head.value for head in conflict.heads} == {"postgres", "elastic"}
    assert [one.conflicts for one in asked(shop, OLD).elements] == [["engine"], ["engine"]]
    text = render(asked(shop, NEW), budget=3000, tag="0" * 16).text
    (line,) = [line for line in text.splitlines() if " against " in line]
    assert OLD in line
    assert NEW in line


def test_merging_two_that_contradict_each_other_chooses_nothing():
    shop = Shop()
    shop.send("a", engine(OLD, "postgres"))
    shop.send("b", engine(NEW, "elastic"))
    shop.send("a", SAME)
    assert [one.conflicts for one in asked(shop, OLD).elements] == [["engine"], ["engine"]]


def test_withdrawn_they_are_two_things_again(shop):
    shop.send("a", {"title": "No", "outcome": "note", "supersedes": [id_of(SAME)]})
    (only,) = asked(shop, OLD).elements
    assert only.same_as == []
    assert shop.send("bob.desk", engine(NEW, "elastic")).results[0].status == "recorded"


def test_a_cycle_does_no_harm_and_a_long_chain_ends():
    shop = Shop()
    names = [f"feature:f{n}" for n in range(EQUIVALENTS + 5)]
    for one, other in zip(names, [*names[1:], names[0]], strict=True):
        shop.send("a", adopted(f"{one} is {other}", alias(one, other)))
    found = equivalents(shop.projection, element(names[0]))
    assert len(found) == len(set(found)) == EQUIVALENTS
    assert len(asked(shop, names[0]).elements) == EQUIVALENTS


def test_what_a_name_stands_for(shop):
    shop.send("a", adopted("Elsewhere", attach(OTHER)))
    for name in (OLD, NEW, "Feature: SEARCH"):
        found = resolve_name(shop.projection, parse_name(name, "")).elements
        assert [(f"{one.kind}:{one.name}", one.current) for one in found] == [
            (NEW, True),
            (OLD, False),
        ]
    assert resolve_name(shop.projection, parse_name("no:thing", "")).elements == []
    assert resolve_name(None, parse_name(OLD, "")).elements == []


def test_a_link_to_either_is_a_link_of_its_own(shop):
    shop.send("a", adopted("Uses", link("team:core", "OWNS", OLD)))
    (old, _) = asked(shop, OLD).elements
    assert [one["from"] for one in old.links] == ["team:core"]


def test_a_name_is_no_alias_of_itself():
    with pytest.raises(Invalid, match="same name"):
        parse(adopted("T", alias("a:b", " A:  b")))
