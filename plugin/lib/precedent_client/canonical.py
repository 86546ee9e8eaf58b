"""Canonical JSON and the ids computed from it; the same bytes the service computes.

RFC 8785 sorts keys by UTF-16 and writes numbers as JavaScript does. The schema forbids floats, integers
past 2^53-1 and, in practice, keys outside ASCII, and for what is left `json.dumps` emits the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import time
import unicodedata
from typing import Any

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def dumps(value: Any) -> bytes:
    """Canonical bytes. Raises ValueError for what has none (NaN, a lone surrogate)."""
    if not _sorts_alike(value):
        # Beyond the basic plane UTF-16 order and code point order differ; property keys may go there.
        value = _sorted_as_utf16(value)
        return _write(value, sort=False)
    return _write(value, sort=True)


def _write(value: Any, sort: bool) -> bytes:
    written = json.dumps(
        value, sort_keys=sort, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return written.encode("utf-8")


def _sorts_alike(value: Any) -> bool:
    if isinstance(value, dict):
        return all(key.isascii() and _sorts_alike(item) for key, item in value.items())
    if isinstance(value, list):
        return all(_sorts_alike(item) for item in value)
    return True


def _sorted_as_utf16(value: Any) -> Any:
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return {key: _sorted_as_utf16(value[key]) for key in keys}
    if isinstance(value, list):
        return [_sorted_as_utf16(item) for item in value]
    return value


def decision_id(decision: Any) -> str:
    """`d_` + 24 hex of the sha256 of the decision's canonical JSON."""
    return "d_" + hashlib.sha256(dumps(decision)).hexdigest()[:24]


def normalised(name: str) -> str:
    """NFKC, casefold, trim, collapse white space: the form two spellings of one name share."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def element_id(kind: str, name: str) -> str:
    """`el_` + 20 hex of sha256(norm(kind) NUL norm(name))."""
    preimage = f"{normalised(kind)}\0{normalised(name)}".encode()
    return "el_" + hashlib.sha256(preimage).hexdigest()[:20]


def fresh_key() -> str:
    """A ULID: 48 bits of milliseconds, 80 random bits. A retry sends the same one again."""
    import secrets

    number = (int(time.time() * 1000) & (2**48 - 1)) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))
