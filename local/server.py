"""The emulated AWS: ministack behind a small front.

`python -m local.server --home DIR --port N`, with the environment of `local.process.environment`.
The front does six things ministack leaves open, so that the templates run here as they are:

* it is the API's custom domain: unsigned `/v1/...` goes to the deployed HTTP API;
* loopback counts as a secure transport, and two condition keys ministack does not know are
  filled in (`s3:if-none-match`, `dynamodb:LeadingKeys`), so that the bucket's and the roles'
  conditions are enforced and not merely carried along;
* `POST /_precedent/save` puts all state on disk, and a write to the access table is answered
  only once it is there. By itself ministack saves when it is stopped cleanly, so a kill would
  undo a revoked token and forget which salt a project's values are hashed with;
* an object that could not be written to the disk ends the server before anybody is answered. ministack would
  say 200, keep it in memory, and lose it with the process;
* it asks who calls. ministack takes anybody for the account's owner who signs nothing, or names
  the key `test` or an account, and has routes that wipe everything; the owner here is who
  knows the home's own access key id, and nothing else is let through but functions' roles.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import ministack.app as ministack
from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack.core import iam_actions, persistence
from ministack.services import s3

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

API_ID = "precedent"
"""What the parameter LocalApiId of sam/template.yaml is given."""

HASH_KEY = "pk"
"""Every table of ours names its hash key so."""

DURABLE_TABLE = b"AccessTable"
"""In the name of the one table that nothing can derive again."""

WRITES = frozenset(
    f"DynamoDB_20120810.{name}".encode()
    for name in ("BatchWriteItem", "DeleteItem", "PutItem", "TransactWriteItems", "UpdateItem")
)

ROLE_KEYS = "ASIA"
"""How the access key ids of temporary credentials begin; ministack knows those it gave out."""

REFUSED = b'{"message": "Sign with the access key in the file aws of PRECEDENT_HOME."}'
SAVE_ATTEMPTS = 20


def save(only: str | None = None) -> None:
    """Write every service's state, or only one's, to STATE_DIR, each file replaced in one step.

    Raises:
        OSError: a service could not be saved. What was on disk before is still there.
    """
    for service, state_of in ministack._build_persistence_save_dict().items():
        state = state_of() if only in (None, service) else None
        if state is None:
            continue
        path = Path(persistence.STATE_DIR) / f"{service}.json"
        before = path.stat().st_ino if path.exists() else None
        persistence.save_state(service, state)  # logs instead of raising
        if not path.exists() or path.stat().st_ino == before:
            raise OSError(f"the state of {service} could not be written to {path}")


async def save_when_quiet(only: str | None = None) -> None:
    """`save`, again while a request running in another thread changes what is being written."""
    for attempt in range(SAVE_ATTEMPTS):
        try:
            save(only)
            return
        except (OSError, RuntimeError):
            if attempt == SAVE_ATTEMPTS - 1:
                raise
            await asyncio.sleep(0.05)


def supply_condition_keys() -> None:
    """Teach ministack the two condition keys our policies use and it does not know."""
    s3_context, dynamodb_context = (
        iam_actions.s3_service_context,
        iam_actions.dynamodb_service_context,
    )

    def s3(
        action: str, query: Any, path: str = "", headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        context: dict[str, Any] = s3_context(action, query, path, headers)
        condition = (headers or {}).get("if-none-match")
        if action == "s3:PutObject" and condition is not None:
            context["s3:if-none-match"] = condition
        return context

    def dynamodb(body: bytes) -> dict[str, Any]:
        context: dict[str, Any] = dynamodb_context(body)
        keys = leading_keys(body)
        if keys:
            context["dynamodb:LeadingKeys"] = keys
        return context

    iam_actions.s3_service_context = s3
    iam_actions.dynamodb_service_context = dynamodb


def leading_keys(body: bytes) -> list[str]:
    """The hash keys a single-item DynamoDB request names; empty for queries and batches."""
    try:
        request = json.loads(body)
        item = request.get("Key") or request.get("Item") or {}
        return [item[HASH_KEY]["S"]]
    except (ValueError, AttributeError, KeyError, TypeError):
        return []


def end_where_nothing_can_be_kept() -> None:
    """End the process, as a kill would, if an object is not on the disk once it was written."""
    persist = s3._persist_object

    def persist_or_end(bucket: str, key: str, obj: Any) -> None:
        persist(bucket, key, obj)  # logs instead of raising
        place = s3._object_disk_path(bucket, key)
        if place is not None and not _is_written(Path(place), obj):
            with suppress(OSError):  # what it prints lies on the same disk
                print(f"{place} could not be written. Is the disk full? Make room; make up")
                sys.stdout.flush()
            os._exit(1)

    s3._persist_object = persist_or_end


def _is_written(path: Path, obj: Any) -> bool:
    try:
        sidecar = path.with_name(path.name + ".meta.json")
        return path.stat().st_size == obj["size"] and sidecar.stat().st_size > 0
    except OSError:
        return False


class Front:
    """The ASGI application in front of ministack's."""

    def __init__(self, home: str) -> None:
        self._owner = os.environ["AWS_ACCESS_KEY_ID"]
        self._identity = json.dumps({"home": home, "pid": os.getpid()}).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await ministack.app(scope, receive, send)
            return
        path = scope["path"]
        if path == "/_precedent":
            await _answer(send, 200, self._identity)
        elif path == "/_precedent/save" and scope["method"] == "POST":
            try:
                await save_when_quiet()
            except Exception as error:  # noqa: BLE001 - whatever it is, the launcher has to hear of it
                await _answer(send, 500, json.dumps({"error": repr(error)}).encode())
            else:
                await _answer(send, 200, self._identity)
        elif not self._may_enter(scope):
            await _answer(send, 403, REFUSED)
        elif any(
            name.lower() == b"x-amz-target" and value in WRITES for name, value in scope["headers"]
        ):
            await _durable(_as_aws_would_see_it(scope), receive, send)
        else:
            await ministack.app(_as_aws_would_see_it(scope), receive, send)

    def _may_enter(self, scope: Scope) -> bool:
        """Whether a request is one to the API, or signed by the owner or a function's role."""
        key = _signed_by(scope)
        if key is None:
            return bool(scope["path"].startswith("/v1/"))
        return key == self._owner or key.startswith(ROLE_KEYS)


def _signed_by(scope: Scope) -> str | None:
    """The access key id a request is signed with, None if it is not signed; ministack checks the rest."""
    for name, value in scope["headers"]:
        if name.lower() == b"authorization" and value.startswith(b"AWS4-"):
            found = re.search(rb"Credential=([^/,\s]+)/", value)
            return found[1].decode("latin-1") if found else ""
    return None


async def _durable(scope: Scope, receive: Receive, send: Send) -> None:
    """A DynamoDB write; if it is one to the access table, answered after it is on disk."""
    body: list[bytes] = []
    answer: list[MutableMapping[str, Any]] = []

    async def listen() -> MutableMapping[str, Any]:
        message = await receive()
        body.append(message.get("body", b""))
        return message

    async def hold(message: MutableMapping[str, Any]) -> None:
        answer.append(message)

    await ministack.app(scope, listen, hold)
    if DURABLE_TABLE in b"".join(body):
        try:
            await save_when_quiet("dynamodb")
        except (OSError, RuntimeError) as error:
            await _answer(
                send,
                500,
                json.dumps({"__type": "InternalServerError", "message": repr(error)}).encode(),
            )
            return
    for message in answer:
        await send(message)


def _as_aws_would_see_it(scope: Scope) -> Scope:
    headers = [
        (name, value) for name, value in scope["headers"] if name.lower() != b"x-forwarded-proto"
    ]
    changed = {**scope, "headers": [*headers, (b"x-forwarded-proto", b"https")]}
    if _signed_by(scope) is None:
        stage = f"/_aws/execute-api/{API_ID}/$default"
        changed["path"] = stage + scope["path"]
        if scope.get("raw_path"):
            changed["raw_path"] = stage.encode() + scope["raw_path"]
    return changed


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _run(front: Front, port: int) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 5
    config.loglevel = "WARNING"

    async def stopped() -> None:
        await stop.wait()

    await serve(front, config, shutdown_trigger=stopped)  # type: ignore[arg-type]


def main(front: Callable[[str], Front] = Front) -> None:
    parser = argparse.ArgumentParser(
        prog="local.server", description="The local AWS; `make up` starts it."
    )
    parser.add_argument("--home", required=True)
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    supply_condition_keys()
    end_where_nothing_can_be_kept()
    asyncio.run(_run(front(arguments.home), arguments.port))


if __name__ == "__main__":
    main()
