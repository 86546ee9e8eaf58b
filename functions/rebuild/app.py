"""Rebuild one project's projection from its log: `{"tenant": …, "project": …}` in, the digest's basis anew.

By itself for what fits one invocation. With `"step": "plan"` and `"step": "finish"` it is the first and the last
step of the state machine, which has `rebuildshare` do what lies between. The old generation stays in the table:
`precedent-admin repair --leftovers` takes it away, and `precedent-admin rebuild` does all of it from a shell.
"""

from __future__ import annotations

import uuid
from typing import Any

import msgspec
from aws_lambda_powertools import Logger, Tracer
from aws_lambda_powertools.utilities.typing import LambdaContext
from precedent.aws.access import checked_name
from precedent.aws.wiring import now, packed_log_of, pointers_of
from precedent.consume import Scope
from precedent.rebuild import rebuild
from precedent.shares import Built, Plan, finish, plan

logger = Logger()
tracer = Tracer()


@tracer.capture_lambda_handler(capture_response=False, capture_error=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Fold the log into a fresh generation and flip the pointer, or do a step of that.

    `"accept_loss": true` flips even if a log ends before what was acknowledged. Answers
    {"generation", "flipped", "old", "swept": {"writers", "entries", "quarantined", "short", …}}, and as the
    first step {"plan", "shares": [0, 1, …]}.
    """
    scope = Scope(
        checked_name("/tenant", event["tenant"]), checked_name("/project", event["project"])
    )
    log, pointers = packed_log_of(scope), pointers_of(scope)
    accept_loss = event.get("accept_loss") is True
    # Sortable by age, and never used before even where two rebuilds start at once.
    generation = f"{now()[:19].replace(':', '')}-{uuid.uuid4().hex[:8]}"
    match event.get("step"):
        case "plan":
            planned = plan(scope, log, pointers, generation)
            logger.info("planned", generation=generation, shares=planned.shares)
            return {"plan": msgspec.to_builtins(planned), "shares": [*range(planned.shares)]}
        case "finish":
            planned, built = msgspec.convert(
                (event["plan"], event["built"]), tuple[Plan, list[Built]]
            )
            done = finish(planned, log, pointers, built, accept_loss=accept_loss)
        case _:
            done = rebuild(scope, log, pointers, generation, accept_loss=accept_loss)
    told = done.told()
    logger.info("rebuilt", tenant=scope.tenant, project=scope.project, **told)
    return told
