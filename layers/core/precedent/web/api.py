"""The application an HTTP function starts from: refusals become problem+json in this one place."""

from __future__ import annotations

import traceback
from typing import Any

from aws_lambda_powertools import Logger
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from precedent.errors import Failed, Invalid, NotFound, Refusal, Unavailable
from precedent.ports import StoreError

logger = Logger()


class Problem(JSONResponse):
    """An RFC 9457 answer."""

    media_type = "application/problem+json"


def api(title: str) -> FastAPI:
    """A FastAPI application whose every error is a problem, with nothing served that was not asked for."""
    app = FastAPI(title=title, openapi_url=None, docs_url=None, redoc_url=None)
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(StoreError, _store_failed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _no_route)
    app.add_exception_handler(Exception, _unexpected)
    return app


def _problem(request: Request, refusal: Refusal) -> Problem:
    event: dict[str, Any] = request.scope.get("aws.event", {})
    request_id = event.get("requestContext", {}).get("requestId", "")
    logger.info("refused", error=refusal.name, status=refusal.status, request=request_id)
    return Problem(
        {**refusal.problem(), "request_id": request_id},
        status_code=refusal.status,
        headers={"cache-control": "no-store"},
    )


def _refused(request: Request, error: Exception) -> Problem:
    assert isinstance(error, Refusal)
    return _problem(request, error)


def _store_failed(request: Request, error: Exception) -> Problem:
    logger.error("store failed", error=str(error))
    return _problem(request, Unavailable("A store did not answer. Send the same request again."))


def _invalid(request: Request, error: Exception) -> Problem:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field = "/" + "/".join(str(step) for step in first["loc"])
    return _problem(request, Invalid(field, str(first["msg"])))


def _no_route(request: Request, _error: Exception) -> Problem:
    return _problem(request, NotFound("There is no such route."))


def _unexpected(request: Request, error: Exception) -> Problem:
    """A defect of ours. Its message may quote what was sent, so only its kind and place are logged."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames[-8:]]
    logger.error("unexpected", error=type(error).__name__, places=places)
    return _problem(request, Failed("It was logged under `request_id`. Sending it again is safe."))
