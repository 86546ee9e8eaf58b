"""What lies between an adapter and its store: a client's HTTP session, watched and made to fail."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError

Send = Callable[[AWSPreparedRequest], AWSResponse]
Fault = Callable[[AWSPreparedRequest, Send], AWSResponse]


def never_arrived(request: AWSPreparedRequest, send: Send) -> AWSResponse:
    """The request did not reach the store."""
    raise ConnectTimeoutError(endpoint_url=request.url)


def applied_then_lost(request: AWSPreparedRequest, send: Send) -> AWSResponse:
    """The store did it and its answer was lost."""
    send(request)
    raise ReadTimeoutError(endpoint_url=request.url)


def passes(request: AWSPreparedRequest, send: Send) -> AWSResponse:
    return send(request)


def s3_error(status: int, code: str) -> Fault:
    text = f"<Error><Code>{code}</Code><Message>no</Message></Error>"
    return _answer(status, "application/xml", text)


def dynamodb_error(status: int, code: str) -> Fault:
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "no"}
    return _answer(status, "application/x-amz-json-1.0", json.dumps(body))


def leaves_unprocessed(keep: int) -> Fault:
    """A BatchGetItem that answers its first `keep` keys and leaves the others unprocessed."""

    def fault(request: AWSPreparedRequest, send: Send) -> AWSResponse:
        asked = json.loads(cast("bytes", request.body))
        ((table, wanted),) = asked["RequestItems"].items()
        answer = json.loads(send(request).content)
        kept = wanted["Keys"][:keep]
        answer["Responses"][table] = [
            item
            for item in answer["Responses"][table]
            if {"pk": item["pk"], "sk": item["sk"]} in kept
        ]
        answer["UnprocessedKeys"] = {table: {**wanted, "Keys": wanted["Keys"][keep:]}}
        return _answer(200, "application/x-amz-json-1.0", json.dumps(answer))(request, send)

    return fault


class Wire:
    """The requests a client sent, each as its operation's name and body, and the faults to come."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, Any]] = []

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        target = request.headers.get("X-Amz-Target", b"")
        if target:
            name = (target.decode() if isinstance(target, bytes) else target).rsplit(".", 1)[1]
            self.requests.append((name, json.loads(cast("bytes", request.body))))
        else:
            self.requests.append((f"{request.method} {request.url}", None))
        fault = self.faults.pop(0) if self.faults else passes
        return fault(request, self._send)

    @property
    def names(self) -> list[str]:
        """The operations that were sent, in order."""
        return [name for name, _ in self.requests]


@contextmanager
def tapped(client: Any) -> Iterator[Wire]:
    """Stand between a botocore client and its HTTP session, beneath its retries."""
    session = client._endpoint.http_session
    wire = Wire(session.send)
    session.send = wire.send
    try:
        yield wire
    finally:
        del session.send


class _Raw(io.BytesIO):
    """What AWSResponse reads its content from."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def _answer(status: int, kind: str, text: str) -> Fault:
    def fault(request: AWSPreparedRequest, send: Send) -> AWSResponse:
        body = text.encode()
        headers = {"Content-Type": kind, "Content-Length": str(len(body))}
        return AWSResponse(request.url, status, cast("Any", headers), cast("Any", _Raw(body)))

    return fault
