"""`POST /v1/projects/{project}/decisions`: record decisions."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit
from fastapi import Depends, Request, Response
from precedent.answers import Appended
from precedent.append import Appender
from precedent.aws.wiring import log_of, now, pointers_of
from precedent.request import parse
from precedent.web.api import PROJECT, api, serve
from precedent.web.documented import APPENDED, RECORDS
from precedent.web.identity import Author, InScope

logger = Logger()
metrics = Metrics()
app = api("append")


async def body(request: Request) -> bytes:
    """The request's bytes, unparsed: a decision's id is a hash of what was sent."""
    return await request.body()


@app.post(PROJECT + "/decisions", status_code=201, responses=APPENDED, openapi_extra=RECORDS)
def append(
    author: Author, scope: InScope, sent: Annotated[bytes, Depends(body)], response: Response
) -> Appended:
    """Record the decisions of a request, all or nothing: 201, or 200 if nothing had to be written."""
    appender = Appender(scope, author.writer, log_of(scope), pointers_of(scope), now)
    appended = appender.append(parse(sent))
    response.status_code = 201 if appended.written else 200
    response.headers["cache-control"] = "no-store"
    statuses = [result.status for result in appended.results]
    logger.info("appended", writer=author.writer, statuses=statuses, projected=appended.projected)
    metrics.add_metric("Recorded", MetricUnit.Count, statuses.count("recorded"))
    if not appended.projected:
        metrics.add_metric("Unprojected", MetricUnit.Count, 1)
    return appended


handler = metrics.log_metrics(serve(app))
