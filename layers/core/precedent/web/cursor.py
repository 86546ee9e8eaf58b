"""Cursors as clients carry them: opaque, signed, and worth nothing on another route or project."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import zlib
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from precedent.consume import Scope
from precedent.errors import Invalid

T = TypeVar("T")

_MAC = 16
"""Bytes of the signature."""


@dataclass(frozen=True, slots=True)
class Cursors:
    """The cursors of one route of one project. `key` is the deployment's own and secret."""

    key: bytes
    route: str
    scope: Scope

    def dump(self, position: object | None) -> str | None:
        """A position as an opaque text; None for the end."""
        if position is None:
            return None
        # A point in the changes names every writer, and has to fit into a URL.
        data = zlib.compress(msgspec.json.encode(position), 9)
        return base64.urlsafe_b64encode(self._mac(data) + data).decode().rstrip("=")

    def load(self, text: str | None, kind: type[T]) -> T | None:
        """The position this service gave out here. Raises Invalid for anything else."""
        if text is None:
            return None
        try:
            signed = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
            mac, data = signed[:_MAC], signed[_MAC:]
            if hmac.compare_digest(mac, self._mac(data)):
                return msgspec.json.decode(zlib.decompress(data), type=kind)
        except (binascii.Error, zlib.error, ValueError):
            pass
        raise Invalid("/cursor", "is none this service gave out here; start over without it")

    def _mac(self, data: bytes) -> bytes:
        bound = f"{self.route}\0{self.scope.tenant}\0{self.scope.project}\0".encode()
        return hmac.new(self.key, bound + data, hashlib.sha256).digest()[:_MAC]
