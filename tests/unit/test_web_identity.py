"""Who is calling is what the authorizer vouches for; without it, every function fails closed."""

import json

import pytest

from tests.unit.served import CALLER, PROJECT, Service, service

DECISION = {"title": "T", "mutations": [{"op": "upsert_element", "kind": "a", "name": "b"}]}
ROUTES = [
    ("append", "POST", PROJECT + "/decisions", {"decision": DECISION}),
    ("recall", "GET", PROJECT + "/digest", None),
    ("recall", "GET", PROJECT + "/decisions/d_" + "0" * 24, None),
    ("recall", "POST", PROJECT + "/recall", {"element": ["a:b"]}),
    ("browse", "GET", PROJECT + "/elements", None),
    ("browse", "GET", PROJECT + "/changes", None),
    ("browse", "GET", "/v1/whoami", None),
]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


@pytest.mark.parametrize(("function", "method", "path", "body"), ROUTES)
@pytest.mark.parametrize(
    "authorizer",
    [
        None,
        {},
        "alice",
        {**CALLER, "role": "owner"},
        {**CALLER, "role": None},
        {**CALLER, "tenant": ""},
        {**CALLER, "tenant": "acme/other"},
        {**CALLER, "tenant": "acme#shop"},
        {**CALLER, "tenant": 7},
        {**CALLER, "writer": "Alice"},
        {**CALLER, "writer": "a\n"},
        {"tenant": "acme", "role": "writer"},
    ],
)
def test_without_an_identity_nothing_is_done(served, function, method, path, body, authorizer):
    answer = served.ask(function, method, path, body=body, authorizer=authorizer)
    assert (answer.status, answer.body["type"]) == (401, "urn:precedent:error:unauthenticated")
    assert served.projects == {}


def test_nobody_names_a_tenant_or_a_writer_but_the_authorizer(served):
    served.record(DECISION)
    for query in ({"tenant": "other"}, {"writer": "bob.desk"}, {"role": "writer"}):
        assert served.ask("browse", "GET", "/v1/whoami", query=query).status == 422
    sent = {"decision": DECISION, "writer": "bob.desk"}
    assert served.ask("append", "POST", PROJECT + "/decisions", body=sent).status == 422
    headers = {"x-tenant": "other", "x-writer": "bob.desk"}
    answer = served.ask("browse", "GET", "/v1/whoami", headers=headers)
    assert answer.body == CALLER


def test_a_reader_may_not_write(served):
    answer = served.ask(
        "append",
        "POST",
        PROJECT + "/decisions",
        body={"decision": DECISION},
        authorizer={**CALLER, "role": "reader"},
    )
    assert (answer.status, answer.body["type"]) == (403, "urn:precedent:error:forbidden")
    assert "Ask whoever deployed this" in answer.body["detail"]
    assert served.projects == {}


def test_tenants_do_not_meet(served):
    served.record(DECISION)
    stranger = {**CALLER, "tenant": "acme-2"}
    answer = served.recall(query={"element": "a:b"}, authorizer=stranger)
    assert answer.body["state"] == "empty"
    assert "T" not in json.dumps(answer.body["decisions"])


def test_health_needs_nobody(served):
    answer = served.ask("browse", "GET", "/v1/health", authorizer=None)
    assert (answer.status, answer.body) == (200, {"status": "ok"})
