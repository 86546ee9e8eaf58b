"""A model that plays a script, on loopback. How it speaks is its agent's: `messages` and `responses`.

It keeps no state: how far a conversation has come is the number of the model's own turns in the request, so that a
request sent twice gets the same answer. Every request is kept, for a test to see what the model was told.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

Json = dict[str, Any]
_ids = itertools.count(1)


@dataclass(frozen=True)
class Says:
    """The model ends its turn with a text."""

    text: str


@dataclass(frozen=True)
class Uses:
    """The model calls a tool."""

    tool: str
    arguments: Json
    id: str = field(default_factory=lambda: f"{next(_ids):024d}")


Turn = Says | Uses
"""What the model says at once."""


@dataclass
class Model:
    """The scripts: the main agent's, and those of subagents by a text of the prompt they are given."""

    main: list[Turn] = field(default_factory=list)
    subagents: dict[str, list[Turn]] = field(default_factory=dict)
    requests: list[Json] = field(default_factory=list)
    url: str = ""

    path: ClassVar[str]
    """Where its agent asks it for the next turn."""

    def is_a_turn(self, request: Json) -> bool:
        """Whether an agent asks, and not its client for a title and the like."""
        raise NotImplementedError

    def heard(self, request: Json) -> list[Json]:
        """The conversation so far: what people, tools and hooks said, and the model."""
        raise NotImplementedError

    def own(self, message: Json) -> bool:
        """Whether the model said it: one message for each of its turns."""
        raise NotImplementedError

    def events(self, request: Json, turn: Turn) -> Iterator[Json]:
        """A turn as it is streamed."""
        raise NotImplementedError

    def whole(self, request: Json, turn: Turn) -> Json:
        """A turn as it is answered at once."""
        raise NotImplementedError

    def answer(self, request: Json) -> Turn:
        """What comes next. Past the end of a script the model has nothing more to do."""
        if not self.is_a_turn(request):
            return Says("{}")
        said = sum(map(self.own, self.heard(request)))
        whose = self._whose(request)
        script = self.main if whose is None else self.subagents[whose]
        return script[said] if said < len(script) else Says("Done.")

    def told(self, subagent: str | None = None) -> list[str]:
        """All the model was told, request by request: the main agent, or one subagent."""
        return [
            json.dumps(self.heard(request), ensure_ascii=False)
            for request in self.requests
            if self.is_a_turn(request) and self._whose(request) == subagent
        ]

    def _whose(self, request: Json) -> str | None:
        heard = self.heard(request)
        own = next((place for place, one in enumerate(heard) if self.own(one)), len(heard))
        first = json.dumps(heard[:own])
        return next((prompt for prompt in self.subagents if prompt in first), None)


@contextmanager
def playing(model: Model) -> Iterator[Model]:
    """The model behind an address of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": model}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    model: Model

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self._json({"data": [], "models": [], "has_more": False})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.partition("?")[0] != self.model.path:
            self._json({"input_tokens": 1})
            return
        request = json.loads(raw)
        self.model.requests.append(request)
        turn = self.model.answer(request)
        if not request.get("stream"):
            self._json(self.model.whole(request, turn))
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in self.model.events(request, turn):
            line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(line.encode())

    def _json(self, found: Json) -> None:
        raw = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)
