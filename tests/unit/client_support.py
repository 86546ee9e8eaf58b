"""What the client's tests share: a scripted service on loopback, and the command as a subprocess."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ROOT / "plugin" / "bin" / "precedent"
CLIENT = ROOT / "plugin" / "lib"
SAMPLES = ROOT / "samples" / "adr"
SHARED = ROOT.parent / "shared" / "data"

if str(CLIENT) not in sys.path:
    sys.path.insert(0, str(CLIENT))

PROBLEM = "application/problem+json"


def oldest_python() -> str | None:
    """A Python 3.9, the oldest the client promises to run on, where there is one."""
    named = os.environ.get("PRECEDENT_TEST_PYTHON39")
    if named:
        return named
    found = shutil.which("python3.9")
    if (
        found
        and subprocess.run([found, "-c", ""], check=False, capture_output=True).returncode == 0
    ):
        return found
    versions = Path.home() / ".pyenv" / "versions"
    return next((str(path) for path in sorted(versions.glob("3.9.*/bin/python3.9"))), None)


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Reply:
    """One scripted answer. `hang` never answers, `cut` closes the connection half way."""

    body: Any = None
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    cut: bool = False


class Scripted:
    """A service that gives the scripted replies in turn, the last one for ever, and logs what it was asked."""

    def __init__(self, replies: list[Any]) -> None:
        self.replies = [one if isinstance(one, Reply) else Reply(one) for one in replies]
        self.requests: list[Request] = []
        self.closing = threading.Event()
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                length = int(self.headers.get("content-length", 0))
                raw = self.rfile.read(length)
                body = json.loads(raw) if raw else None
                scripted.requests.append(
                    Request(
                        self.command,
                        self.path,
                        {name.lower(): value for name, value in self.headers.items()},
                        body,
                    )
                )
                place = min(len(scripted.requests), len(scripted.replies)) - 1
                scripted.give(self, scripted.replies[place])

            do_GET = do_POST = _answer  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    def give(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if reply.hang:
            self.closing.wait()
            return
        body = reply.body(self.requests[-1]) if callable(reply.body) else reply.body
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(reply.status)
        handler.send_header("content-type", reply.content_type)
        handler.send_header("content-length", str(len(raw)))
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(raw[: len(raw) // 2] if reply.cut else raw)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]


@contextmanager
def scripted(*replies: Any) -> Iterator[Scripted]:
    service = Scripted(list(replies))
    thread = threading.Thread(target=service.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.closing.set()
        service.server.shutdown()
        service.server.server_close()
        thread.join()


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Client:
    """The command as a person would run it, with a home and a session of its own."""

    def __init__(self, home: Path, python: str = sys.executable) -> None:
        self.home = home
        self.python = python
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_STATE_HOME": str(home / "state"),
            "PRECEDENT_TOKEN": "pct_test",
            "PRECEDENT_PROJECT": "demo",
            "PRECEDENT_SESSION": "one",
            "PRECEDENT_FLUSH": "off",  # nothing of a test outlives it
            "GIT_CONFIG_GLOBAL": os.devnull,
            "LC_ALL": "C.UTF-8",
        }

    def __call__(
        self,
        *words: str,
        service: Scripted | None = None,
        stdin: str | bytes = b"",
        cwd: Path | None = None,
        **environment: str | None,
    ) -> Done:
        env = {**self.environment, **({"PRECEDENT_URL": service.url} if service else {})}
        for name, value in environment.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = value
        done = subprocess.run(
            [self.python, str(COMMAND), *words],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env=env,
            cwd=cwd or self.home,
            timeout=60,
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in out + err
        return Done(done.returncode, out, err)


def git(folder: Path, *words: str) -> str:
    """Run git as somebody, with nobody's configuration."""
    done = subprocess.run(
        ["git", "-c", "user.name=Test", "-c", "user.email=test@example.com", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stdout.decode().strip()


def problem(name: str, status: int, **members: Any) -> Reply:
    body = {
        "type": f"urn:precedent:error:{name}",
        "title": "A title of the service",
        "status": status,
        "detail": "A detail of the service.",
        "request_id": "r-1",
        **members,
    }
    return Reply(body, status, PROBLEM)


def decision_id(number: int) -> str:
    return f"d_{number:024x}"


def recorded(*ids: str, status: str = "recorded", **members: Any) -> dict[str, Any]:
    """The answer to an append."""
    return {
        "results": [
            {
                "id": found,
                "status": status,
                "dot": {"writer": "alice.laptop", "seq": place},
                "overruled": [],
                "conflicts": [],
                "warnings": [],
                **members,
            }
            for place, found in enumerate(ids, 1)
        ],
        "projected": True,
    }


def append_like_the_service(request: Request) -> dict[str, Any]:
    """Answer an append with the ids the service would compute."""
    from precedent_client import canonical

    sent = request.body
    decisions = sent["decisions"] if "decisions" in sent else [sent["decision"]]
    return recorded(*(canonical.decision_id(one) for one in decisions))


def recalled(*ids: str, **members: Any) -> dict[str, Any]:
    """The answer to a recall in which every id is in force on one element."""
    return {
        "project": "demo",
        "state": "ok",
        "elements": [
            {
                "id": "el_" + "0" * 20,
                "kind": "feature",
                "name": "search",
                "why": "element",
                "slots": {
                    "engine": [{"value": "postgres", "decision": found} for found in ids[:1]]
                },
                "links": [],
                "in_force": list(ids),
                "dead_ends": [],
                "conflicts": [],
            }
        ],
        "decisions": {found: body(f"Title of {found}") for found in ids},
        "shown": list(ids),
        "omitted": {"count": 0, "ids": []},
        "cursor": None,
        **members,
    }


def body(title: str, **members: Any) -> dict[str, Any]:
    return {
        "title": title,
        "rationale": "One store to operate.",
        "outcome": "adopted",
        "rejected": [{"option": "Elasticsearch", "reason": "Cluster cost"}],
        "holds": ["feature:search.engine"],
        "recorded": [
            {"writer": "bob.desk", "seq": 1, "at": "2026-11-29T10:00:00Z", "branch": "main"}
        ],
        "trust": "writer",
        **members,
    }
