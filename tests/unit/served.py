"""The HTTP functions in this process: real handlers over ports in memory, called as Lambda calls them."""

from __future__ import annotations

import base64
import importlib.util
import json
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from precedent.consume import Scope
from precedent.pointer import Pointer
from precedent.web import reading, searching

from tests.fakes.feedback import MemoryFeedbacks
from tests.fakes.memory import MemoryLog, MemoryPointers

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
PROJECT = "/v1/projects/shop"
CONTEXT = SimpleNamespace(
    function_name="served",
    memory_limit_in_mb=512,
    invoked_function_arn="arn:aws:lambda:us-east-1:000000000000:function:served",
    aws_request_id="00000000-0000-0000-0000-000000000000",
)
CALLER = {"tenant": "acme", "writer": "alice.laptop", "role": "writer"}


@dataclass(frozen=True)
class Answer:
    """What came back; `body` is parsed where it is JSON."""

    status: int
    headers: dict[str, str]
    body: Any


@dataclass
class Service:
    """All projects of all tenants, and the functions that serve them."""

    functions: dict[str, ModuleType]
    projects: dict[Scope, tuple[MemoryLog, MemoryPointers]] = field(default_factory=dict)
    key: bytes = b"the deployment's own"
    said: dict[Scope, MemoryFeedbacks] = field(default_factory=dict)

    def ports(self, scope: Scope) -> tuple[MemoryLog, MemoryPointers]:
        if scope not in self.projects:
            pointers = MemoryPointers(scope.tenant, scope.project)
            self.projects[scope] = MemoryLog(), pointers
        return self.projects[scope]

    def feedbacks(self, scope: Scope) -> MemoryFeedbacks:
        return self.said.setdefault(scope, MemoryFeedbacks())

    def projection(self, scope: Scope) -> Any:
        pointers = self.ports(scope)[1]
        pointer: Pointer | None = pointers.read()
        return pointers.open(pointer) if pointer else None

    def ask(
        self,
        function: str,
        method: str,
        path: str,
        *,
        query: Any = (),
        body: object = None,
        headers: dict[str, str] | None = None,
        authorizer: object = CALLER,
    ) -> Answer:
        """One request as the gateway hands it on; `authorizer` is the context it vouches for."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        event = {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": query if isinstance(query, str) else urlencode(query, doseq=True),
            "headers": {"host": "api", "content-type": "application/json", **(headers or {})},
            "requestContext": {
                "http": {"method": method, "path": path, "sourceIp": "127.0.0.1"},
                "requestId": "request-1",
                "stage": "$default",
                "authorizer": {"lambda": authorizer},
            },
            "isBase64Encoded": data is not None,
            "body": base64.b64encode(data).decode() if data is not None else None,
        }
        found = self.functions[function].handler(event, CONTEXT)
        text = found["body"]
        if found.get("isBase64Encoded"):
            text = base64.b64decode(text).decode()
        is_json = text and "json" in found["headers"].get("content-type", "")
        return Answer(found["statusCode"], found["headers"], json.loads(text) if is_json else text)

    def record(self, *decisions: dict[str, Any], project: str = "shop", **request: Any) -> Answer:
        """Record decisions; fails unless that was done."""
        sent = {"decisions": list(decisions), "on_unseen": "branch", **request}
        answer = self.ask("append", "POST", f"/v1/projects/{project}/decisions", body=sent)
        assert answer.status in (200, 201), answer
        return answer

    def recall(self, *, function: str = "recall", **request: Any) -> Answer:
        return self.ask(function, "GET", PROJECT + "/recall", **request)


def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service with nothing in it. Use as a fixture's value."""
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "1")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "served")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Precedent")
    made = Service(
        {name: _load(name) for name in ("append", "recall", "browse", "export", "feedback")}
    )
    monkeypatch.setattr(made.functions["append"], "log_of", lambda scope: made.ports(scope)[0])
    monkeypatch.setattr(made.functions["append"], "pointers_of", lambda scope: made.ports(scope)[1])
    monkeypatch.setattr(made.functions["export"], "log_of", lambda scope: made.ports(scope)[0])
    monkeypatch.setattr(made.functions["export"], "cursor_key", lambda: made.key)
    feedbacks = made.functions["feedback"]
    monkeypatch.setattr(feedbacks, "feedbacks_of", made.feedbacks)
    monkeypatch.setattr(searching, "feedbacks_of", made.feedbacks)
    monkeypatch.setattr(reading, "projection_of", made.projection)
    monkeypatch.setattr(reading, "cursor_key", lambda: made.key)
    return made


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"served_{name}", FUNCTIONS / name / "app.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
