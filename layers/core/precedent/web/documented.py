"""What each route can answer besides its success, for the OpenAPI document.

An answer that is missing here fails the test that plays the document against a deployed stack.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from precedent import errors
from precedent.answers import Appended
from precedent.errors import TYPE_PREFIX, Refusal

Answers = dict[int | str, dict[str, Any]]

PROBLEM = "application/problem+json"

_GATEWAY = {
    401: "no token came along",
    403: "the token is none that is known",
    404: "there is no such route",
    413: "the body is larger than the API takes at all",
    431: "the address and the headers are longer than the API takes",
    429: "more requests came than the API lets through",
    500: "the function could not be called",
    503: "the function did not answer in time",
}
"""What API Gateway answers by itself, as `{"message": "…"}`."""

_ETAG = {"description": "What `If-None-Match` may name.", "schema": {"type": "string"}}
_CACHED = {
    "ETag": _ETAG,
    "Cache-Control": {"schema": {"const": "private, no-cache"}},
    "Vary": {"schema": {"const": "authorization, accept"}},
}
_IDS = {"schema": {"type": "string", "pattern": "^(d_[0-9a-f]{24}(,d_[0-9a-f]{24})*)?$"}}


def _answers(*refusals: type[Refusal], public: bool = False) -> Answers:
    """The answers of a route that can refuse so, with those any route can give."""
    always: list[type[Refusal]] = [
        errors.Invalid,
        errors.NotFound,
        errors.Unavailable,
        errors.Failed,
    ]
    if not public:
        always.append(errors.Unauthenticated)
    by_status: dict[int, list[type[Refusal]]] = defaultdict(list)
    for refusal in (*always, *refusals):
        by_status[refusal.status].append(refusal)
    alone = {413, 429, 431} | (set() if public else {403})
    return {status: _answer(status, by_status[status]) for status in sorted({*by_status, *alone})}


def _answer(status: int, refusals: list[type[Refusal]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    said = list(dict.fromkeys(f"`{each.name}`: {each.title}." for each in refusals))
    if refusals:
        types = list(dict.fromkeys(TYPE_PREFIX + each.name for each in refusals))
        schema = {"allOf": [{"$ref": "#/components/schemas/Problem"}]}
        content[PROBLEM] = {"schema": {**schema, "properties": {"type": {"enum": types}}}}
    if reason := _GATEWAY.get(status):
        said.append(f"From the gateway: {reason}.")
        if status != 431:  # refused while it is being read, at times with nothing to read
            content["application/json"] = {"schema": {"$ref": "#/components/schemas/GatewayAnswer"}}
    return {"description": " ".join(said), **({"content": content} if content else {})}


def _cached(answers: Answers) -> Answers:
    """The same for a route that answers with an ETag."""
    unchanged = {
        "description": "What `If-None-Match` names is what would be sent.",
        "headers": _CACHED,
    }
    return {200: {"description": "Read.", "headers": _CACHED}, 304: unchanged, **answers}


def _in_two_forms(answers: Answers) -> Answers:
    """The same for recall: JSON, or the agent's text where `text/markdown` is accepted."""
    text = {"text/markdown": {"schema": {"type": "string"}}}
    told = {"precedent-shown": _IDS, "precedent-omitted": _IDS}
    said = (
        "What is in force. As text within `budget`, the headers name the decisions that stand in it "
        "in full, and those that were cut or left out."
    )
    success = {"description": said, "headers": {**_CACHED, **told}, "content": text}
    return {**answers, 200: success}


PUBLIC = _answers(public=True)
READ = _answers()
CACHED = _cached(READ)
NAMED = _cached(_answers(errors.TooLarge))
ELEMENT = _cached(_answers(errors.PastTooLong))
SEARCHED = _cached(_answers(errors.TooLarge))
RECALLED = _in_two_forms(_cached(_answers(errors.TooLarge)))
GIVEN = _answers(errors.Forbidden)
DIGEST = _answers(errors.DigestTooLarge)
APPENDED: Answers = {
    200: {"model": Appended, "description": "Nothing had to be written: it stands already."},
    201: {"description": "Durable: what was recorded will never change."},
    **_answers(
        errors.Forbidden,
        errors.TooLarge,
        errors.SecretFound,
        errors.SlotSetTwice,
        errors.UnseenHead,
        errors.UnknownDecision,
        errors.KeyReused,
        errors.LogTruncated,
    ),
}

RECORDS = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AppendRequest"}}},
    }
}
"""More of the route that reads its body itself."""

PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "RFC 9457. `detail` says what to do next; the members below `request_id` depend on `type`.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string", "pattern": f"^{TYPE_PREFIX}[a-z-]+$"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "request_id": {"type": "string"},
        "field": {"type": "string", "description": "A JSON pointer."},
        "limit": {"type": "integer"},
        "size": {"type": "integer"},
        "unit": {"type": "string"},
        "rule": {"type": "string"},
        "index": {"type": "integer"},
        "element": {"type": "string"},
        "slot": {"type": "string"},
        "key": {"type": "string"},
        "unknown": {"type": "array", "items": {"type": "string"}},
        "unseen": {
            "type": "array",
            "items": {"type": "object"},
            "description": "The decisions that hold the slots, in full up to 256 KB in all, then ids only.",
        },
    },
}

GATEWAY_SCHEMA: dict[str, Any] = {
    "title": "GatewayAnswer",
    "description": "What the gateway answers before any function is asked.",
    "type": "object",
    "properties": {"message": {"type": ["string", "null"]}},
}
