"""The sweep, hourly: each writer's offset against its log, and the quarantined asked again."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext
from precedent.aws.wiring import log_of, pointers_of, scopes
from precedent.ports import StoreError
from precedent.sweep import sweep

logger = Logger()
tracer = Tracer()
metrics = Metrics()


@tracer.capture_lambda_handler(capture_response=False, capture_error=False)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Sweep every project; one that fails does not stop the others, and fails the run in the end.

    Answers {"projects", "entries", "quarantined", "failed"}.
    """
    done = {"projects": 0, "entries": 0, "quarantined": 0}
    failed: list[str] = []
    # In no fixed order: where one run does not reach all, the next begins elsewhere.
    for scope in random.sample(found := list(scopes()), len(found)):
        try:
            swept = sweep(scope, log_of(scope), pointers_of(scope))
        except Exception as error:  # noqa: BLE001 - whatever stops one project, the others are swept
            kind = str(error) if isinstance(error, StoreError) else type(error).__name__
            logger.error("not swept", tenant=scope.tenant, project=scope.project, error=kind)
            failed.append(f"{scope.tenant}/{scope.project}")
            continue
        logger.info("swept", tenant=scope.tenant, project=scope.project, **asdict(swept))
        done["projects"] += 1
        done["entries"] += swept.entries
        # A log that ends too early is as much somebody's business as a line that can't be read.
        done["quarantined"] += swept.quarantined + len(swept.short)
    metrics.add_metric("Quarantined", MetricUnit.Count, done["quarantined"])
    metrics.add_metric("Swept", MetricUnit.Count, done["entries"])
    if failed:
        raise StoreError(f"not swept: {', '.join(failed)}")
    return done
