"""The log as readers take it away: whole, as it is stored, however it is cut into pages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedent import export
from precedent.entry import Place, read

from tests.unit.served import CALLER, PROJECT, Service, service


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


def note(title):
    return {"title": title, "mutations": [{"op": "upsert_element", "kind": "a", "name": title}]}


def record(served, writer, *titles):
    sent = {"decisions": [note(title) for title in titles], "on_unseen": "branch"}
    caller = {**CALLER, "writer": writer}
    answer = served.ask("append", "POST", PROJECT + "/decisions", body=sent, authorizer=caller)
    assert answer.status == 201


def pages(served, since=None):
    while True:
        query = {"since": since} if since else {}
        answer = served.ask("export", "GET", PROJECT + "/log", query=query)
        assert answer.status == 200
        yield answer.body
        since = answer.body["since"]
        if not answer.body["more"]:
            return


def stored(served):
    log, _ = served.ports(export.Scope("acme", "shop"))
    return {
        (writer, first + number): (first, line.decode())
        for (writer, first), data in log.objects.items()
        for number, line in enumerate(data.splitlines())
    }


def given_out(found):
    lines = [line for page in found for line in page["lines"]]
    places = {(line["writer"], line["seq"]): (line["first"], line["line"]) for line in lines}
    assert len(places) == len(lines)
    return places


@pytest.mark.parametrize(("size", "looks"), [(1, 1000), (900, 1000), (10**9, 2), (10**9, 4)])
def test_the_pages_together_are_the_log(served, monkeypatch, size, looks):
    monkeypatch.setattr(export, "PAGE_BYTES", size)
    monkeypatch.setattr(export, "LOOKS", looks)
    record(served, "alice.laptop", "one", "two", "three")
    record(served, "bob.desk", "four")
    record(served, "alice.laptop", "five")
    record(served, "carol.mac", *(f"c{n}" for n in range(9)))
    found = list(pages(served))
    assert len(found) > 1
    assert given_out(found) == stored(served)
    record(served, "bob.desk", "six")
    (after,) = given_out(pages(served, found[-1]["since"]))
    assert after == ("bob.desk", 2)


def test_a_line_verifies_on_its_own_and_only_where_it_belongs(served):
    record(served, "alice.laptop", "one", "two")
    ((page),) = pages(served)
    for line in page["lines"]:
        place = Place(page["tenant"], page["project"], line["writer"], line["seq"])
        assert read(line["line"].encode(), place, line["first"]).line == line["line"].encode()
        assert json.loads(line["line"])["decision"]["title"] in ("one", "two")


def test_what_cannot_be_read_is_named_and_not_given_out(served):
    record(served, "alice.laptop", "one")
    log, _ = served.ports(export.Scope("acme", "shop"))
    log.objects["alice.laptop", 2] = b'{"secret": "of another project"}\n'
    log.objects["alice.laptop", 5] = log.objects["alice.laptop", 1]
    (page,) = pages(served)
    assert [(line["writer"], line["seq"]) for line in page["lines"]] == [("alice.laptop", 1)]
    told = {(one["seq"], one["until"]): one["reason"] for one in page["unreadable"]}
    assert told.keys() == {(2, 3), (3, 5), (5, 6)}
    assert "secret" not in str(page)


def test_an_empty_project_has_an_empty_log(served):
    (page,) = pages(served)
    assert (page["lines"], page["unreadable"], page["more"]) == ([], [], False)


def test_a_gap_filled_between_two_pages_hides_nothing(served, monkeypatch):
    record(served, "alice.laptop", "one")
    record(served, "alice.laptop", "two", "three")
    log, _ = served.ports(export.Scope("acme", "shop"))
    lost = log.objects.pop(("alice.laptop", 1))
    monkeypatch.setattr(export, "PAGE_BYTES", 1)
    read_until = pages(served)
    found = [next(read_until)]
    log.objects["alice.laptop", 1] = lost
    found += read_until
    seqs = {line["seq"] for page in found for line in page["lines"]}
    assert seqs == {1, 2, 3}


@given(st.text(max_size=300))
def test_a_page_of_the_most_hostile_text_fits_an_answer(text):
    """JSON in JSON escapes each quote and each backslash once more, and nothing else."""
    line = json.dumps(text, ensure_ascii=False)
    assert len(json.dumps(line, ensure_ascii=False).encode()) <= 2 * len(line.encode()) + 2
