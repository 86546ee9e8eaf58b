"""What the service answered, and what that means for whoever asked.

A function of ours refuses with `application/problem+json`; API Gateway answers by itself with a bare
`{"message": …}`. Both become one Fault whose message says what to do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from precedent_client import escape
from precedent_client.faults import Fault, Forbidden, NotAllowed, Refused, Unreachable

TYPE_PREFIX = "urn:precedent:error:"

clean = escape.line

_NEXT_STEP = {
    "invalid": "Nothing was recorded. Correct it and run the command again.",
    "too-large": "Nothing was recorded.",
    "secret": "Nothing was recorded. Decisions are read by everybody on the project.",
    "slot-set-twice": "Nothing was recorded.",
    "unknown-decision": "Nothing was recorded.",
    "key-reused": "Nothing was recorded. Leave out --key, and the client makes a fresh one.",
}


class Busy(Exception):
    """The service asks to be tried again, no sooner than in `after` seconds."""

    def __init__(self, fault: Fault, after: float) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.after = after


@dataclass(frozen=True)
class Reply:
    """What came back; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    raw: bytes


def accepted(reply: Reply, url: str, recording: bool) -> Reply:
    """A 2xx as it is; raises the Fault of anything else, or Busy where waiting may help."""
    if 200 <= reply.status < 300:
        return reply
    body = _object(reply.raw)
    if reply.status == 429 or reply.status >= 500:
        raise Busy(_try_again(reply.status, body), _retry_after(reply.headers))
    raise _refusal(reply.status, body, url, recording)


def json_object(reply: Reply, url: str) -> dict[str, Any]:
    """The JSON object a service of ours answers with. Raises Unreachable where it is none."""
    body = _object(reply.raw)
    if body is None:
        raise not_precedent(reply.status, url)
    return body


def not_precedent(status: int, url: str) -> Unreachable:
    return Unreachable(
        f"{clean(url)} answered {status} with something a Precedent service does not answer.\n"
        "Check that PRECEDENT_URL is the address of one.",
        "not-precedent",
    )


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _problem_name(body: Mapping[str, Any] | None) -> str:
    kind = body.get("type") if body else None
    if isinstance(kind, str) and kind.startswith(TYPE_PREFIX):
        return kind[len(TYPE_PREFIX) :]
    return ""


def _said(body: Mapping[str, Any] | None) -> str:
    """The service's own sentence: title and detail of a problem, or API Gateway's message."""
    if not body:
        return ""
    parts = [clean(body[name]) for name in ("title", "detail") if body.get(name)]
    if not parts and (body.get("message") or body.get("Message")):
        parts = [clean(body.get("message") or body.get("Message"))]
    return ". ".join(part.rstrip(".") for part in parts) + "." if parts else ""


def _request_id(body: Mapping[str, Any] | None) -> str:
    found = body.get("request_id") if body else None
    return f"\nRequest {clean(found)}" if found else ""


def _try_again(status: int, body: dict[str, Any] | None) -> Fault:
    said = _said(body)
    if status == 429:
        message = "The service is taking no more requests just now (429)."
    else:
        message = f"The service failed ({status})."
    return Unreachable(
        " ".join(part for part in (message, said) if part)
        + "\nRun the same command again in a moment; if it goes on, tell whoever runs the service."
        + _request_id(body),
        _problem_name(body),
        body,
        retryable=True,
    )


def _retry_after(headers: Mapping[str, str]) -> float:
    stated = headers.get("retry-after", "").strip()
    return float(stated[:6]) if stated.isdigit() else 0.0


def _refusal(status: int, body: dict[str, Any] | None, url: str, recording: bool) -> Fault:
    name, said = _problem_name(body), _said(body)
    if status == 401:
        return NotAllowed(
            "The service does not know this token (401).\n"
            "Check PRECEDENT_TOKEN; it may have been revoked, or belong to another service. "
            "Whoever runs the service can make a new one." + _request_id(body),
            name or "unauthorized",
            body,
        )
    if status == 403 and name == "forbidden":
        return Forbidden(
            f"This token may not do that (403). {said}\n"
            "`precedent whoami` shows its role and PRECEDENT_PROJECT its project; a reader cannot "
            "record. Ask whoever runs the service for a token that may."
            + ("\nNothing was recorded, and nothing is kept." if recording else "")
            + _request_id(body),
            name,
            body,
        )
    if status == 403:  # the gateway: nobody has looked at the role yet
        return NotAllowed(
            f"The service does not accept this token (403). {said}".rstrip() + "\n"
            "Check PRECEDENT_TOKEN; it may have been revoked, or belong to another service. "
            "Whoever runs the service can make a new one." + _request_id(body),
            name or "http-403",
            body,
        )
    if name:
        step = _NEXT_STEP.get(name, "") if recording else ""
        message = "\n".join(part for part in (said, step) if part)
    elif status == 404:
        message = (
            f"{clean(url)} has no such address (404). {said}\n"
            "Check PRECEDENT_URL; or the service is older than this client."
        )
    elif status == 413:
        message = "The request is too large (413). Nothing was recorded. Shorten or split it."
    elif 300 <= status < 400:
        message = (
            f"{clean(url)} points somewhere else ({status}), and a token is not sent along.\n"
            "Set PRECEDENT_URL to the address of the service itself."
        )
    else:
        message = f"The service refused the request ({status}). {said}".rstrip()
    return Refused(message + _request_id(body), name or f"http-{status}", body)
