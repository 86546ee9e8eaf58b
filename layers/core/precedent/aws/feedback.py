"""The feedback table: counts that nothing derives again, so the template keeps it with point-in-time recovery.

    <tenant>#<project>#<decision>   / C                            by kind: sessions (a number), writers (a set)
    <tenant>#<project>#<decision>   / S#<kind>#<writer>#<session>  it was said; the session as 32 hex of its sha256

Both are written in one transaction, so a session counts once however often and from wherever it is sent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from precedent.aws.access import checked_name
from precedent.aws.log import store_errors
from precedent.feedback import KINDS, Counts, Kind, Tally
from precedent.ports import StoreError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ATTEMPTS = 5
"""How often an unanswered part of a batch, or a transaction that met another, is asked for again."""


@cache
def dynamodb_client() -> DynamoDBClient:
    """The client all feedback of this process shares."""
    config = Config(
        connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3}
    )
    return boto3.client("dynamodb", config=config)


class DynamoFeedbacks:
    """`precedent.feedback.Feedbacks`."""

    def __init__(self, table: str, tenant: str, project: str) -> None:
        self._table = table
        names = checked_name("/tenant", tenant), checked_name("/project", project)
        self._prefix = "#".join(names)

    def add(self, writer: str, session: str, decision: str, kind: Kind) -> bool:
        hashed = hashlib.sha256(session.encode()).hexdigest()[:32]
        marker = self._key(decision, f"S#{kind}#{checked_name('/writer', writer)}#{hashed}")
        items: list[Any] = [
            {
                "Put": {
                    "TableName": self._table,
                    "Item": marker,
                    "ConditionExpression": "attribute_not_exists(pk)",
                }
            },
            {
                "Update": {
                    "TableName": self._table,
                    "Key": self._key(decision, "C"),
                    "UpdateExpression": "ADD #sessions :one, #writers :writer",
                    "ExpressionAttributeNames": {
                        "#sessions": f"{kind}_sessions",
                        "#writers": f"{kind}_writers",
                    },
                    "ExpressionAttributeValues": {":one": {"N": "1"}, ":writer": {"SS": [writer]}},
                }
            },
        ]
        for _ in range(ATTEMPTS):
            with store_errors("feedback table"):
                reasons = self._written(items)
            if "ConditionalCheckFailed" in reasons:
                return False
            if not reasons:
                return True
        raise StoreError("feedback table: transactions on one decision did not end")

    def counts(self, decisions: Collection[str]) -> dict[str, Counts]:
        wanted: Any = {
            self._table: {"Keys": [self._key(one, "C") for one in sorted(set(decisions))]}
        }
        found: dict[str, Counts] = {}
        for _ in range(ATTEMPTS):
            if not wanted.get(self._table, {}).get("Keys"):
                return found
            with store_errors("feedback table"):
                answer = dynamodb_client().batch_get_item(RequestItems=wanted)
            for item in answer["Responses"].get(self._table, []):
                decision = item["pk"]["S"].rsplit("#", 1)[1]
                found[decision] = {kind: tally for kind in KINDS if (tally := _tally(item, kind))}
            wanted = answer.get("UnprocessedKeys", {})
        raise StoreError("feedback table: a batch was not answered to its end")

    def _written(self, items: list[Any]) -> set[str]:
        """Why a transaction was not carried out; nothing if it was."""
        try:
            dynamodb_client().transact_write_items(TransactItems=items)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") != "TransactionCanceledException":
                raise
            reasons = cast("list[dict[str, str]]", error.response.get("CancellationReasons", []))
            return {reason.get("Code", "None") for reason in reasons} - {"None"} or {"Unknown"}
        return set()

    def _key(self, decision: str, sort: str) -> dict[str, dict[str, str]]:
        return {"pk": {"S": f"{self._prefix}#{decision}"}, "sk": {"S": sort}}


def _tally(item: Any, kind: Kind) -> Tally | None:
    sessions = int(item.get(f"{kind}_sessions", {}).get("N", 0))
    writers = len(item.get(f"{kind}_writers", {}).get("SS", ()))
    return Tally(sessions, writers) if sessions else None
