"""The routes that read no project: who is asking, and whether anybody answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from precedent.web.asked import Nothing
from precedent.web.documented import PUBLIC, READ
from precedent.web.identity import Caller

router = APIRouter()


@router.get("/v1/whoami", responses=READ)
def whoami(caller: Caller, _asked: Annotated[Nothing, Query()]) -> dict[str, str]:
    """The caller's tenant, writer and role."""
    return asdict(caller)


@router.get("/v1/health", responses=PUBLIC)
def health(_asked: Annotated[Nothing, Query()]) -> dict[str, str]:
    """Whether the function answers at all; the only public route."""
    return {"status": "ok"}
