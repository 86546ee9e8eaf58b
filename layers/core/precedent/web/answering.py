"""Answers of reads: private, with an ETag, and recall as JSON or as the agent's text."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from fastapi import Request, Response
from pydantic import TypeAdapter

from precedent.answers import Recalled
from precedent.consume import Scope
from precedent.render import render
from precedent.web.api import PRIVATE
from precedent.web.reading import Reader

CACHED = {"cache-control": PRIVATE, "vary": "authorization, accept"}

MARKDOWN = "text/markdown"

IDS_LIMIT = 200
"""Ids in one header; the headers of an answer have 10 KB in all. The text counts what is missing."""


def tagged(reading: Reader, answer: Any) -> Response:
    """A dataclass of `precedent.answers` as JSON with its ETag; 304 where the caller holds it."""
    body = _json(answer)
    etag = _etag(reading.scope, "json", body)
    return _unchanged(reading.request, etag) or Response(
        body, media_type="application/json", headers={**CACHED, "etag": etag}
    )


def recalled(reading: Reader, answer: Recalled, budget: int) -> Response:
    """Recall as JSON, or as text for an agent where the caller accepts `text/markdown`.

    The text names in `precedent-shown` the ids that stand in it in full, in `precedent-omitted` the rest.
    """
    if MARKDOWN not in reading.request.headers.get("accept", ""):
        return tagged(reading, answer)
    # The fence's tag is fresh each time, so the ETag is that of what is told, not of the text.
    etag = _etag(reading.scope, f"{MARKDOWN};{budget}", _json(answer))
    if unchanged := _unchanged(reading.request, etag):
        return unchanged
    rendered = render(answer, budget=budget, tag=secrets.token_hex(8))
    told = {"precedent-shown": rendered.shown, "precedent-omitted": rendered.omitted}
    headers = {name: ",".join(ids[:IDS_LIMIT]) for name, ids in told.items()}
    return Response(rendered.text, media_type=MARKDOWN, headers={**CACHED, **headers, "etag": etag})


def _json(answer: Any) -> bytes:
    return TypeAdapter(type(answer)).dump_json(answer)


def _etag(scope: Scope, form: str, body: bytes) -> str:
    """Bound to tenant and project, so that an answer of one is never taken for another's."""
    bound = f"{scope.tenant}\0{scope.project}\0{form}\0".encode()
    return f'W/"{hashlib.sha256(bound + body).hexdigest()[:32]}"'


def _unchanged(request: Request, etag: str) -> Response | None:
    """304 where the caller holds this answer; `If-None-Match` compares weakly."""
    known = request.headers.get("if-none-match", "").split(",")
    if _opaque(etag) not in map(_opaque, known):
        return None
    return Response(status_code=304, headers={**CACHED, "etag": etag})


def _opaque(etag: str) -> str:
    return etag.strip().removeprefix("W/")
