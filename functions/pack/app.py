"""Packing, daily: each project's log into packs, and every pack that is there checked against the log."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext
from precedent.aws.wiring import log_of, packs_of, scopes
from precedent.packing import Packed, pack
from precedent.ports import StoreError

logger = Logger()
tracer = Tracer()
metrics = Metrics()

LAST_MINUTE_MS = 60_000
"""What is left of a run when it begins nothing new: a block takes seconds."""


@tracer.capture_lambda_handler(capture_response=False, capture_error=False)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Pack every project; one that fails does not stop the others, and fails the run in the end.

    Answers {"packs", "objects", "made", "deleted", "corrupt", "complete"}.
    """
    done = Packed()
    failed: list[str] = []
    # In no fixed order: where one run does not reach all, the next begins elsewhere.
    for scope in random.sample(found := list(scopes()), len(found)):
        try:
            packed = pack(log_of(scope), packs_of(scope), lambda: _ends_soon(context))
        except StoreError as error:
            logger.error("not packed", tenant=scope.tenant, project=scope.project, error=str(error))
            failed.append(f"{scope.tenant}/{scope.project}")
            continue
        logger.info("packed", tenant=scope.tenant, project=scope.project, **asdict(packed))
        done.add(packed)
    metrics.add_metric("Packed", MetricUnit.Count, done.made)
    metrics.add_metric("CorruptPacks", MetricUnit.Count, done.corrupt)
    if failed:
        raise StoreError(f"not packed: {', '.join(failed)}")
    return asdict(done)


def _ends_soon(context: LambdaContext) -> bool:
    return context.get_remaining_time_in_millis() < LAST_MINUTE_MS
