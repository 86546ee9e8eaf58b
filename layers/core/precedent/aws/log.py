"""The log on S3: immutable objects under `t/<tenant>/<project>/log/<writer>/<seq:012d>.jsonl`.

The bucket refuses a PUT without `If-None-Match` and every delete, so a key is written once or never. Names
hold no `/` and every prefix ends in one, so one writer's listing never shows another's objects.
"""

from __future__ import annotations

import itertools
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from precedent.entry import OBJECT_LIMIT
from precedent.ports import Listed, Stored, StoreError, StoreMissing, Summary

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectTypeDef

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_OBJECT = re.compile(r"[0-9]{12}\.jsonl")
_SEQ_END = 10**12
_CONFLICT_ATTEMPTS = 6
_PAGE = 1000
_AT_ONCE = 8
"""GETs under way where many objects are asked for; the connections a client has are ten."""


@cache
def s3_client() -> S3Client:
    """The client every log of this process shares. Time-outs are retried: a PUT here is idempotent."""
    config = Config(
        connect_timeout=2,
        read_timeout=5,
        retries={"mode": "standard", "total_max_attempts": 3},
    )
    return boto3.client("s3", config=config)


class S3Log:
    """The log of one project (`precedent.ports.Log`).

    Raises ValueError for a name that could not be a key, StoreError where S3 does not answer or refuses.
    """

    def __init__(
        self,
        bucket: str,
        tenant: str,
        project: str,
        client: S3Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._bucket = bucket
        self._prefix = f"t/{checked(tenant)}/{checked(project)}/log/"
        self._client = client or s3_client()
        self._sleep = sleep

    def put(self, writer: str, first: int, data: bytes) -> bool:
        """Write an object unless its name is taken.

        The client repeats a PUT whose outcome is unknown (time-out, broken connection, 5xx). If the first
        one was applied the repeat meets it: False, and the caller compares bytes.
        """
        key = self._key(writer, first)
        for attempt in range(_CONFLICT_ATTEMPTS):
            match self._put_once(key, data):
                case 200:
                    return True
                case 412:
                    return False
            # 409: another conditional write of this key was under way; nothing was decided.
            self._sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311 - jitter, no secret
        raise StoreError("log: PutObject: conflicts with other writes of one key did not end")

    def get(self, writer: str, first: int) -> bytes | None:
        """An object's bytes; of one larger than OBJECT_LIMIT, which nobody folds, only that many + 1.

        Without `s3:ListBucket` S3 answers 403 where there is no object, which is a StoreError, not None.
        """
        with store_errors("log"):
            try:
                found = self._client.get_object(Bucket=self._bucket, Key=self._key(writer, first))
            except self._client.exceptions.NoSuchKey:
                return None
            if found["ContentLength"] > OBJECT_LIMIT:
                return found["Body"].read(OBJECT_LIMIT + 1)
            return found["Body"].read()

    def get_all(self, writer: str, firsts: Iterable[int]) -> Iterator[bytes | None]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(lambda first: self.get(writer, first), firsts)

    def summaries(self, writer: str, first: int, end: int) -> dict[int, Summary]:
        listed = self._listing(writer, first - 1, page=_PAGE)
        wanted = itertools.takewhile(lambda each: each[0] < end, listed)
        return {name: Summary(item["Size"], item["ETag"].strip('"')) for name, item in wanted}

    def first_after(self, writer: str, seq: int) -> int | None:
        return next(self._names(writer, seq, page=1), None)

    def last(self, writer: str, seq: int) -> Stored | None:
        first = max(self._names(writer, seq, page=_PAGE), default=None)
        data = None if first is None else self.get(writer, first)
        return None if first is None or data is None else Stored(first, data)

    def writers(self) -> Iterator[str]:
        # S3 sorts `a.b/` before `a/`.
        return iter(sorted(folders(self._client, self._bucket, self._prefix)))

    def names(self) -> Iterator[Listed]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._prefix
        )
        with store_errors("log"):
            for page in pages:
                for item in page.get("Contents", ()):
                    yield Listed(item["Key"].removeprefix(self._prefix), item["Size"])

    def _put_once(self, key: str, data: bytes) -> int:
        with store_errors("log"):
            try:
                self._client.put_object(
                    Bucket=self._bucket,
                    Key=key,
                    Body=data,
                    ContentType="application/x-ndjson",
                    IfNoneMatch="*",
                )
            except ClientError as error:
                status = error.response["ResponseMetadata"]["HTTPStatusCode"]
                if status not in (409, 412):
                    raise
                return status
        return 200

    def _names(self, writer: str, seq: int, page: int) -> Iterator[int]:
        return (first for first, _ in self._listing(writer, seq, page))

    def _listing(self, writer: str, seq: int, page: int) -> Iterator[tuple[int, ObjectTypeDef]]:
        """The objects after `seq` by the seq they are named by, in order. What is not named so is none."""
        # Of seq -1 nothing is named; what follows the folder itself is everything in it.
        folder = self._folder(writer)
        after = folder if seq < 0 else self._key(writer, seq)
        while True:
            with store_errors("log"):
                listed = self._client.list_objects_v2(
                    Bucket=self._bucket, Prefix=folder, StartAfter=after, MaxKeys=page
                )
            for item in listed.get("Contents", ()):
                after = item["Key"]
                name = after.removeprefix(folder)
                if _OBJECT.fullmatch(name):
                    yield int(name[:12]), item
            if not listed["IsTruncated"]:
                return
            page = _PAGE

    def _folder(self, writer: str) -> str:
        return f"{self._prefix}{checked(writer)}/"

    def _key(self, writer: str, first: int) -> str:
        if not 0 <= first < _SEQ_END:
            raise ValueError(f"{first} is not a seq of at most 12 digits")
        return f"{self._folder(writer)}{first:012d}.jsonl"


def list_projects(bucket: str, client: S3Client | None = None) -> Iterator[tuple[str, str]]:
    """Every (tenant, project) that has a prefix in the bucket. Raises StoreError."""
    client = client or s3_client()
    for tenant in folders(client, bucket, "t/"):
        for project in folders(client, bucket, f"t/{tenant}/"):
            yield tenant, project


def folders(client: S3Client, bucket: str, prefix: str, what: str = "log") -> Iterator[str]:
    """The names one level under a prefix, in S3's order; what is no valid name is none of ours."""
    pages = client.get_paginator("list_objects_v2").paginate(
        Bucket=bucket, Prefix=prefix, Delimiter="/"
    )
    with store_errors(what):
        for page in pages:
            for common in page.get("CommonPrefixes", ()):
                name = common["Prefix"][len(prefix) : -1]
                if _NAME.fullmatch(name):
                    yield name


def checked(name: str) -> str:
    """A name that may be part of a key. Raises ValueError."""
    if not _NAME.fullmatch(name):
        raise ValueError("names are 1 to 64 of a-z 0-9 . _ - and begin with a letter or digit")
    return name


@contextmanager
def store_errors(what: str) -> Iterator[None]:
    """Whatever a store or the way to it fails with becomes a StoreError that names `what`, and no key."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        kind = StoreMissing if code == "NoSuchBucket" else StoreError
        raise kind(f"{what}: {error.operation_name}: {code}") from error
    except BotoCoreError as error:
        raise StoreError(f"{what}: {type(error).__name__}") from error
