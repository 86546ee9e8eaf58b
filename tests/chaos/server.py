"""The local AWS with a table that throttles and leaves batches half done: `python -m tests.chaos.server`."""

from __future__ import annotations

import json
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any

from local.server import WRITES, Front, Receive, Scope, Send, main

TABLE = b"ProjectionTable"
EVERY = 29
"""Each so many-th write of the projection is throttled once; the client's retry gets through."""

ROW_EVERY, ROW = 700, 12
"""And now and then so many in a row, which no retry outlasts."""

HALF_EVERY = 3
"""Each so many-th batch is answered for its first half only."""

MISCHIEF = "mischief"
"""The file in the home with one line for each: the server may be killed at any moment."""

THROTTLED = b'{"__type":"ProvisionedThroughputExceededException","message":"slow down"}'
Message = MutableMapping[str, Any]


class Unkind(Front):
    """Counts the requests to the projection table and spoils some of them."""

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self._told = Path(home) / MISCHIEF
        self._writes = self._batches = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        target = _target(scope)
        if scope["type"] != "http" or not target.startswith(b"DynamoDB_20120810."):
            await super().__call__(scope, receive, send)
            return
        body = await _body(receive)
        operation = target.partition(b".")[2].decode()
        if TABLE in body and target in WRITES and self._is_throttled():
            self._tell("throttled")
            await _answer(send, 400, THROTTLED)
        elif TABLE in body and operation in _HALVES and self._is_halved(body):
            self._tell(f"{operation} left half undone")
            await self._halved(scope, body, send, _HALVES[operation])
        else:
            await super().__call__(scope, _again(body), send)

    def _is_throttled(self) -> bool:
        self._writes += 1
        return self._writes % EVERY == 0 or self._writes % ROW_EVERY < ROW <= self._writes

    def _is_halved(self, body: bytes) -> bool:
        self._batches += 1
        return self._batches % HALF_EVERY == 0 and len(_asked(body)) > 1

    async def _halved(
        self, scope: Scope, body: bytes, send: Send, halve: Callable[[bytes, Any], None]
    ) -> None:
        """Do all of a batch and say that half of it was not done; the client does it again."""
        held: list[Message] = []

        async def hold(message: Message) -> None:
            held.append(message)

        await super().__call__(scope, _again(body), hold)
        text = b"".join(message.get("body", b"") for message in held)
        if held[0]["status"] == 200:
            answer = json.loads(text)
            halve(body, answer)
            text = json.dumps(answer).encode()
        await _answer(send, held[0]["status"], text)

    def _tell(self, what: str) -> None:
        with self._told.open("a", encoding="utf-8") as file:
            file.write(what + "\n")


def _halve_get(body: bytes, answer: Any) -> None:
    [(table, wanted)] = json.loads(body)["RequestItems"].items()
    kept = wanted["Keys"][: len(wanted["Keys"]) // 2]
    found = answer["Responses"].get(table, [])
    answer["Responses"][table] = [
        item for item in found if {"pk": item["pk"], "sk": item["sk"]} in kept
    ]
    answer["UnprocessedKeys"] = {table: {**wanted, "Keys": wanted["Keys"][len(kept) :]}}


def _halve_write(body: bytes, answer: Any) -> None:
    [(table, wanted)] = json.loads(body)["RequestItems"].items()
    answer["UnprocessedItems"] = {table: wanted[len(wanted) // 2 :]}


_HALVES = {"BatchGetItem": _halve_get, "BatchWriteItem": _halve_write}


def _asked(body: bytes) -> list[Any]:
    [wanted] = json.loads(body)["RequestItems"].values()
    return list(wanted["Keys"] if isinstance(wanted, dict) else wanted)


def _target(scope: Scope) -> bytes:
    headers: list[tuple[bytes, bytes]] = scope.get("headers", [])
    return next((value for name, value in headers if name.lower() == b"x-amz-target"), b"")


async def _body(receive: Receive) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes) -> Receive:
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return left.pop() if left else {"type": "http.disconnect"}

    return receive


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = [
        (b"content-type", b"application/x-amz-json-1.0"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


if __name__ == "__main__":
    main(Unkind)
