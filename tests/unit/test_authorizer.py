"""The authorizer: tokens in, identity out, and a plain no to everything odd."""

from __future__ import annotations

import importlib.util
import io
import json
import logging
import sys
from copy import deepcopy
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from precedent.aws.access import Identity
from precedent.ports import StoreError

ROOT = Path(__file__).resolve().parents[2]
EVENT: dict[str, Any] = json.loads((ROOT / "events" / "authorizer.json").read_text())
TOKEN = EVENT["headers"]["authorization"].removeprefix("Bearer ")
CONTEXT = SimpleNamespace(
    function_name="authorizer",
    memory_limit_in_mb=256,
    invoked_function_arn="arn:aws:lambda:us-east-1:000000000000:function:authorizer",
    aws_request_id="00000000-0000-0000-0000-000000000000",
)


class FakeAccess:
    """Knows one token; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.down = False

    def identify(self, token: str) -> Identity | None:
        if self.down:
            raise StoreError("access table: ThrottlingException")
        self.asked.append(token)
        return Identity("acme", "alice.laptop", "writer") if token == TOKEN else None


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "1")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "authorizer")
    spec = importlib.util.spec_from_file_location(
        "authorizer_app", ROOT / "functions" / "authorizer" / "app.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "authorizer_app", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def access(app: ModuleType, monkeypatch: pytest.MonkeyPatch) -> FakeAccess:
    fake = FakeAccess()
    monkeypatch.setattr(app, "access", lambda: fake)
    return fake


def with_authorization(value: object) -> dict[str, Any]:
    event = deepcopy(EVENT)
    event["headers"]["authorization"] = value
    return event


def test_a_known_token_gives_its_identity(app: ModuleType, access: FakeAccess) -> None:
    assert app.handler(EVENT, CONTEXT) == {
        "isAuthorized": True,
        "context": {"tenant": "acme", "writer": "alice.laptop", "role": "writer"},
    }


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN} {TOKEN}",
        f"Bearer {TOKEN},Bearer {TOKEN}",
        f"Bearer {TOKEN[:-1]}b",
        f"Bearer {TOKEN.upper()}",
        "Bearer pct_\x00",
        None,
        7,
        ["Bearer", TOKEN],
    ],
)
def test_anything_else_is_denied(app: ModuleType, access: FakeAccess, value: object) -> None:
    assert app.handler(with_authorization(value), CONTEXT) == {"isAuthorized": False}


@pytest.mark.parametrize("event", [{}, {"headers": None}, {"headers": []}, {"headers": {}}])
def test_an_event_without_headers_is_denied(
    app: ModuleType, access: FakeAccess, event: dict[str, Any]
) -> None:
    assert app.handler(event, CONTEXT) == {"isAuthorized": False}


def test_a_table_that_does_not_answer_is_an_error_and_no_denial(
    app: ModuleType, access: FakeAccess
) -> None:
    access.down = True  # a denial would be cached for a minute
    with pytest.raises(StoreError):
        app.handler(EVENT, CONTEXT)


def test_the_token_is_never_logged(app: ModuleType, access: FakeAccess) -> None:
    printed = io.StringIO()
    app.logger.setLevel(logging.DEBUG)
    app.logger.registered_handler.setStream(printed)
    app.handler(EVENT, CONTEXT)
    app.handler(with_authorization(f"Bearer {TOKEN}x"), CONTEXT)
    assert "alice.laptop" in printed.getvalue()
    assert TOKEN not in printed.getvalue()


def test_it_keeps_to_sixty_lines() -> None:
    assert len((ROOT / "functions" / "authorizer" / "app.py").read_text().splitlines()) <= 60
