"""Reading: recall by element, one decision, the digest."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from aws_lambda_powertools import Logger, Tracer
from fastapi import Path, Query
from mangum import Mangum
from mangum.types import LambdaContext
from precedent.answers import DigestAnswer, Recalled, Shown
from precedent.aws.wiring import projection_of
from precedent.recall import digest_of, recall, show
from precedent.web import about, cursor
from precedent.web.api import api
from precedent.web.asked import Asked
from precedent.web.identity import InScope

logger = Logger()
tracer = Tracer()
app = api("recall")
app.include_router(about.router)
PROJECT = "/v1/projects/{project}"


@app.get(PROJECT + "/recall")
def recall_query(scope: InScope, asked: Annotated[Asked, Query()]) -> Recalled:
    """What is in force on the asked elements."""
    start = cursor.load(asked.cursor, scope)
    recalled, more = recall(projection_of(scope), scope.project, asked.names(), start)
    logger.info("recalled", state=recalled.state, decisions=len(recalled.decisions))
    return replace(recalled, cursor=cursor.dump(more, scope))


@app.post(PROJECT + "/recall")
def recall_body(scope: InScope, asked: Asked) -> Recalled:
    """The same, for more elements than a URL holds."""
    return recall_query(scope, asked)


@app.get(PROJECT + "/decisions/{decision}")
def decision(scope: InScope, decision: Annotated[str, Path(pattern="^d_[0-9a-f]{24}$")]) -> Shown:
    """One decision in full, in force or not."""
    return show(projection_of(scope), decision)


@app.get(PROJECT + "/digest")
def digest(scope: InScope) -> DigestAnswer:
    """The digest of everything that has arrived."""
    return digest_of(projection_of(scope))


_mangum = Mangum(app, lifespan="off")


@tracer.capture_lambda_handler(capture_response=False, capture_error=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    return _mangum(event, context)
