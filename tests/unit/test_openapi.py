"""The OpenAPI document is what the code says, and the gateway routes what the functions serve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from admin.openapi import DOCUMENT, FUNCTIONS, document, load_function, routes, text
from local.deploy import load

ROOT = Path(__file__).resolve().parents[2]
RESOURCES: dict[str, Any] = load(ROOT / "sam" / "template.yaml")["Resources"]
CHECKED_IN: dict[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"))


def routed() -> dict[str, str]:
    """Every route of the template and the function behind it."""
    found = {}
    for each in RESOURCES.values():
        if each["Type"] == "AWS::ApiGatewayV2::Route":
            integration = each["Properties"]["Target"]["Fn::Sub"]
            name = integration.removeprefix("integrations/${").removesuffix("}")
            function, _ = RESOURCES[name]["Properties"]["IntegrationUri"]["Fn::GetAtt"]
            found[each["Properties"]["RouteKey"]] = function.lower()
    return found


def operations() -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in CHECKED_IN["paths"].items()
        for method, operation in methods.items()
    }


def test_the_document_is_what_the_code_says() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == text(), "renew it with: make openapi"


def test_the_gateway_routes_to_the_function_that_serves_a_route() -> None:
    served = {route: name for name in FUNCTIONS for route in routes(load_function(name))}
    assert routed() == served
    assert {route: each["tags"][0] for route, each in operations().items()} == served


def test_every_function_behind_the_gateway_is_in_the_document() -> None:
    assert set(routed().values()) == set(FUNCTIONS)


def test_every_route_but_health_names_the_token() -> None:
    assert {route for route, each in operations().items() if not each["security"]} == {
        "GET /v1/health"
    }


@pytest.mark.parametrize("route", operations())
def test_refusals_are_problems(route: str) -> None:
    for status, answer in operations()[route]["responses"].items():
        if status.startswith("2"):
            assert "application/json" in answer["content"]
        elif status != "304":
            assert answer["description"]
            assert answer.get("content", {}).keys() <= {
                "application/problem+json",
                "application/json",
            }


def test_what_is_recorded_is_described_by_the_schemas_it_is_checked_with() -> None:
    body = operations()["POST /v1/projects/{project}/decisions"]["requestBody"]
    assert body["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/AppendRequest"
    }
    schema = {
        "$ref": "#/components/schemas/AppendRequest",
        "components": CHECKED_IN["components"],
    }
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    mutation = {"op": "set_prop", "element": "feature:search", "key": "engine", "value": "pg"}
    good: dict[str, Any] = {"title": "T", "mutations": [mutation]}
    assert validator.is_valid({"decision": good})
    assert validator.is_valid({"decisions": [good], "on_unseen": "branch"})
    assert not validator.is_valid({"decision": good, "decisions": [good]})
    assert not validator.is_valid({"decision": {**good, "unknown": 1}})
    assert not validator.is_valid({"decision": {**good, "mutations": [{**mutation, "key": ""}]}})


def test_no_reference_leads_nowhere() -> None:
    schemas = CHECKED_IN["components"]["schemas"]
    named = {
        found.split('"')[0] for found in json.dumps(CHECKED_IN).split("#/components/schemas/")[1:]
    }
    assert named <= schemas.keys()
    assert document()["openapi"] == "3.1.0"
