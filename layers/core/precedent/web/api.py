"""The application an HTTP function starts from, and how Lambda serves it.

Refusals become problem+json in this one place, and each request logs one line, without a word of its text.
"""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from aws_lambda_powertools import Logger, Tracer
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from mangum import Mangum
from mangum.types import LambdaContext
from starlette.exceptions import HTTPException

from precedent.errors import Failed, Invalid, NotFound, Refusal, Unavailable
from precedent.ports import StoreError

logger = Logger()
tracer = Tracer()

Handler = Callable[[dict[str, Any], LambdaContext], dict[str, Any]]

PROJECT = "/v1/projects/{project}"
"""What the path of every route begins with that reads or writes decisions."""


PRIVATE = "private, no-cache"
"""May be kept by the caller alone, and is asked for again each time."""


class Problem(JSONResponse):
    """An RFC 9457 answer."""

    media_type = "application/problem+json"


def api(title: str, *routers: APIRouter) -> FastAPI:
    """A FastAPI application whose every error is a problem, with nothing served that was not asked for."""
    app = FastAPI(
        title=title,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(StoreError, _store_failed)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _framework_refused)
    app.middleware("http")(_logged)
    for router in routers:
        app.include_router(router)
    return app


def serve(app: FastAPI) -> Handler:
    """The Lambda handler of an application, traced without bodies or messages."""
    mangum = Mangum(app, lifespan="off")

    def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        return mangum(event, context)

    traced: Handler = tracer.capture_lambda_handler(
        handler, capture_response=False, capture_error=False
    )
    return traced


async def _logged(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    try:
        response = await call_next(request)
    except Exception as error:  # noqa: BLE001 - a defect is answered, and its text is not logged
        response = _unexpected(request, error)
    response.headers.setdefault("cache-control", PRIVATE)
    route = request.scope.get("route")
    logger.info(
        "answered",
        method=request.method,
        route=getattr(route, "path", None),
        status=response.status_code,
        request=_request_id(request),
    )
    return response


def _request_id(request: Request) -> str:
    event: dict[str, Any] = request.scope.get("aws.event", {})
    return str(event.get("requestContext", {}).get("requestId", ""))


def _problem(request: Request, refusal: Refusal) -> Problem:
    request_id = _request_id(request)
    logger.info("refused", error=refusal.name, request=request_id)
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


def _framework_refused(request: Request, error: Exception) -> Problem:
    """What the framework raises by itself: no such route or method; a body it can't decode at all."""
    assert isinstance(error, HTTPException)
    if error.status_code in (404, 405):
        return _problem(request, NotFound("There is no such route."))
    return _problem(request, Invalid("/body", "can't be read as JSON"))


def _unexpected(request: Request, error: Exception) -> Problem:
    """A defect of ours. Its message may quote what was sent, so only its kind and place are logged."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames[-8:]]
    logger.error("unexpected", error=type(error).__name__, places=places)
    return _problem(request, Failed("It was logged under `request_id`. Sending it again is safe."))
