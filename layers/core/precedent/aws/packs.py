"""Packs on S3, in a bucket of their own: `t/<tenant>/<project>/packs/<writer>/<block:09d>-<sha256>.zst`.

Not in the log's bucket, from which nothing is ever deleted: a pack is replaced, and goes when text it holds
was taken out of the log.
"""

from __future__ import annotations

from collections.abc import Iterator

from precedent.aws.log import checked, folders, s3_client, store_errors
from precedent.packs import LIMIT, block_named


class S3Packs:
    """`precedent.ports.Packs`. Raises ValueError for a name that could not be a key, StoreError."""

    def __init__(self, bucket: str, tenant: str, project: str) -> None:
        self._bucket = bucket
        self._prefix = f"t/{checked(tenant)}/{checked(project)}/packs/"
        self._client = s3_client()

    def writers(self) -> Iterator[str]:
        return iter(sorted(folders(self._client, self._bucket, self._prefix, "packs")))

    def names(self, writer: str) -> list[str]:
        folder = self._folder(writer)
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=folder
        )
        with store_errors("packs"):
            return [
                item["Key"].removeprefix(folder)
                for page in pages
                for item in page.get("Contents", ())
            ]

    def get(self, writer: str, name: str) -> bytes | None:
        """A pack's bytes; of one larger than LIMIT, which is none, only that many."""
        with store_errors("packs"):
            try:
                found = self._client.get_object(Bucket=self._bucket, Key=self._key(writer, name))
            except self._client.exceptions.NoSuchKey:
                return None
            return found["Body"].read(LIMIT)

    def put(self, writer: str, name: str, data: bytes) -> None:
        with store_errors("packs"):
            self._client.put_object(
                Bucket=self._bucket,
                Key=self._key(writer, name),
                Body=data,
                ContentType="application/zstd",
            )

    def delete(self, writer: str, name: str) -> None:
        with store_errors("packs"):
            self._client.delete_object(Bucket=self._bucket, Key=self._key(writer, name))

    def _folder(self, writer: str) -> str:
        return f"{self._prefix}{checked(writer)}/"

    def _key(self, writer: str, name: str) -> str:
        if block_named(name) is None:
            raise ValueError(f"{name} is not the name of a pack")
        return self._folder(writer) + name
