"""Paging recall: the pages together are everything, nothing twice and no slot in halves."""

import json
from collections import Counter

import pytest
from precedent import recall as recalling
from precedent.element import element_id

from tests.unit.served import PROJECT, Service, service


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


def attach(*names):
    return [{"op": "upsert_element", "kind": "area", "name": name} for name in names]


def sets(name, key, value):
    return {"op": "set_prop", "element": f"area:{name}", "key": key, "value": value}


def record_many(served, decisions):
    for start in range(0, len(decisions), 100):
        served.record(*decisions[start : start + 100])


def pages(served, query, path="/recall"):
    """Every page of a question."""
    cursor = {}
    while True:
        answer = served.ask("recall", "GET", PROJECT + path, query={**query, **cursor})
        assert answer.status == 200, answer
        yield answer.body
        if not answer.body["cursor"]:
            return
        cursor = {"cursor": answer.body["cursor"]}


def in_force(found):
    """(element, decision) as listed on any page."""
    return Counter(
        (element["name"], decision)
        for page in found
        for element in page["elements"]
        for decision in element["in_force"] + element["dead_ends"]
    )


@pytest.mark.parametrize("by_id", [False, True])
def test_an_element_with_more_decisions_than_a_page(served, by_id):
    notes = [{"title": f"N{n}", "outcome": "note", "mutations": attach("one")} for n in range(230)]
    record_many(served, notes)
    if by_id:
        found = list(pages(served, {}, "/elements/" + element_id("area", "one")))
    else:
        found = list(pages(served, {"element": "area:one"}))
    assert [len(page["decisions"]) for page in found] == [100, 100, 30]
    assert [len(page["shown"]) for page in found] == [100, 100, 30]
    titles = [each["title"] for page in found for each in page["decisions"].values()]
    assert sorted(titles) == sorted(note["title"] for note in notes)
    assert set(in_force(found).values()) == {1}


@pytest.mark.parametrize("by_path", [False, True])
def test_many_elements(served, by_path):
    names = [f"n{n:02d}" for n in range(30)]
    record_many(
        served,
        [
            {
                "title": f"{name} {n}",
                "mutations": [sets(name, f"key-{n}", n)]
                + ([sets(name, "paths", [f"src/{name}", "src/**"])] if n == 0 else []),
            }
            for name in names
            for n in range(9)
        ],
    )
    query = {"path": "src/x.py"} if by_path else {"element": [f"area:{name}" for name in names]}
    found = list(pages(served, query))
    assert len(found) == 3
    listed = Counter(
        (element["name"], key, side["value"])
        for page in found
        for element in page["elements"]
        for key, sides in element["slots"].items()
        for side in sides
        if key != "paths"
    )
    assert listed == Counter((name, f"key-{n}", n) for name in names for n in range(9))
    assert set(in_force(found).values()) == {1}
    order = dict.fromkeys(each["name"] for page in found for each in page["elements"])
    assert (sorted(order) if by_path else list(order)) == names


def test_a_conflict_is_not_cut_in_halves(served):
    record_many(
        served,
        [{"title": f"K{n}", "mutations": [sets("one", f"a-{n:03d}", n)]} for n in range(99)]
        + [{"title": "After", "mutations": [sets("one", "c", 1)]}],
    )
    for n in range(5):
        served.record({"title": f"Side {n}", "mutations": [sets("one", "b", n)]})
    first, second = pages(served, {"element": "area:one"})
    assert first["elements"][0]["conflicts"] == ["b"]
    assert len(first["elements"][0]["slots"]["b"]) == 5
    assert list(second["elements"][0]["slots"]) == ["c"]


def test_a_page_ends_at_four_megabytes(served, monkeypatch):
    monkeypatch.setattr(recalling, "PAGE_BYTES", 40_000)
    record_many(
        served,
        [
            {"title": f"{name} {n}", "rationale": "r" * 7_000, "mutations": attach(name)}
            for name in ("one", "two", "three")
            for n in range(6)
        ],
    )
    found = list(pages(served, {"element": ["area:one", "area:two", "area:three"]}))
    assert len(found) == 4
    for page in found:
        assert sum(len(each["rationale"]) for each in page["decisions"].values()) <= 40_000
        # An element is on a page with what is in force on it, or not at all.
        assert all(element["in_force"] for element in page["elements"])
    assert len(in_force(found)) == 18
    assert set(in_force(found).values()) == {1}


def test_a_decision_larger_than_a_page_is_a_page(served, monkeypatch):
    monkeypatch.setattr(recalling, "PAGE_BYTES", 1_000)
    record_many(
        served,
        [
            {"title": f"T{n}", "rationale": "r" * 7_000, "mutations": attach("one")}
            for n in range(3)
        ],
    )
    assert len(in_force(list(pages(served, {"element": "area:one"})))) == 3


def test_elements_that_come_and_go_between_pages_hide_no_other(served):
    """Between two pages a nearer element appears and one that was shown is found no more."""
    shown = {"title": "P", "mutations": [sets("gone", "paths", ["src/a/**"])]}
    moved = served.record(shown).body["results"][0]["id"]
    record_many(
        served,
        [{"title": f"S{n}", "mutations": [sets("stays", f"k-{n:03d}", n)]} for n in range(150)]
        + [{"title": "Q", "mutations": [sets("stays", "paths", ["src/**"])]}],
    )
    question = pages(served, {"path": "src/a/x.py"})
    first = next(question)
    served.record({"title": "Away", "mutations": [sets("gone", "paths", ["lib/**"])]}, seen=[moved])
    served.record({"title": "R", "mutations": [sets("new", "paths", ["src/a/**"])]})
    served.record({"title": "R2", "mutations": [sets("newer", "paths", ["src/a/*"])]})
    found = [first, *question]
    held = {key for page in found for each in page["elements"] for key in each["slots"]}
    assert held >= {f"k-{n:03d}" for n in range(150)}


def test_a_cut_by_size_keeps_a_contested_slot_whole(served):
    long = {
        "rationale": "x" * 8_000,
        "rejected": [{"option": "y" * 1_000, "reason": "z" * 1_000}] * 20,
    }
    notes = [
        {"title": f"N{n}", "outcome": "note", "mutations": attach("cut"), **long} for n in range(9)
    ]
    record_many(served, notes)
    for value in ("postgres", "elastic"):
        served.record(
            {"title": value, "mutations": [sets("cut", "engine", value)], **long},
            on_unseen="branch",
        )
    size = 8_000 + 20 * 2_000
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(recalling, "PAGE_BYTES", 10 * size + size // 2)
        found = list(pages(served, {"element": "area:cut"}))
    elements = [page["elements"][0] for page in found]
    assert [len(each["slots"].get("engine", ())) for each in elements] == [0, 2]
    assert [each["conflicts"] for each in elements] == [[], ["engine"]]
    assert len({each for page in found for each in page["shown"]}) == 11


def test_a_slot_that_is_more_than_a_page_stays_whole_and_says_what_was_left_out(served):
    for n in range(4):
        heads = {"title": f"{n}", "rationale": "x" * 2_000, "mutations": [sets("cut", "engine", n)]}
        served.record(heads, on_unseen="branch")
    served.record({"title": "after", "mutations": [sets("cut", "timeout", 1)]})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(recalling, "PAGE_BYTES", 6_000)
        first, second = pages(served, {"element": "area:cut"})
    assert len(first["elements"][0]["slots"]["engine"]) == 4
    assert first["omitted"]["count"] == 2
    told = {*first["shown"], *first["omitted"]["ids"]}
    assert told == set(first["elements"][0]["in_force"])
    assert list(second["elements"][0]["slots"]) == ["timeout"]


def test_labels_and_values_take_room_on_a_page(served):
    wide = "n" * 150
    props = {"props": {f"{n:03d}" + "k" * 60: "v" * 100 for n in range(100)}}
    for n in range(4):
        served.record(
            {"title": f"T{n}", "mutations": [*attach("one"), {**attach(f"{n}{wide}")[0], **props}]}
        )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(recalling, "PAGE_BYTES", 150_000)
        found = list(pages(served, {"element": "area:one"}))
    assert len(found) > 1
    assert all(len(json.dumps(page)) < 200_000 for page in found)


def test_what_a_decision_sets_elsewhere_is_told_with_its_value(served):
    decided = {"title": "Both", "mutations": [sets("a", "x", 1), sets("b", "y", "secret")]}
    dead = {"title": "No", "outcome": "rejected", "mutations": [sets("a", "x", 2)]}
    served.record(decided, dead)
    (page,) = pages(served, {"element": "area:a"})
    told = {each["title"]: each["sets"] for each in page["decisions"].values()}
    assert told == {
        "Both": [
            {"slot": "area:a.x", "value": 1, "link": False},
            {"slot": "area:b.y", "value": "secret", "link": False},
        ],
        "No": [{"slot": "area:a.x", "value": 2, "link": False}],
    }
