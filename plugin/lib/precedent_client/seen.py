"""The decisions this session has read in full, kept so that `record` can say so by itself.

An id enters only when the decision's full text was printed by `recall` or `show`, or the session recorded
it itself. What a 409 printed does not count: that one is answered by a verdict.

Kept under `$XDG_STATE_HOME/precedent/seen/<hash of url, project, session>/`, one file for each time
something was read. A file is written once and never changed, so two commands at once lose nothing.
Many small files are now and then put together into one; the old ones go only once it is on the disk.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable

from precedent_client.config import Config

LIMIT = 2000
"""As many ids as a request may name; the newest are kept."""
MANY_FILES = 64
OLD = 30 * 24 * 3600
"""Seconds after which a session nobody has used is forgotten."""

_ID = re.compile(r"d_[0-9a-f]{24}\Z")
_SUFFIX = ".seen"


def is_id(text: object) -> bool:
    """Whether it is written as a decision's id."""
    return isinstance(text, str) and bool(_ID.match(text))


class Seen:
    """The ids one session has read. Never raises OSError: without the disk it says so and goes on."""

    def __init__(self, config: Config, session: str) -> None:
        name = hashlib.sha256(f"{config.url}\x00{config.project}\x00{session}".encode()).hexdigest()
        self._root = os.path.join(_state_home(), "precedent", "seen")
        self._folder = os.path.join(self._root, name[:32])
        self.warning: str | None = None

    def ids(self) -> list[str]:
        """At most `LIMIT` ids, oldest first."""
        try:
            return self._read()[0][-LIMIT:]
        except OSError as error:
            self._warn("read", error)
            return []

    def add(self, ids: Iterable[str]) -> None:
        """Remember ids, durably, before returning."""
        known = set(self.ids())
        fresh = [found for found in dict.fromkeys(ids) if is_id(found) and found not in known]
        try:
            if not fresh:
                if known:
                    os.utime(self._folder)  # used: not to be forgotten
                return
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._write(_stamp(), fresh)
            self._gather()
            self._prune()
        except OSError as error:
            self._warn("kept", error)

    def _warn(self, what: str, error: OSError) -> None:
        self.warning = (
            f"What this session has read cannot be {what} ({error.strerror or error}); "
            "decisions in the way will be asked about again. Set XDG_STATE_HOME to a writable folder."
        )

    def _files(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self._folder) if name.endswith(_SUFFIX))
        except FileNotFoundError:
            return []

    def _read(self) -> tuple[list[str], list[str]]:
        """Every id, oldest first, and the files they came from.

        A file that vanished between listing and opening was put together with others by another
        command; the gathered file is there already, so the folder is listed again.
        """
        for _ in range(10):
            files = self._files()
            found: dict[str, bool] = {}
            try:
                for name in files:
                    with open(os.path.join(self._folder, name), encoding="ascii") as file:
                        for entry in file.read().split():
                            if is_id(entry):
                                found.pop(entry, None)
                                found[entry] = True
            except FileNotFoundError:
                continue
            except ValueError:
                raise OSError("a file there is damaged") from None
            return list(found), files
        raise OSError("the folder keeps changing")

    def _write(self, stamp: str, ids: list[str]) -> None:
        temporary = os.path.join(self._folder, f".{stamp}.{os.getpid()}.tmp")
        with open(temporary, "w", encoding="ascii") as file:
            file.write("\n".join(ids) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, os.path.join(self._folder, stamp + _SUFFIX))
        _sync_folder(self._folder)

    def _gather(self) -> None:
        if len(self._files()) <= MANY_FILES:
            return
        ids, files = self._read()
        # Named right after the newest file it holds: whatever is written from now on is newer.
        self._write(files[-1][: -len(_SUFFIX)] + "-" + _random(), ids[-LIMIT:])
        for name in files:
            try:
                os.unlink(os.path.join(self._folder, name))
            except FileNotFoundError:
                pass  # another command gathered the same files

    def _prune(self) -> None:
        import shutil

        oldest = time.time() - OLD
        with os.scandir(self._root) as folders:
            stale = [
                folder.path
                for folder in folders
                if folder.path != self._folder and folder.stat().st_mtime < oldest
            ]
        for path in stale:
            shutil.rmtree(path, ignore_errors=True)


def _state_home() -> str:
    stated = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification says to ignore a relative path.
    if stated and os.path.isabs(stated):
        return stated
    return os.path.join(os.path.expanduser("~"), ".local", "state")


def _stamp() -> str:
    return f"{time.time_ns():020d}-{_random()}"


def _random() -> str:
    return os.urandom(4).hex()


def _sync_folder(path: str) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return  # Windows cannot open a folder
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
