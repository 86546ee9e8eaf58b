"""Packs: what a block of a writer's log holds, in one compressed object. A cache of the log, never part of it.

A pack is believed in nothing. Which objects there are, the log's own listing says; bytes out of a pack count
only where their MD5 is the one listed there. So a pack that is missing, damaged, out of date or forged costs
time and changes no answer.

The bytes of a pack are a zstd frame (RFC 8878) of a JSON list of [seq in the name, size] for each object, a
newline, and the objects one after another. It is named `<block:09d>-<sha256 of its bytes>.zst`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

import msgspec
from backports import zstd

BLOCK = 1000
"""Seqs of a block: what one page of a listing holds, if there is one line an object."""

SMALL = 64 * 1024
"""Bytes of the largest object that is packed; larger ones cost one request each, and few are."""

FEWEST = 16
"""Objects below which a pack is not worth its own requests."""

LIMIT = BLOCK * (SMALL + 32)
"""Bytes of a pack, compressed or not: small objects and their places in the index."""

_LEVEL = 3
_NAME = re.compile(r"([0-9]{9})-([0-9a-f]{64})\.zst")

Objects = Mapping[int, bytes]


class Corrupt(Exception):
    """A pack that is not what its name says, or none at all."""


def block_of(first: int) -> int:
    """The block an object belongs to, by the seq in its name."""
    return first // BLOCK


def block_named(name: str) -> int | None:
    """The block a pack is of; None for a name no pack has."""
    found = _NAME.fullmatch(name)
    return int(found[1]) if found else None


def md5(data: bytes) -> str:
    """What S3 lists as the ETag of an object put in one request and encrypted with S3's own keys."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def seal(block: int, objects: Objects) -> tuple[str, bytes]:
    """The name and bytes of a pack of these objects."""
    firsts = sorted(objects)
    index = msgspec.json.encode([(first, len(objects[first])) for first in firsts])
    raw = b"".join((index, b"\n", *(objects[first] for first in firsts)))
    data = zstd.compress(raw, _LEVEL)
    return f"{block:09d}-{hashlib.sha256(data).hexdigest()}.zst", data


def opened(name: str, data: bytes) -> dict[int, bytes]:
    """The objects of a pack. Raises Corrupt."""
    found = _NAME.fullmatch(name)
    if not found or hashlib.sha256(data).hexdigest() != found[2]:
        raise Corrupt(f"{name}: its bytes are not what its name says")
    try:
        size = zstd.get_frame_info(data).decompressed_size or 0
        if not 0 < size <= LIMIT or zstd.get_frame_size(data) != len(data):
            raise Corrupt(f"{name}: no single frame of at most {LIMIT} bytes")
        index, _, body = zstd.decompress(data).partition(b"\n")
        sizes = msgspec.json.decode(index, type=list[tuple[int, int]])
    except (zstd.ZstdError, msgspec.DecodeError) as error:
        raise Corrupt(f"{name}: {type(error).__name__}") from None
    objects: dict[int, bytes] = {}
    at = 0
    for first, length in sizes:
        objects[first] = body[at : at + length]
        at += length
    return objects
