"""A share of a rebuild, as the state machine hands it out: `{"plan": …, "share": 3}` in, what was built out."""

from __future__ import annotations

from typing import Any

import msgspec
from aws_lambda_powertools import Logger, Tracer
from aws_lambda_powertools.utilities.typing import LambdaContext
from precedent.aws.wiring import loader_of, packed_log_of
from precedent.shares import Plan, build

logger = Logger()
tracer = Tracer()


@tracer.capture_lambda_handler(capture_response=False, capture_error=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Fold the log and write a share of its items. Answers {"share", "items", "entries", "read"}."""
    plan = msgspec.convert(event["plan"], Plan)
    built = build(plan, packed_log_of(plan.scope), loader_of(plan), int(event["share"]))
    told: dict[str, Any] = msgspec.to_builtins(built)
    logger.info("built", tenant=plan.tenant, project=plan.project, of=plan.shares, **told)
    return told
