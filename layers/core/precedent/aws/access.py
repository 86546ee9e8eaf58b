"""The access table: who may write and read, and which projection serves a project.

Not derived from the log and not disposable; the template keeps it with point-in-time recovery.

    T#<sha256 of a token>      / T          tenant, writer, role
    W#<tenant>                 / <writer>   role, token (the hash), created_at, revoked_at
    P#<tenant>#<project>       / P          table, generation, salt

Tokens are stored as hashes only. They are 256 random bits, so a plain SHA-256 is enough.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from precedent.errors import Invalid, NotFound
from precedent.ports import Pointer, StoreError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Role = Literal["reader", "writer"]
ROLES: tuple[Role, ...] = ("reader", "writer")

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
TOKEN = re.compile(r"pct_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a token stands for."""

    tenant: str
    writer: str
    role: Role


@dataclass(frozen=True, slots=True)
class Writer:
    """One writer of a tenant. Times are RFC 3339, UTC; `revoked_at` is None while its token works."""

    name: str
    role: Role
    created_at: str
    revoked_at: str | None


def checked_name(field: str, text: str) -> str:
    """A tenant's, project's or writer's name, unchanged.

    Raises:
        Invalid: it is not 1 to 64 of `a-z 0-9 . _ -` beginning with a letter or digit.
    """
    if not NAME.fullmatch(text):
        raise Invalid(
            field, "1 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter or digit"
        )
    return text


class Access:
    """The access table of one deployment.

    Every method raises StoreError where the table does not answer, and Invalid for a name it cannot hold.
    """

    def __init__(self, table_name: str, client: DynamoDBClient | None = None) -> None:
        self._table = table_name
        if client is not None:
            self._client = client

    @cached_property
    def _client(self) -> DynamoDBClient:
        # The authorizer stands before every request: better one quick retry than a hung client.
        return boto3.client(
            "dynamodb",
            config=Config(
                connect_timeout=2,
                read_timeout=5,
                retries={"mode": "standard", "total_max_attempts": 3},
            ),
        )

    # ------------------------------------------------------------------ tokens

    def identify(self, token: str) -> Identity | None:
        """Who holds this token; None if nobody does (any more)."""
        if not TOKEN.fullmatch(token):
            return None
        with _store_errors():
            item = self._client.get_item(
                TableName=self._table, Key=_key(f"T#{_hash(token)}", "T"), ConsistentRead=True
            ).get("Item")
        if item is None:
            return None
        return Identity(
            tenant=item["tenant"]["S"], writer=item["writer"]["S"], role=_role(item["role"]["S"])
        )

    def add_writer(self, tenant: str, writer: str, role: str) -> str:
        """Create a writer, or give a revoked one a new token; returns the token, kept nowhere else.

        Raises:
            Invalid: a bad name or role, or the writer holds a token already.
        """
        checked_name("/tenant", tenant)
        checked_name("/writer", writer)
        if role not in ROLES:
            raise Invalid("/role", f"one of {', '.join(ROLES)}")
        token = f"pct_{secrets.token_urlsafe(32)}"
        digest, now = _hash(token), _now()
        try:
            with _store_errors():
                self._client.transact_write_items(
                    TransactItems=[
                        {
                            "Put": {
                                "TableName": self._table,
                                "Item": {
                                    **_key(f"W#{tenant}", writer),
                                    "role": {"S": role},
                                    "token": {"S": digest},
                                    "created_at": {"S": now},
                                },
                                "ConditionExpression": "attribute_not_exists(pk) OR attribute_exists(revoked_at)",
                            }
                        },
                        {
                            "Put": {
                                "TableName": self._table,
                                "Item": {
                                    **_key(f"T#{digest}", "T"),
                                    "tenant": {"S": tenant},
                                    "writer": {"S": writer},
                                    "role": {"S": role},
                                },
                                "ConditionExpression": "attribute_not_exists(pk)",
                            }
                        },
                    ]
                )
        except _ConditionFailed:
            raise Invalid("/writer", f"{writer} holds a token already; revoke it first") from None
        return token

    def revoke(self, tenant: str, writer: str) -> None:
        """Take a writer's token away. What it recorded stays; a cached authorization lives up to 60 s.

        Raises:
            NotFound: there is no such writer, or it holds no token.
        """
        found = NotFound(f"{tenant} has no writer {writer} that holds a token.")
        with _store_errors():
            item = self._client.get_item(
                TableName=self._table, Key=_key(f"W#{tenant}", writer), ConsistentRead=True
            ).get("Item")
        if item is None or "revoked_at" in item:
            raise found
        digest = item["token"]["S"]
        try:
            with _store_errors():
                self._client.transact_write_items(
                    TransactItems=[
                        {"Delete": {"TableName": self._table, "Key": _key(f"T#{digest}", "T")}},
                        {
                            "Update": {
                                "TableName": self._table,
                                "Key": _key(f"W#{tenant}", writer),
                                "UpdateExpression": "SET revoked_at = :now",
                                "ConditionExpression": "#token = :token AND attribute_not_exists(revoked_at)",
                                "ExpressionAttributeNames": {"#token": "token"},
                                "ExpressionAttributeValues": {
                                    ":now": {"S": _now()},
                                    ":token": {"S": digest},
                                },
                            }
                        },
                    ]
                )
        except _ConditionFailed:
            raise found from None

    def writers(self, tenant: str) -> Iterator[Writer]:
        """Every writer of a tenant by name, the revoked ones too."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": f"W#{tenant}"}},
            ConsistentRead=True,
        )
        with _store_errors():
            for page in pages:
                for item in page["Items"]:
                    yield Writer(
                        name=item["sk"]["S"],
                        role=_role(item["role"]["S"]),
                        created_at=item["created_at"]["S"],
                        revoked_at=item["revoked_at"]["S"] if "revoked_at" in item else None,
                    )

    # ---------------------------------------------------------------- pointers

    def pointer(self, tenant: str, project: str) -> Pointer | None:
        """Which projection serves a project, read strongly; None if nothing was ever recorded in it."""
        with _store_errors():
            item = self._client.get_item(
                TableName=self._table, Key=_pointer_key(tenant, project), ConsistentRead=True
            ).get("Item")
        return None if item is None else _pointer(item)

    def ensure_pointer(self, tenant: str, project: str, wanted: Pointer) -> Pointer:
        """Make the pointer unless there is one; returns the one there is."""
        names = {"#table": "table", "#generation": "generation", "#salt": "salt"}
        with _store_errors():
            answer = self._client.update_item(
                TableName=self._table,
                Key=_pointer_key(tenant, project),
                UpdateExpression="SET "
                + ", ".join(f"{name} = if_not_exists({name}, :{name[1:]})" for name in names),
                ExpressionAttributeNames=names,
                ExpressionAttributeValues={
                    ":table": {"S": wanted.table},
                    ":generation": {"S": wanted.generation},
                    ":salt": {"S": wanted.salt},
                },
                ReturnValues="ALL_NEW",
            )
        return _pointer(answer["Attributes"])

    def flip_pointer(self, tenant: str, project: str, old: Pointer, new: Pointer) -> bool:
        """Let another generation serve a project if the pointer still is `old`; the salt stays."""
        try:
            with _store_errors():
                self._client.update_item(
                    TableName=self._table,
                    Key=_pointer_key(tenant, project),
                    UpdateExpression="SET #table = :table, #generation = :generation",
                    ConditionExpression="#table = :old_table AND #generation = :old_generation",
                    ExpressionAttributeNames={"#table": "table", "#generation": "generation"},
                    ExpressionAttributeValues={
                        ":table": {"S": new.table},
                        ":generation": {"S": new.generation},
                        ":old_table": {"S": old.table},
                        ":old_generation": {"S": old.generation},
                    },
                )
        except _ConditionFailed:
            return False
        return True


class _ConditionFailed(Exception):
    """The item is not in the state the request asked for."""


@contextmanager
def _store_errors() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        reasons = cast("list[dict[str, str]]", error.response.get("CancellationReasons", []))
        failed = {code, *(reason.get("Code", "") for reason in reasons)}
        if failed & {"ConditionalCheckFailedException", "ConditionalCheckFailed"}:
            raise _ConditionFailed from error
        raise StoreError(f"access table: {code}") from error
    except BotoCoreError as error:
        raise StoreError(f"access table: {type(error).__name__}") from error


def _key(pk: str, sk: str) -> dict[str, dict[str, str]]:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def _pointer_key(tenant: str, project: str) -> dict[str, dict[str, str]]:
    return _key(f"P#{checked_name('/tenant', tenant)}#{checked_name('/project', project)}", "P")


def _pointer(item: object) -> Pointer:
    attributes = cast("dict[str, dict[str, str]]", item)
    return Pointer(
        table=attributes["table"]["S"],
        generation=attributes["generation"]["S"],
        salt=attributes["salt"]["S"],
    )


def _role(text: str) -> Role:
    for role in ROLES:
        if role == text:
            return role
    raise StoreError(f"access table: unknown role {text!r}")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
