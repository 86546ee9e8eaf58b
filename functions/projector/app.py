"""The projector: an S3 event is a wake-up. Which writer's log moved is all that is taken from it."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext
from precedent.aws.wakeup import woken
from precedent.aws.wiring import log_of, pointers_of
from precedent.pointer import follow

logger = Logger()
tracer = Tracer()
metrics = Metrics()
processor = BatchProcessor(event_type=EventType.SQS)


def wake(record: SQSRecord) -> None:
    """Catch up the writer a message names. One that names none is dropped, and counted."""
    place = woken(record.json_body)
    if place is None:
        logger.warning("not a wake-up", id=record.message_id)
        metrics.add_metric("Ignored", MetricUnit.Count, 1)
        return
    scope, writer = place
    progress = follow(scope, log_of(scope), pointers_of(scope), writer)
    for row in progress.quarantined:
        logger.warning("quarantined", writer=writer, seq=row.dot.seq, reason=row.reason)
    for dot in progress.chain_breaks:
        logger.warning("chain broken", writer=writer, seq=dot.seq)
    logger.info("projected", writer=writer, entries=progress.entries)
    metrics.add_metric("Projected", MetricUnit.Count, progress.entries)
    metrics.add_metric("Quarantined", MetricUnit.Count, len(progress.quarantined))


@tracer.capture_lambda_handler(capture_response=False, capture_error=False)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """SQS's answer: the messages to deliver again, none of them if all went well."""
    return dict(process_partial_response(event, wake, processor, context))
