"""A turn of a session: how the work tree stood when it began, and whether it has been answered for.

sessions/<session>/turn       the snapshot, and the root it is of
                   answered   something was recorded, or said to need no record
                   asked      the agent was asked
"""

from __future__ import annotations

import os

from precedent_client import durable, fast_json, reader, snapshot
from precedent_client.snapshot import Snapshot


class Turn:
    """The present turn of a session."""

    __slots__ = ("_folder",)

    def __init__(self, session: str) -> None:
        self._folder = reader.folder_of(session)

    def begin(self, root: str) -> None:
        """A new turn begins with the work tree as it is. Raises OSError."""
        self.begin_with(root, snapshot.take(root, self.began(root)))

    def begin_with(self, root: str, now: Snapshot) -> None:
        """A new turn begins with a work tree that has been looked at. Raises OSError."""
        for name in ("answered", "asked"):
            durable.remove(self._file(name))
        turn = {"root": root, "began": now.as_json()}
        durable.put(self._file("turn"), _bytes(fast_json.dumps(turn)))

    def began(self, root: str) -> Snapshot | None:
        """How the work tree stood; None where nobody looked, or looked at another."""
        try:
            found = fast_json.loads(durable.read(self._file("turn"), 64 * 1024 * 1024) or b"")
            return Snapshot.from_json(found["began"]) if found["root"] == root else None
        except (ValueError, KeyError, TypeError):
            return None

    @property
    def answered(self) -> bool:
        return os.path.exists(self._file("answered"))

    @property
    def asked(self) -> bool:
        return os.path.exists(self._file("asked"))

    def answer(self, how: str) -> None:
        """Something was recorded, or need not be. Raises OSError."""
        durable.put(self._file("answered"), how.encode("utf-8", "replace"))

    def ask(self) -> None:
        """The agent is being asked. Raises OSError."""
        durable.mark(self._file("asked"))

    def _file(self, name: str) -> str:
        return os.path.join(self._folder, name)


def _bytes(text: str) -> bytes:
    return text.encode("ascii")
