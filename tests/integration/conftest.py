"""The stack every integration test talks to: the real templates on a local AWS of this run's own.

IAM is enforced in it. It is made once a session and taken away after; tests keep apart by using
tenants, projects and writers of their own, which `stack.new_name` makes up.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest

from local import deploy, process, up
from local.home import Home

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Answer:
    """What came back over HTTP; `body` is parsed JSON."""

    status: int
    body: Any
    headers: dict[str, str]


@dataclass(frozen=True)
class Stack:
    """A running deployment. `clients` are the administrator's, whom no policy binds."""

    home: Home
    deployed: deploy.Deployed
    _clients: dict[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.home.url

    @property
    def env(self) -> Path:
        """The file `make up` wrote for the first writer."""
        return self.home.env

    @property
    def log_bucket(self) -> str:
        return self.deployed.log_bucket

    @property
    def projection_table(self) -> str:
        return self.deployed.projection_table

    @property
    def access_table(self) -> str:
        return self.deployed.access_table

    def client(self, service: str) -> Any:
        """The administrator's boto3 client of a service."""
        if service not in self._clients:
            self._clients[service] = deploy.client(self.home, service)
        return self._clients[service]

    def session(self) -> boto3.Session:
        """The administrator's session; give its clients `endpoint_url=stack.url`."""
        return deploy.session(self.home)

    def as_function(self, function: str) -> boto3.Session:
        """A session with a function's own role, as the function has it while it runs."""
        configuration = self.client("lambda").get_function_configuration(
            FunctionName=self.deployed.functions[function]
        )
        # The emulator derives a role's credentials from these two and knows them from the
        # function's first call on.
        digest = hashlib.sha256(
            f"{configuration['FunctionArn']}:{configuration['Role']}".encode()
        ).hexdigest()
        return boto3.Session(
            aws_access_key_id=f"ASIA{digest[:16].upper()}",
            aws_secret_access_key=hashlib.sha256(f"secret:{digest}".encode()).hexdigest(),
            aws_session_token=hashlib.sha256(f"token:{digest}".encode()).hexdigest(),
            region_name="us-east-1",
        )

    def new_name(self, stem: str) -> str:
        """A tenant's, project's or writer's name no other test uses."""
        return f"{stem}-{next(_numbers)}"

    def writer(self, name: str, role: str = "writer", tenant: str = "team") -> str:
        """Add a writer; returns its token."""
        return up.access(self.home, self.deployed).add_writer(tenant, name, role)

    def revoke(self, name: str, tenant: str = "team") -> None:
        """Take a writer's token away."""
        up.access(self.home, self.deployed).revoke(tenant, name)

    def invoke(self, function: str, event: object) -> Any:
        """Call a function directly; returns what it returned.

        Raises:
            AssertionError: it raised.
        """
        answer = self.client("lambda").invoke(
            FunctionName=self.deployed.functions[function], Payload=json.dumps(event).encode()
        )
        payload = json.loads(answer["Payload"].read() or b"null")
        assert "FunctionError" not in answer, payload
        return payload

    def http(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: object = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request to the API; refusals come back as answers. A body of bytes is sent as it is."""
        request = urllib.request.Request(
            self.url + path, method=method, headers=dict(headers or {})
        )
        if token is not None:
            request.add_header("Authorization", f"Bearer {token}")
        if body is not None:
            request.data = body if isinstance(body, bytes) else json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return _answer(response.status, response.read(), dict(response.headers))
        except urllib.error.HTTPError as error:
            return _answer(error.code, error.read(), dict(error.headers))


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    home = Home(root=tmp_path_factory.mktemp("home"), port=free_port())
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("AWS_", "PRECEDENT_"))]:
            patch.delenv(name)
        try:
            yield Stack(home, up.up(home).deployed)
        finally:
            process.stop(home)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A place for a local AWS of the test's own, which is stopped after it."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "PRECEDENT_"))]:
        monkeypatch.delenv(name)
    home = Home(root=tmp_path / "home", port=free_port())
    yield home
    process.stop(home)


def free_port() -> int:
    """A loopback port nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answer(status: int, body: bytes, headers: dict[str, str]) -> Answer:
    try:
        parsed = json.loads(body) if body else None
    except ValueError:
        parsed = body.decode(errors="replace")
    return Answer(status, parsed, {name.lower(): value for name, value in headers.items()})
