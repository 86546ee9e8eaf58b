"""The OpenAPI document played against the deployed stack: whatever is asked, no defect of ours answers,
and nothing the document does not name.

A few questions of each route in every run; many with HYPOTHESIS_PROFILE=prove.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from precedent.element import element_id
from schemathesis.checks import not_a_server_error
from schemathesis.errors import InvalidSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

DOCUMENT = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "openapi.json").read_text(encoding="utf-8")
)
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ROUTES = [(path, method) for path, operations in DOCUMENT["paths"].items() for method in operations]

default = settings()
PLAYED = settings(
    default,
    max_examples=8 if default.max_examples < 100 else 300,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[*HealthCheck],
)


SETS = {"op": "set_prop", "element": "feature:search", "key": "engine"}


@dataclass(frozen=True)
class Played:
    """A project with something in it, so that questions find answers."""

    url: str
    token: str
    known: dict[str, str]

    def aim(self, case: Any) -> None:
        """Let a well-formed question be about what there is."""
        for name in case.path_parameters:
            case.path_parameters[name] = self.known[name]
        for asked in (case.query, case.body):
            if isinstance(asked, dict):
                asked.pop("cursor", None)
                asked.pop("since", None)
        if case.operation.path.endswith("/search"):
            case.query["q"] = "search postgres"
        if case.operation.path.endswith("/recall"):
            asked = case.query if case.method == "GET" else case.body
            for name in ("path", "q", "task"):
                asked.pop(name, None)
            asked["element"] = ["feature:search"]
        if isinstance(case.body, dict) and case.body.keys() & {"decision", "decisions"}:
            for name in ("decisions", "seen", "overrule", "beside"):
                case.body.pop(name, None)
            value = case.body.get("key", "none")
            case.body.update(
                on_unseen="branch",
                decision={"title": value, "mutations": [{**SETS, "value": value}]},
            )


@pytest.fixture(scope="module")
def played(stack: Any) -> Played:
    token = stack.writer("alice.laptop", tenant=stack.new_name("acme"))
    for value in ("postgres", "elastic"):
        decision = {"title": value, "mutations": [{**SETS, "value": value}]}
        answer = stack.http(
            "POST",
            "/v1/projects/shop/decisions",
            token=token,
            body={"decision": decision, "on_unseen": "branch"},
        )
    known = {
        "project": "shop",
        "element": element_id("feature", "search"),
        "decision": answer.body["results"][0]["id"],
    }
    return Played(stack.url, token, known)


@pytest.mark.parametrize(("path", "method"), ROUTES, ids=[f"{m} {p}" for p, m in ROUTES])
def test_every_answer_is_documented(played: Played, path: str, method: str) -> None:
    operation = SCHEMA[path][method.upper()]
    valid = operation.as_strategy()
    broken = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    accepted = st.sampled_from(["application/json", "text/markdown"])

    @PLAYED
    @given(st.sampled_from(["found", "found", "valid", "broken"]), accepted, st.data())
    def play(kind: str, accept: str, data: st.DataObject) -> None:
        try:
            case = data.draw(broken if kind == "broken" else valid)
        except InvalidSchema:  # some ways to break a schema are beyond the generator
            reject()
        if kind == "found":
            played.aim(case)
        headers = {"Authorization": f"Bearer {played.token}", "Accept": accept}
        case.call_and_validate(base_url=played.url, headers=headers, checks=CHECKS, timeout=60)

    play()
