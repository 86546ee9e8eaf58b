"""Many items in one request, and what every request may fail with.

pynamodb asks for what was left unprocessed again at once and for ever; here it is asked for later, and not for ever.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from pynamodb.exceptions import PynamoDBException, TableDoesNotExist

from precedent.aws.items import Item
from precedent.aws.keys import Key
from precedent.ports import StoreError, StoreMissing

_WRITES = 25
"""Items a BatchWriteItem takes."""

_STALLED_ROUNDS = 8
"""How often a batch may come back with nothing before we give up: some six seconds."""

Sleep = Callable[[float], None]
Raw = dict[str, dict[str, Any]]


def write_all(
    model: type[Item], puts: Iterable[Item], deletes: Iterable[Key], sleep: Sleep
) -> None:
    """Put items and delete keys, each key named once, in that order; any part may be applied on an error."""
    requests: list[dict[str, Any]] = [{"PutRequest": {"Item": item.serialize()}} for item in puts]
    requests += [
        {"DeleteRequest": {"Key": {"pk": {"S": key.pk}, "sk": {"S": key.sk}}}} for key in deletes
    ]
    for start in range(0, len(requests), _WRITES):
        _write(model, requests[start : start + _WRITES], sleep)


def put_raw(model: type[Item], puts: Iterable[Raw], sleep: Sleep) -> None:
    """Put items that are in DynamoDB's own form already, each key named once."""
    requests = [{"PutRequest": {"Item": raw}} for raw in puts]
    for start in range(0, len(requests), _WRITES):
        _write(model, requests[start : start + _WRITES], sleep)


def _write(model: type[Item], pending: list[dict[str, Any]], sleep: Sleep) -> None:
    client: Any = model._get_connection().connection.client
    table = model.Meta.table_name
    stalled = 0
    while True:
        with store_errors():
            answer = client.batch_write_item(RequestItems={table: pending})
        left = answer.get("UnprocessedItems", {}).get(table, [])
        if not left:
            return
        stalled = 0 if len(left) < len(pending) else stalled + 1
        pending = left
        wait("BatchWriteItem", stalled, sleep)


def wait(request: str, stalled: int, sleep: Sleep) -> None:
    """Before what was left unprocessed is asked for again. Raises StoreError once that is no use."""
    if stalled == _STALLED_ROUNDS:
        raise StoreError(f"projection: {request}: the table keeps leaving items unprocessed")
    sleep(random.uniform(0, 0.05 * 2**stalled))  # noqa: S311 - jitter, no secret


@contextmanager
def store_errors() -> Iterator[None]:
    try:
        yield
    except PynamoDBException as error:
        reason = error.cause_response_code or type(error.cause or error).__name__
        missing = isinstance(error, TableDoesNotExist) or reason == "ResourceNotFoundException"
        kind = StoreMissing if missing else StoreError
        raise kind(f"projection: {type(error).__name__}: {reason}") from error
    except (BotoCoreError, ClientError) as error:
        raise StoreError(f"projection: {type(error).__name__}") from error
