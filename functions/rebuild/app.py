"""Rebuild one project's projection from its log: `{"tenant": …, "project": …}` in, the digest's basis anew.

For what fits one invocation. The old generation stays in the table: `precedent-admin repair --leftovers` takes
it away, and `precedent-admin rebuild` does all of it from a shell.
"""

from __future__ import annotations

import uuid
from typing import Any

from aws_lambda_powertools import Logger, Tracer
from aws_lambda_powertools.utilities.typing import LambdaContext
from precedent.aws.access import checked_name
from precedent.aws.wiring import now, packed_log_of, pointers_of
from precedent.consume import Scope
from precedent.rebuild import rebuild

logger = Logger()
tracer = Tracer()


@tracer.capture_lambda_handler(capture_response=False, capture_error=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Fold the log into a fresh generation and flip the pointer.

    `"accept_loss": true` flips even if a log ends before what was acknowledged. Answers
    {"generation", "flipped", "old", "swept": {"writers", "entries", "quarantined", "short", …}}.
    """
    scope = Scope(
        checked_name("/tenant", event["tenant"]), checked_name("/project", event["project"])
    )
    # Sortable by age, and never used before even where two rebuilds start at once.
    generation = f"{now()[:19].replace(':', '')}-{uuid.uuid4().hex[:8]}"
    accept_loss = event.get("accept_loss") is True
    rebuilt = rebuild(
        scope, packed_log_of(scope), pointers_of(scope), generation, accept_loss=accept_loss
    ).told()
    logger.info("rebuilt", tenant=scope.tenant, project=scope.project, **rebuilt)
    return rebuilt
