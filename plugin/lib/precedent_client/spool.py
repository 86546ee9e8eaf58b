"""What is to be recorded, kept on this machine until the service has it.

    spool/waiting/<stamp>.json       one request, written once and never changed
    spool/quarantine/<stamp>.json    one the service will never take,
                     <stamp>.reason  why not, and
                     <stamp>.told    that somebody has been told

A request is on the disk before anybody is talked to, and leaves only when the service has answered. Whoever
is sending it holds a lock on its file, which goes with the process: after a `kill -9` the next one sends it,
under the same `key`, so it is written once. The token is not kept, only a hash of it: what one identity
recorded is not sent with the token of another.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from precedent_client import durable, locks

Json = dict[str, Any]
_REQUEST, _REASON, _TOLD = ".json", ".reason", ".told"
_LIMIT = 8 * 1024 * 1024
VERSION = 1


class Damaged(Exception):
    """A file of the spool that cannot be read as a request."""


@dataclass(frozen=True)
class Waiting:
    """One request of the spool, as it was when somebody recorded."""

    name: str
    url: str
    project: str
    kept_at: str
    request: Json
    login: str = ""
    """Whose it is, as `login_of` names them; empty where nobody said."""

    @property
    def titles(self) -> list[str]:
        """What it would record."""
        return [str(one.get("title", "(no title)")) for one in decisions_of(self.request)]


def decisions_of(request: Json) -> list[Json]:
    """The decisions of a request, of which there may be one or many."""
    found = request.get("decisions", [request.get("decision")])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def login_of(url: str, token: str) -> str:
    """A name for an identity at a service, from which its token cannot be had."""
    return durable.named("login", url, token)[:16] if token else ""


class Held:
    """A request of the spool in the hands of whoever sends it."""

    def __init__(self, path: str, handle: int) -> None:
        self.path = path
        self._handle = handle if locks.THERE_ARE else _closed(handle)

    @property
    def name(self) -> str:
        """What the spool calls it."""
        return _bare(os.path.basename(self.path))

    def done(self) -> None:
        """The service has answered: it need not be kept."""
        durable.remove(self.path)
        self.leave()

    def leave(self) -> None:
        """It stays, for the next one to send."""
        self._handle = _closed(self._handle)


class Spool:
    """The requests this machine still owes. Methods raise OSError where the disk does not do its part."""

    def __init__(self, root: str | None = None) -> None:
        self.root = root or durable.state("spool")
        self._waiting = os.path.join(self.root, "waiting")
        self._quarantine = os.path.join(self.root, "quarantine")

    def keep(self, url: str, project: str, request: Json, login: str = "") -> Held:
        """Put a request on the disk, in the caller's hands from the first moment anybody can see it."""
        import datetime as dt
        import json

        now = dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        line = {"v": VERSION, "url": url, "project": project, "kept_at": now, "login": login,
                "request": request}  # fmt: skip
        path = os.path.join(self._waiting, durable.stamp() + _REQUEST)
        handle, temporary = durable.opened(path)
        try:
            locks.taken(handle)
            durable.fill(handle, json.dumps(line).encode())
            handle = handle if locks.THERE_ARE else _closed(handle)
            durable.settle(temporary, path)
        except OSError:
            _closed(handle)
            durable.remove(temporary)
            raise
        return Held(path, handle)

    def names(self) -> list[str]:
        """What waits, oldest first."""
        return [_bare(name) for name in durable.listed(self._waiting, _REQUEST)]

    def quarantined(self) -> list[str]:
        """What was refused for good, oldest first."""
        return [_bare(name) for name in durable.listed(self._quarantine, _REQUEST)]

    def hold(self, name: str) -> Held | None:
        """Take a waiting request in hand; None if somebody else has it, or had it."""
        path = self._in(self._waiting, name)
        try:
            handle = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return None
        if locks.taken(handle) and _still(path, handle):
            return Held(path, handle)
        os.close(handle)
        return None

    def read(self, name: str) -> Waiting:
        """A request, waiting or quarantined. Raises Damaged, and FileNotFoundError."""
        try:
            return self._read(self._waiting, name)
        except FileNotFoundError:
            return self._read(self._quarantine, name)

    def set_aside(self, name: str, reason: Json) -> None:
        """Quarantine a request; the reason is there first."""
        import json

        durable.write(self._in(self._quarantine, name, _REASON), json.dumps(reason).encode())
        self._move(name, self._waiting, self._quarantine)

    def reason(self, name: str) -> Json:
        """Why a request was quarantined."""
        import json

        try:
            found = json.loads(durable.read(self._in(self._quarantine, name, _REASON)) or b"{}")
        except ValueError:
            found = {}
        return found if isinstance(found, dict) else {}

    def untold(self) -> list[str]:
        """The quarantined that nobody has been told of."""
        told = {_bare(name) for name in durable.listed(self._quarantine, _TOLD)}
        return [name for name in self.quarantined() if name not in told]

    def told(self, name: str) -> None:
        """Somebody has been told of it."""
        durable.write(self._in(self._quarantine, name, _TOLD), b"")

    def put_back(self, name: str) -> None:
        """Let a quarantined request be sent again."""
        self._move(name, self._quarantine, self._waiting)
        self._forget(name)

    def drop(self, name: str) -> None:
        """Remove a request for good. Raises FileNotFoundError where there is none."""
        for folder in (self._waiting, self._quarantine):
            try:
                os.unlink(self._in(folder, name))
            except FileNotFoundError:
                continue
            self._forget(name)
            return
        raise FileNotFoundError(name)

    def flushing(self) -> Held | None:
        """The right to be the one that flushes; None while another does."""
        path = os.path.join(self.root, "flushing")
        os.makedirs(self.root, mode=durable.PRIVATE, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if locks.taken(handle):
            return Held(path, handle)
        os.close(handle)
        return None

    def _read(self, folder: str, name: str) -> Waiting:
        import json

        with open(self._in(folder, name), "rb") as file:
            raw = file.read(_LIMIT)
        try:
            found = json.loads(raw)
            kept = Waiting(
                name, found["url"], found["project"], found["kept_at"], found["request"],
                found.get("login", ""),
            )  # fmt: skip
            texts = (kept.url, kept.project, kept.kept_at, kept.request["key"], kept.login)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Damaged(f"it cannot be read ({type(error).__name__})") from None
        if found.get("v") != VERSION or not all(isinstance(text, str) for text in texts):
            raise Damaged("it is not what this version of the client writes")
        return kept

    def _move(self, name: str, source: str, target: str) -> None:
        os.makedirs(target, mode=durable.PRIVATE, exist_ok=True)
        os.replace(self._in(source, name), self._in(target, name))
        durable.sync_folder(target)
        durable.sync_folder(source)

    def _forget(self, name: str) -> None:
        for suffix in (_REASON, _TOLD):
            durable.remove(self._in(self._quarantine, name, suffix))

    @staticmethod
    def _in(folder: str, name: str, suffix: str = _REQUEST) -> str:
        return os.path.join(folder, os.path.basename(name) + suffix)


def _closed(handle: int) -> int:
    """Close a handle that may be closed already; what stands for a closed one."""
    if handle >= 0:
        os.close(handle)
    return -1


def _bare(name: str) -> str:
    return name.rpartition(".")[0]


def _still(path: str, handle: int) -> bool:
    """Whether the name still means the file in hand: it may have been sent since it was opened."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except FileNotFoundError:
        return False
