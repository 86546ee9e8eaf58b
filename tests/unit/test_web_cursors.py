"""Cursors: opaque, signed, and worth nothing on another route, area, project or tenant."""

import base64

import pytest
from precedent.consume import Scope
from precedent.entry import Dot
from precedent.errors import Invalid
from precedent.recall import Cursor
from precedent.rows import ConflictRow
from precedent.web.cursor import Cursors

from tests.unit.served import CALLER, PROJECT, Service, service

KEY = b"the deployment's own"
SHOP = Scope("acme", "shop")
POSITION = Cursor(3, "el_" + "0" * 20, "p:engine", Dot("alice.laptop", 7))


def cursors(route="conflicts", scope=SHOP, key=KEY):
    return Cursors(key, route, scope)


def test_a_cursor_comes_back_as_it_was():
    assert cursors().load(cursors().dump(POSITION), Cursor) == POSITION
    assert cursors().dump(None) is None
    assert cursors().load(None, Cursor) is None


@pytest.mark.parametrize(
    "elsewhere",
    [
        cursors("recall"),
        cursors("conflicts\0acme"),
        cursors(scope=Scope("acme", "shop-api")),
        cursors(scope=Scope("acme-2", "shop")),
        cursors(scope=Scope("shop", "acme")),
        cursors(key=b"another deployment's"),
    ],
)
def test_it_is_worth_nothing_elsewhere(elsewhere):
    with pytest.raises(Invalid, match="start over without it"):
        elsewhere.load(cursors().dump(POSITION), Cursor)


def test_not_one_character_may_be_changed():
    text = cursors().dump(POSITION)
    for place in range(len(text)):
        changed = text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 :]
        if base64.urlsafe_b64decode(changed + "==") != base64.urlsafe_b64decode(text + "=="):
            with pytest.raises(Invalid):
                cursors().load(changed, Cursor)


@pytest.mark.parametrize("text", ["", "x", "====", "é", "\ud800", "AAAA" * 20, "\0", "e30"])
def test_what_is_no_cursor_is_refused(text):
    with pytest.raises(Invalid):
        cursors().load(text, Cursor)


def test_a_position_of_another_kind_is_refused():
    with pytest.raises(Invalid):
        cursors().load(cursors().dump(POSITION), ConflictRow)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    made = service(monkeypatch)
    for project in ("shop", "shop-api"):
        for start in (0, 100):
            made.record(
                *(
                    {
                        "title": f"{project} {n}",
                        "outcome": "note",
                        "mutations": [
                            {"op": "upsert_element", "kind": "area", "name": name}
                            for name in ("one", "two", f"n{n}")
                        ],
                    }
                    for n in range(start, start + 100)
                ),
                project=project,
            )
    return made


def test_no_cursor_is_taken_where_it_was_not_given(served):
    found = served.recall(query={"element": "area:one"}).body
    one = found["elements"][0]["id"]
    two = served.recall(query={"element": "area:two"}).body["elements"][0]["id"]
    asked = {
        "recall one": ("recall", PROJECT + "/recall", {"element": "area:one"}, "cursor"),
        "recall two": ("recall", PROJECT + "/recall", {"element": "area:two"}, "cursor"),
        "recall path": ("recall", PROJECT + "/recall", {"path": "area:one"}, "cursor"),
        "element one": ("recall", f"{PROJECT}/elements/{one}", {}, "cursor"),
        "element two": ("recall", f"{PROJECT}/elements/{two}", {}, "cursor"),
        "history one": ("browse", f"{PROJECT}/elements/{one}/history", {}, "cursor"),
        "history two": ("browse", f"{PROJECT}/elements/{two}/history", {}, "cursor"),
        "elements": ("browse", PROJECT + "/elements", {}, "cursor"),
        "elements of a kind": ("browse", PROJECT + "/elements", {"kind": "area"}, "cursor"),
        "changes": ("browse", PROJECT + "/changes", {}, "since"),
        "conflicts": ("browse", PROJECT + "/conflicts", {}, "cursor"),
        "log": ("export", PROJECT + "/log", {}, "since"),
    }
    given = {}
    for name, (function, path, query, parameter) in asked.items():
        answer = served.ask(function, "GET", path, query=query)
        if text := answer.body.get(parameter):
            given[name] = text
    assert given.keys() == asked.keys() - {"recall path", "conflicts"}

    for giver, text in given.items():
        for taker, (function, path, query, parameter) in asked.items():
            here = {**query, parameter: text}
            answer = served.ask(function, "GET", path, query=here)
            assert (answer.status == 200) == (giver == taker), (giver, taker)
        function, path, query, parameter = asked[giver]
        there = path.replace("shop", "shop-api")
        answer = served.ask(function, "GET", there, query={**query, parameter: text})
        assert answer.status == 422
        stranger = {**CALLER, "tenant": "acme-2"}
        answer = served.ask(
            function, "GET", path, query={**query, parameter: text}, authorizer=stranger
        )
        assert answer.status == 422
