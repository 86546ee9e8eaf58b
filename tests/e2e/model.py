"""A model that plays a script: the Messages API of a coding agent's provider, on loopback.

It keeps no state: how far a conversation has come is the number of the model's own messages in the request, so
that a request sent twice gets the same answer. Every request is kept, for a test to see what the model was told.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
Turn = list[Json]
"""What the model says at once: blocks of content."""

USAGE = {"input_tokens": 1, "output_tokens": 1}
_ids = itertools.count(1)


def says(text: str) -> Turn:
    """The model ends its turn with a text."""
    return [{"type": "text", "text": text}]


def uses(tool: str, **arguments: Any) -> Turn:
    """The model calls a tool."""
    return [
        {"type": "tool_use", "id": f"toolu_{next(_ids):024d}", "name": tool, "input": arguments}
    ]


@dataclass
class Model:
    """The scripts: the main agent's, and those of subagents by a text of the prompt they are given."""

    main: list[Turn] = field(default_factory=list)
    subagents: dict[str, list[Turn]] = field(default_factory=dict)
    requests: list[Json] = field(default_factory=list)
    url: str = ""

    def answer(self, request: Json) -> Turn:
        """What comes next. Past the end of a script the model has nothing more to do."""
        if not request.get("tools"):
            return says("{}")  # the client's own: a title for the session, and the like
        said = sum(message["role"] == "assistant" for message in request["messages"])
        script = self._script(request)
        return script[said] if said < len(script) else says("Done.")

    def told(self, subagent: str | None = None) -> list[str]:
        """All the model was told, request by request: the main agent, or one subagent."""
        return [
            json.dumps(request["messages"], ensure_ascii=False)
            for request in self.requests
            if request.get("tools") and self._whose(request) == subagent
        ]

    def _script(self, request: Json) -> list[Turn]:
        whose = self._whose(request)
        return self.main if whose is None else self.subagents[whose]

    def _whose(self, request: Json) -> str | None:
        first = json.dumps(request["messages"][0])
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
        self._json({"data": [], "has_more": False})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.partition("?")[0] != "/v1/messages":
            self._json({"input_tokens": 1})
            return
        request = json.loads(raw)
        self.model.requests.append(request)
        message = _message(request, self.model.answer(request))
        if request.get("stream"):
            self._stream(message)
        else:
            self._json(message)

    def _json(self, found: Json) -> None:
        raw = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _stream(self, message: Json) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in _events(message):
            line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(line.encode())


def _message(request: Json, content: Turn) -> Json:
    calls = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{next(_ids):024d}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "scripted"),
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def _events(message: Json) -> Iterator[Json]:
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stopped = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stopped, "usage": USAGE}
    yield {"type": "message_stop"}
