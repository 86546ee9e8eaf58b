"""Where a deployment keeps things: named in the environment, or asked of its stack."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import boto3
import typer
from botocore.exceptions import BotoCoreError, ClientError
from precedent.aws.access import Access, checked_name
from precedent.aws.log import S3Log
from precedent.aws.packs import S3Packs
from precedent.aws.pointers import AccessPointers
from precedent.consume import Scope
from precedent.packed import PackedLog
from precedent.ports import Listed, Log, StoreError

Tenant = Annotated[str, typer.Option(help="the tenant the project belongs to")]
Project = Annotated[str, typer.Option(help="the project")]
Stack = Annotated[
    str,
    typer.Option(
        envvar="PRECEDENT_STACK",
        help="the stack to ask where things are, unless LOG_BUCKET, ACCESS_TABLE and PROJECTION_TABLE say",
    ),
]

_PACKS = ("PACK_BUCKET", "PackBucket")
"""The one name a deployment may lack: without it the log is read an object at a time."""

_OUTPUTS = {
    "LOG_BUCKET": "LogBucket",
    "ACCESS_TABLE": "AccessTable",
    "PROJECTION_TABLE": "ProjectionTable",
}


@dataclass
class Stores:
    """The log, the pointer and the projections of one project of a deployment."""

    stack: str
    tenant: str
    project: str

    @cached_property
    def scope(self) -> Scope:
        return Scope(checked_name("/tenant", self.tenant), checked_name("/project", self.project))

    @cached_property
    def log(self) -> S3Log:
        return S3Log(self._names["LOG_BUCKET"], self.scope.tenant, self.scope.project)

    @cached_property
    def packs(self) -> S3Packs | None:
        """The packs; None where the deployment has no bucket for them."""
        bucket = self._names.get(_PACKS[0])
        return S3Packs(bucket, self.scope.tenant, self.scope.project) if bucket else None

    @cached_property
    def whole_log(self) -> Log:
        """The log, for commands that read all of it."""
        return PackedLog(self.log, self.packs) if self.packs else self.log

    @cached_property
    def pointers(self) -> AccessPointers:
        access = Access(self._names["ACCESS_TABLE"])
        table = self._names["PROJECTION_TABLE"]
        return AccessPointers(access, self.scope.tenant, self.scope.project, table)

    def copy(self, source: str) -> S3Log | Folder:
        """A copy of the log: `s3://bucket`, or a folder that holds what the bucket held."""
        if source.startswith("s3://"):
            bucket = source.removeprefix("s3://").rstrip("/")
            return S3Log(bucket, self.scope.tenant, self.scope.project)
        return Folder(Path(source) / "t" / self.scope.tenant / self.scope.project / "log")

    @cached_property
    def _names(self) -> dict[str, str]:
        if all(name in os.environ for name in _OUTPUTS):
            return {name: os.environ[name] for name in (*_OUTPUTS, _PACKS[0]) if name in os.environ}
        try:
            [stack] = boto3.client("cloudformation").describe_stacks(StackName=self.stack)["Stacks"]
        except (ClientError, BotoCoreError) as error:
            raise StoreError(f"stack {self.stack}: {error}") from error
        outputs = {one["OutputKey"]: one["OutputValue"] for one in stack.get("Outputs", [])}
        missing = set(_OUTPUTS.values()) - outputs.keys()
        if missing:
            raise StoreError(f"stack {self.stack} has no output {', '.join(sorted(missing))}")
        wanted = (*_OUTPUTS.items(), _PACKS)
        return {name: outputs[output] for name, output in wanted if output in outputs}


@dataclass(frozen=True)
class Folder:
    """A copy of a project's log on disk."""

    root: Path

    def names(self) -> Iterator[Listed]:
        for path in sorted(self.root.rglob("*")):
            if path.is_file():
                yield Listed(path.relative_to(self.root).as_posix(), path.stat().st_size)

    def get(self, writer: str, first: int) -> bytes | None:
        path = self.root / writer / f"{first:012d}.jsonl"
        try:
            return path.read_bytes() if path.is_file() else None
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from error
