"""Who is calling: a bearer token to tenant, writer and role. Identity only; what it permits, the functions decide."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger, Tracer
from aws_lambda_powertools.utilities.typing import LambdaContext
from precedent.aws.access import Access

logger = Logger()
tracer = Tracer()

DENIED: dict[str, Any] = {"isAuthorized": False}


@cache
def access() -> Access:
    """The access table; kept between invocations, answers are not."""
    return Access(os.environ["ACCESS_TABLE"])


@tracer.capture_lambda_handler(capture_response=False, capture_error=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway's simple response. Raises StoreError where the table does not answer.

    A denial is cached for a minute and an exception is not: a caller must not be locked out
    because a table hiccupped. Either way nobody gets in.
    """
    identity = access().identify(token) if (token := bearer(event)) else None
    request = event.get("requestContext")
    request_id = request.get("requestId") if isinstance(request, dict) else None
    if identity is None:
        logger.info("denied", request=request_id)
        return DENIED
    logger.info("allowed", request=request_id, tenant=identity.tenant, writer=identity.writer)
    return {
        "isAuthorized": True,
        "context": {"tenant": identity.tenant, "writer": identity.writer, "role": identity.role},
    }


def bearer(event: dict[str, Any]) -> str | None:
    """The token of `Authorization: Bearer …`, None if there is not exactly that."""
    headers = event.get("headers")
    value = headers.get("authorization") if isinstance(headers, dict) else None
    if not isinstance(value, str):
        return None
    scheme, _, token = value.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
