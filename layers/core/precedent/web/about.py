"""The routes that read no project: who is asking, and whether anybody answers."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter

from precedent.web.identity import Caller

router = APIRouter()


@router.get("/v1/whoami")
def whoami(caller: Caller) -> dict[str, str]:
    """The caller's tenant, writer and role."""
    return asdict(caller)


@router.get("/v1/health")
def health() -> dict[str, str]:
    """Whether the function answers at all; the only public route."""
    return {"status": "ok"}
