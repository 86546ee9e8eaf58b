"""Every refusal is a problem of one shape; a defect tells nothing but where to find it."""

import io

import pytest
from precedent.errors import TYPE_PREFIX
from precedent.ports import StoreError
from precedent.web import api, reading

from tests.unit.served import PROJECT, Service, service

SECRET_TEXT = "the plan nobody may read in a log"
DECISION = {
    "title": SECRET_TEXT,
    "mutations": [{"op": "set_prop", "element": "feature:search", "key": "engine", "value": "pg"}],
}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


@pytest.fixture
def printed(served: Service) -> io.StringIO:
    """What the functions log."""
    lines = io.StringIO()
    for logger in (api.logger, served.functions["append"].logger):
        logger.registered_handler.setStream(lines)
    return lines


def check(answer, status, name):
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert (answer.status, answer.body["status"]) == (status, status)
    assert answer.body["type"] == TYPE_PREFIX + name
    assert answer.body["request_id"] == "request-1"
    assert answer.body["title"]
    assert answer.body["detail"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/docs"),
        ("GET", "/openapi.json"),
        ("GET", PROJECT + "/decisions"),
        ("DELETE", PROJECT + "/decisions"),
        ("GET", PROJECT + "/elements/"),
    ],
)
@pytest.mark.parametrize("function", ["append", "recall", "browse"])
def test_there_is_no_other_route(served, function, method, path):
    check(served.ask(function, method, path), 404, "not-found")


@pytest.mark.parametrize("body", [b"\xff", b"", b"{", b"null"])
def test_a_body_that_can_not_be_read(served, body):
    for function, path in (("recall", "/recall"), ("append", "/decisions")):
        check(served.ask(function, "POST", PROJECT + path, body=body), 422, "invalid")


def test_a_body_without_a_bottom(served):
    body = b"[" * 100_000
    check(served.ask("recall", "POST", PROJECT + "/recall", body=body), 422, "invalid")
    check(served.ask("append", "POST", PROJECT + "/decisions", body=body), 422, "too-large")


@pytest.mark.parametrize("function", ["recall", "browse"])
def test_a_store_that_does_not_answer(served, function, monkeypatch, printed):
    def down(_scope):
        raise StoreError("ProvisionedThroughputExceededException")

    monkeypatch.setattr(reading, "projection_of", down)
    path = PROJECT + ("/digest" if function == "recall" else "/changes")
    check(served.ask(function, "GET", path), 503, "unavailable")
    assert "ProvisionedThroughputExceededException" in printed.getvalue()


def test_a_defect_is_answered_and_its_text_is_kept_out_of_the_log(served, monkeypatch, printed):
    def broken(_scope):
        raise ValueError(SECRET_TEXT)

    monkeypatch.setattr(reading, "projection_of", broken)
    answer = served.ask("recall", "GET", PROJECT + "/digest")
    check(answer, 500, "failed")
    assert "ValueError" in printed.getvalue()
    assert SECRET_TEXT not in printed.getvalue() + str(answer.body)


def test_no_word_of_a_decision_is_logged(served, printed):
    served.record(DECISION)
    refusal = {"decision": {**DECISION, "title": SECRET_TEXT + "!", "unknown": SECRET_TEXT}}
    assert served.ask("append", "POST", PROJECT + "/decisions", body=refusal).status == 422
    other = {**DECISION, "mutations": [{**DECISION["mutations"][0], "value": SECRET_TEXT}]}
    unseen = served.ask("append", "POST", PROJECT + "/decisions", body={"decision": other})
    check(unseen, 409, "unseen-head")
    assert unseen.body["unseen"][0]["decision"]["title"] == SECRET_TEXT
    for query in ({"element": "feature:search"}, {"path": SECRET_TEXT}, {"element": SECRET_TEXT}):
        served.recall(query=query)
    assert "answered" in printed.getvalue()
    assert SECRET_TEXT not in printed.getvalue()
    assert "search" not in printed.getvalue()


@pytest.mark.parametrize(
    ("function", "path"),
    [("recall", "/digest"), ("browse", "/elements"), ("browse", "/changes"), ("recall", "/recall")],
)
def test_an_unknown_parameter_is_refused(served, function, path):
    query = {"element": "a:b"} if path == "/recall" else {}
    answer = served.ask(function, "GET", PROJECT + path, query={**query, "limit": 5})
    check(answer, 422, "invalid")
    assert answer.body["field"] == "/query/limit"


def test_what_is_not_there(served):
    served.record(DECISION)
    for function, path in (
        ("recall", "/decisions/d_" + "0" * 24),
        ("recall", "/elements/el_" + "0" * 20),
        ("browse", f"/elements/el_{'0' * 20}/history"),
    ):
        check(served.ask(function, "GET", PROJECT + path), 404, "not-found")


def test_what_a_project_without_a_record_answers(served):
    assert served.recall(query={"element": "a:b"}).body["state"] == "empty"
    for function, path, empty in (
        ("browse", "/elements", {"elements": [], "cursor": None}),
        ("browse", "/conflicts", {"conflicts": [], "cursor": None}),
        ("recall", "/digest", {"digest": "sha256sum:" + "0" * 64, "entries": 0, "elements": 0}),
    ):
        assert served.ask(function, "GET", PROJECT + path).body == empty
    changes = served.ask("browse", "GET", PROJECT + "/changes").body
    assert (changes["changes"], changes["more"]) == ([], False)
    since = {"since": changes["since"]}
    assert served.ask("browse", "GET", PROJECT + "/changes", query=since).status == 200
