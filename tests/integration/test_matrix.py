"""Who may do what, asked of every route of the deployed API."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local.deploy import load

TEMPLATE = load(Path(__file__).resolve().parents[2] / "sam" / "template.yaml")
PROJECT = "/v1/projects/shop"
ELEMENT = "el_" + "0" * 20
DECISION = "d_" + "0" * 24

MATRIX = {
    "POST /v1/projects/{project}/decisions": (PROJECT + "/decisions", "write"),
    "GET /v1/projects/{project}/recall": (PROJECT + "/recall?element=feature:search", "read"),
    "POST /v1/projects/{project}/recall": (PROJECT + "/recall", "read"),
    "GET /v1/projects/{project}/search": (PROJECT + "/search?q=postgres", "read"),
    "GET /v1/projects/{project}/decisions/{decision}": (PROJECT + "/decisions/{decision}", "read"),
    "GET /v1/projects/{project}/digest": (PROJECT + "/digest", "read"),
    "GET /v1/projects/{project}/elements/{element}": (PROJECT + "/elements/{element}", "read"),
    "GET /v1/projects/{project}/elements": (PROJECT + "/elements", "read"),
    "GET /v1/projects/{project}/elements/{element}/history": (
        PROJECT + "/elements/{element}/history",
        "read",
    ),
    "GET /v1/projects/{project}/elements/{element}/timeline": (
        PROJECT + "/elements/{element}/timeline",
        "read",
    ),
    "GET /v1/projects/{project}/resolve": (PROJECT + "/resolve?name=feature:search", "read"),
    "GET /v1/projects/{project}/conflicts": (PROJECT + "/conflicts", "read"),
    "GET /v1/projects/{project}/changes": (PROJECT + "/changes", "read"),
    "GET /v1/projects/{project}/log": (PROJECT + "/log", "read"),
    "POST /v1/projects/{project}/feedback": (PROJECT + "/feedback", "say"),
    "GET /v1/projects/{project}/feedback": (PROJECT + "/feedback?decision={decision}", "read"),
    "GET /v1/whoami": ("/v1/whoami", "read"),
    "GET /v1/health": ("/v1/health", "public"),
}
"""Each route of the template, an address of it, and what it takes to be let in."""

PROTECTED = [route for route, (_, needs) in MATRIX.items() if needs != "public"]
OF_A_PROJECT = [route for route in PROTECTED if "{project}" in route]

DECIDED = {
    "title": "Search runs on Postgres, says acme",
    "mutations": [
        {"op": "set_prop", "element": "feature:search", "key": "engine", "value": "postgres"}
    ],
}
BODIES = {
    "POST /v1/projects/{project}/decisions": {"decision": DECIDED},
    "POST /v1/projects/{project}/recall": {"element": ["feature:search"]},
    "POST /v1/projects/{project}/feedback": {"session": "s", "used": [DECISION]},
}


@dataclass(frozen=True)
class World:
    """One tenant with a decision in `shop`, and another tenant."""

    stack: Any
    writer: str
    reader: str
    revoked: str
    used_and_revoked: str
    stranger: str
    element: str
    decision: str

    def ask(self, route: str, **request: Any) -> Any:
        method = route.split()[0]
        path = MATRIX[route][0].format(element=self.element, decision=self.decision)
        return self.stack.http(method, path, body=BODIES.get(route), **request)


@pytest.fixture(scope="module")
def world(stack: Any) -> World:
    tenant, other = stack.new_name("acme"), stack.new_name("other")
    token = stack.writer("alice.laptop", tenant=tenant)
    revoked = stack.writer("bob.desk", tenant=tenant)
    stack.revoke("bob.desk", tenant=tenant)
    used = stack.writer("dora.pad", tenant=tenant)
    assert stack.http("GET", "/v1/whoami", token=used).status == 200
    stack.revoke("dora.pad", tenant=tenant)
    answer = stack.http("POST", PROJECT + "/decisions", token=token, body={"decision": DECIDED})
    assert answer.status == 201, answer
    found = stack.http("GET", PROJECT + "/recall?element=feature:search", token=token)
    return World(
        stack=stack,
        writer=token,
        reader=stack.writer("carol.mac", role="reader", tenant=tenant),
        revoked=revoked,
        used_and_revoked=used,
        stranger=stack.writer("alice.laptop", tenant=other),
        element=found.body["elements"][0]["id"],
        decision=answer.body["results"][0]["id"],
    )


def test_no_route_is_missing_from_the_matrix() -> None:
    routes = {
        each["Properties"]["RouteKey"]
        for each in TEMPLATE["Resources"].values()
        if each["Type"] == "AWS::ApiGatewayV2::Route"
    }
    assert routes == MATRIX.keys()


@pytest.mark.parametrize("route", PROTECTED)
def test_without_a_token(world: World, route: str) -> None:
    assert world.ask(route).status == 401


@pytest.mark.parametrize("route", PROTECTED)
@pytest.mark.parametrize("scheme", ["", "Bearer", "Bearer ", "Basic {}", "{}", "Bearer {0} {0}"])
def test_a_malformed_header(world: World, route: str, scheme: str) -> None:
    """An empty one may count as none."""
    header = {"Authorization": scheme.format(world.writer)}
    answer = world.ask(route, headers=header)
    assert answer.status in ((401, 403) if not scheme else (403,))
    assert "decisions" not in str(answer.body)


@pytest.mark.parametrize("route", PROTECTED)
def test_a_wrong_token(world: World, route: str) -> None:
    assert world.ask(route, token="pct_" + "a" * 43).status == 403
    assert world.ask(route, token=world.writer[:-1] + "!").status == 403


@pytest.mark.parametrize("route", PROTECTED)
def test_a_revoked_token(world: World, route: str) -> None:
    """It was never used before, so no answer about it is kept anywhere."""
    assert world.ask(route, token=world.revoked).status == 403


@pytest.mark.parametrize("route", OF_A_PROJECT)
def test_another_tenants_token_sees_nothing_of_ours(world: World, route: str) -> None:
    """In its own project of the same name, by the same ids, it finds what it has itself: nothing."""
    if MATRIX[route][1] in ("write", "say"):
        return  # it may write: into its own project
    answer = world.ask(route, token=world.stranger)
    by_id = "{element}" in route or "{decision}" in route
    assert answer.status == (404 if by_id else 200)
    assert "says acme" not in str(answer.body)
    assert "alice" not in str(answer.body)
    if route.endswith("/recall"):
        assert (answer.body["state"], answer.body["decisions"]) == ("empty", {})
    if route.endswith("/search"):
        assert (answer.body["state"], answer.body["hits"]) == ("empty", [])
    if route.endswith("/digest"):
        assert answer.body["entries"] == 0
    if route.endswith("/log"):
        assert answer.body["lines"] == []
    if route.endswith("/resolve"):
        assert answer.body["elements"] == []
    for listing in ("elements", "conflicts", "changes"):
        if route.endswith("/" + listing):
            assert answer.body[listing] == []


def test_what_another_tenant_writes_stays_its_own(world: World) -> None:
    tenant = world.stack.new_name("third")
    token = world.stack.writer("alice.laptop", tenant=tenant)
    theirs = {**DECIDED, "title": "Search runs on Elastic, says the third"}
    answer = world.stack.http(
        "POST", PROJECT + "/decisions", token=token, body={"decision": theirs}
    )
    assert (answer.status, answer.body["results"][0]["overruled"]) == (201, [])
    ours = world.ask("GET /v1/projects/{project}/recall", token=world.writer)
    assert list(ours.body["decisions"]) == [world.decision]


@pytest.mark.parametrize("route", PROTECTED)
def test_a_reader_reads_and_does_not_write(world: World, route: str) -> None:
    answer = world.ask(route, token=world.reader)
    if MATRIX[route][1] == "read":
        assert answer.status == 200
        return
    assert answer.status == 403
    assert answer.body["type"] == "urn:precedent:error:forbidden"
    assert "token with the role writer" in answer.body["detail"]


@pytest.mark.parametrize("route", PROTECTED)
def test_a_writer_does_both(world: World, route: str) -> None:
    assert world.ask(route, token=world.writer).status == 200


def test_health_asks_nobody_and_says_nothing(world: World) -> None:
    for request in ({}, {"token": "pct_" + "a" * 43}):
        answer = world.ask("GET /v1/health", **request)
        assert (answer.status, answer.body) == (200, {"status": "ok"})


def test_whoami(world: World) -> None:
    answer = world.ask("GET /v1/whoami", token=world.reader)
    assert (answer.body["writer"], answer.body["role"]) == ("carol.mac", "reader")
    assert answer.headers["cache-control"].startswith("private")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/v1"),
        ("GET", "/v1/projects"),
        ("GET", "/v1/projects/shop"),
        ("GET", "/v1/projects/shop/decisions"),
        ("DELETE", "/v1/projects/shop/decisions"),
        ("PUT", "/v1/projects/shop/decisions/" + DECISION),
        ("DELETE", "/v1/projects/shop/elements/" + ELEMENT),
        ("GET", "/v1/openapi.json"),
        ("GET", "/v1/docs"),
        ("GET", "/v2/health"),
    ],
)
def test_there_is_nothing_else(world: World, method: str, path: str) -> None:
    assert world.stack.http(method, path, token=world.writer).status in (403, 404)


@pytest.mark.slow
def test_a_token_revoked_after_use_is_refused_once_the_gateway_has_forgotten_it(
    world: World,
) -> None:
    """The gateway keeps an authorizer's answer for as long as the template says: a minute, and no longer."""
    authorizer = TEMPLATE["Resources"]["TokenAuthorizer"]["Properties"]
    for _ in range(authorizer["AuthorizerResultTtlInSeconds"] + 1):
        if world.ask("GET /v1/whoami", token=world.used_and_revoked).status == 403:
            break
        time.sleep(1)
    for route in PROTECTED:
        assert world.ask(route, token=world.used_and_revoked).status == 403
