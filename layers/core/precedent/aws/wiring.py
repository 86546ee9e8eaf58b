"""Wiring: the ports of a project on AWS, from a function's environment. The one place that builds them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

from aws_lambda_powertools.utilities import parameters

from precedent.aws.access import Access
from precedent.aws.feedback import DynamoFeedbacks
from precedent.aws.loader import DynamoLoader
from precedent.aws.log import S3Log, list_projects
from precedent.aws.packs import S3Packs
from precedent.aws.pointers import AccessPointers
from precedent.consume import Scope
from precedent.packed import PackedLog
from precedent.ports import Projection
from precedent.shares import Plan


def now() -> str:
    """The time as entries keep it: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@cache
def access() -> Access:
    """The access table; one client for all invocations of a process."""
    return Access(os.environ["ACCESS_TABLE"])


def log_of(scope: Scope) -> S3Log:
    return S3Log(os.environ["LOG_BUCKET"], scope.tenant, scope.project)


def packs_of(scope: Scope) -> S3Packs:
    return S3Packs(os.environ["PACK_BUCKET"], scope.tenant, scope.project)


def packed_log_of(scope: Scope) -> PackedLog:
    """The log, for those who read all of it."""
    return PackedLog(log_of(scope), packs_of(scope))


def feedbacks_of(scope: Scope) -> DynamoFeedbacks:
    return DynamoFeedbacks(os.environ["FEEDBACK_TABLE"], scope.tenant, scope.project)


def pointers_of(scope: Scope) -> AccessPointers:
    return AccessPointers(access(), scope.tenant, scope.project, os.environ["PROJECTION_TABLE"])


def loader_of(plan: Plan) -> DynamoLoader:
    return DynamoLoader(plan.table, plan.generation, plan.tenant, plan.project)


def projection_of(scope: Scope) -> Projection | None:
    """The projection that serves a project; None for one nothing was ever recorded in."""
    pointers = pointers_of(scope)
    pointer = pointers.read()
    return pointers.open(pointer) if pointer else None


def cursor_key() -> bytes:
    """The key cursors are signed with: made by the stack, kept in its secret store, read once an hour."""
    return str(parameters.get_secret(os.environ["CURSOR_KEY"], max_age=3600)).encode()


def scopes() -> Iterator[Scope]:
    """Every project that has a log."""
    for tenant, project in list_projects(os.environ["LOG_BUCKET"]):
        yield Scope(tenant, project)
