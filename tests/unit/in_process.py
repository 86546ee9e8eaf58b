"""The client's calls against the functions in this process: nothing in between but HTTP itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.unit.client_support import json  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import answers
from precedent_client.config import Config
from precedent_client.service import Answer

from tests.unit.served import CALLER, Service

OF = {"decisions": "recall", "recall": "recall", "digest": "recall", "log": "export"}


@dataclass(frozen=True)
class InProcess:
    """`precedent_client.service.Service`, as far as imports and exports call it."""

    served: Service
    project: str = "shop"
    writer: str = "alice.laptop"
    tenant: str = "acme"

    @property
    def config(self) -> Config:
        return Config("http://here", "pct_test", self.project, 30.0)

    def get(self, path: str, query: Any = ()) -> Answer:
        function = OF.get(path.split("/")[3] if path.startswith("/projects/") else "", "browse")
        return self._ask(function, "GET", "/v1" + path, query=urlencode(query))

    def get_of_project(self, path: str, query: Any = ()) -> Answer:
        return self.get(f"/projects/{self.project}{path}", query)

    def recall(self, asked: Any) -> Answer:
        return self._ask("recall", "POST", f"/v1/projects/{self.project}/recall", body=dict(asked))

    def record(self, request: Any) -> Answer:
        path = f"/v1/projects/{self.project}/decisions"
        return self._ask("append", "POST", path, body=dict(request))

    def _ask(self, function: str, method: str, path: str, **request: Any) -> Answer:
        caller = {**CALLER, "tenant": self.tenant, "writer": self.writer}
        found = self.served.ask(function, method, path, authorizer=caller, **request)
        raw = json.dumps(found.body).encode()
        reply = answers.Reply(found.status, found.headers, raw)
        answers.accepted(reply, "http://here", recording=path.endswith("/decisions"))
        return Answer(found.status, found.body)
