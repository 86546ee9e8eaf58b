"""Talking to the service: one connection a request, bounded in time and size, retried when that is safe.

Reads may always be repeated. A record may, because it carries a `key`: sent twice it is written once.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from precedent_client import __version__, answers
from precedent_client.config import Config
from precedent_client.faults import Fault, Unreachable

RETRIES = 2
PAUSE = 0.25
"""Seconds before the first retry; four times as long before the next, with jitter."""
PATIENCE = 15.0
"""Seconds after which nothing is tried again: somebody waits for the command."""
LONGEST_WAIT = 5.0
"""A `Retry-After` beyond this is left to the person to wait for."""
ANSWER_LIMIT = 16 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """A status and a JSON object."""

    status: int
    body: dict[str, Any]


@dataclass(frozen=True)
class Text:
    """The agent's text, with the ids of the decisions it tells in full, and of those it does not."""

    text: str
    shown: list[str]
    omitted: list[str]


class Service:
    """The HTTP API of one project."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._parts = urlsplit(config.url)

    def hurried(self) -> Service:
        """The same, with one request bounded by PATIENCE."""
        return Service(replace(self.config, timeout=min(self.config.timeout, PATIENCE)))

    def get(self, path: str, query: Sequence[tuple[str, str]] = ()) -> Answer:
        """GET `/v1` + path."""
        return self._answer("GET", path + ("?" + urlencode(query) if query else ""), None)

    def get_of_project(self, path: str, query: Sequence[tuple[str, str]] = ()) -> Answer:
        """GET a path below the project."""
        return self.get(self._project_path(path), query)

    def recall(self, asked: Mapping[str, Any]) -> Answer:
        """One page of recall. Asked by POST: a URL would not hold many elements or files."""
        return self._answer("POST", self._project_path("/recall"), asked)

    def recall_text(self, asked: Mapping[str, Any]) -> Text:
        """Recall as the text an agent is given."""
        reply = self._retried("POST", self._project_path("/recall"), asked, "text/markdown")
        if not reply.headers.get("content-type", "").startswith("text/markdown"):
            raise answers.not_precedent(reply.status, self.config.url)
        told = (reply.headers.get(f"precedent-{name}", "") for name in ("shown", "omitted"))
        shown, omitted = ([part for part in ids.split(",") if part] for ids in told)
        return Text(reply.raw.decode("utf-8", "replace"), shown, omitted)

    def record(self, request: Mapping[str, Any]) -> Answer:
        """POST decisions. The request must hold a `key`: that is what makes the retries safe."""
        return self._answer("POST", self._project_path("/decisions"), request)

    def give_feedback(self, said: Mapping[str, Any]) -> Answer:
        """POST feedback. It counts once, so sending it again is safe."""
        return self._answer("POST", self._project_path("/feedback"), said)

    def _project_path(self, path: str) -> str:
        return f"/projects/{quote(self.config.project, safe='')}{path}"

    def _answer(self, method: str, path: str, body: Mapping[str, Any] | None) -> Answer:
        reply = self._retried(method, path, body, "application/json")
        return Answer(reply.status, answers.json_object(reply, self.config.url))

    def _retried(
        self, method: str, path: str, body: Mapping[str, Any] | None, accept: str
    ) -> answers.Reply:
        raw, began = None, time.monotonic()
        if body is not None:
            raw = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        for attempt in range(RETRIES + 1):
            wait = PAUSE * 4**attempt * (0.5 + random.random())
            try:
                return self._once(method, path, raw, accept)
            except answers.Busy as busy:
                fault: Fault = busy.fault
                wait = max(wait, busy.after)
            except Unreachable as unreachable:
                fault = unreachable
            spent = time.monotonic() - began + wait
            if attempt == RETRIES or not fault.retryable or wait > LONGEST_WAIT or spent > PATIENCE:
                raise fault
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, method: str, path: str, body: bytes | None, accept: str) -> answers.Reply:
        import http.client

        deadline = time.monotonic() + self.config.timeout
        connection = self._connection()
        try:
            connection.request(
                method, f"{self._parts.path}/v1{path}", body, self._headers(body, accept)
            )
            response = connection.getresponse()
            raw = _read(response, deadline)
        except (http.client.HTTPException, OSError, ValueError) as error:
            raise self._unreachable(error) from None
        finally:
            connection.close()
        headers = {name.lower(): value for name, value in response.getheaders()}
        reply = answers.Reply(response.status, headers, raw)
        return answers.accepted(reply, self.config.url, recording=path.endswith("/decisions"))

    def _connection(self) -> Any:
        import http.client

        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self.config.timeout)
        return http.client.HTTPConnection(host, port, timeout=self.config.timeout)

    def _headers(self, body: bytes | None, accept: str) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self.config.token}",
            "Accept": accept,
            "User-Agent": f"precedent-client/{__version__}",
        }
        if body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def _unreachable(self, error: Exception) -> Unreachable:
        # A refused connection or an unknown host will not be better in a second; a time-out or a
        # connection cut half way may be, and the request may have been carried out.
        import socket

        untrusted = getattr(error, "verify_message", "")  # of an SSLCertVerificationError only
        if untrusted:
            return Unreachable(
                f"{answers.clean(self.config.url)} shows a certificate that is not trusted on this machine "
                f"({answers.clean(untrusted)}); nothing was sent.\n"
                "Check PRECEDENT_URL. If an authority of your own made it, name that one's file: "
                "SSL_CERT_FILE=/path/to/ca.pem",
                "certificate",
            )
        hopeless = isinstance(error, (ConnectionRefusedError, socket.gaierror, ValueError))
        if isinstance(error, (socket.timeout, TimeoutError)):
            what = f"did not answer within {self.config.timeout:g} s"
        elif isinstance(error, ConnectionRefusedError):
            what = "refuses connections: is it running?"
        elif isinstance(error, socket.gaierror):
            what = "has a host name that cannot be found"
        else:
            what = f"could not be reached ({type(error).__name__}: {answers.clean(error)})"
        return Unreachable(
            f"{answers.clean(self.config.url)} {what}\n"
            "Check PRECEDENT_URL and the network, then run the same command again.",
            retryable=not hopeless,
        )


def _read(response: Any, deadline: float) -> bytes:
    """The whole body. A socket's time-out bounds one read only, so a dribbling answer is cut here."""
    chunks, size = [], 0
    while True:
        chunk = response.read1(65536)
        if not chunk:
            break
        size += len(chunk)
        if size > ANSWER_LIMIT:
            raise OSError("the answer is larger than 16 MiB")
        if time.monotonic() > deadline:
            raise TimeoutError
        chunks.append(chunk)
    if response.length:
        raise OSError("the answer was cut off")
    return b"".join(chunks)
