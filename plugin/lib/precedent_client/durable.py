"""Files that are there whole or not at all, and where this machine keeps them.

Hooks import this module, so it imports next to nothing: not even `hashlib`, which takes a third as long to
load as the interpreter takes to start.
"""

from __future__ import annotations

import os
import sys
import time

PRIVATE = 0o700
FORGOTTEN = 30 * 24 * 3600
"""Seconds after which what nobody has used is removed."""


def home(variable: str, *fallback: str) -> str:
    """A folder of the XDG base directories; a relative one is ignored, as the specification says."""
    stated = os.environ.get(variable, "")
    if stated and os.path.isabs(stated):
        return os.path.join(stated, "precedent")
    return os.path.join(os.path.expanduser("~"), *fallback, "precedent")


def state(*parts: str) -> str:
    """A path below the folder of what this machine remembers."""
    return os.path.join(home("XDG_STATE_HOME", ".local", "state"), *parts)


def settings(*parts: str) -> str:
    """A path below the folder of what a person has set."""
    return os.path.join(home("XDG_CONFIG_HOME", ".config"), *parts)


def named(*parts: str) -> str:
    """A file name for any texts: the same for the same, another for others."""
    return fingerprint("\0".join(parts).encode("utf-8", "surrogatepass"))[:32]


def fingerprint(data: bytes) -> str:
    """A hash of bytes, for comparing them on this machine."""
    try:
        from _blake2 import blake2b
    except ImportError:  # an interpreter with other hashes
        from hashlib import blake2b
    return str(blake2b(data, digest_size=32).hexdigest())


def stamp() -> str:
    """A name that sorts by when it was made and is never made twice."""
    return f"{time.time_ns():020d}-{os.urandom(4).hex()}"


def write(path: str, data: bytes) -> None:
    """Put a file in place whole, on the disk before this returns. Raises OSError, then nothing changed."""
    handle, temporary = opened(path)
    try:
        fill(handle, data)
    except OSError:
        os.close(handle)
        remove(temporary)
        raise
    os.close(handle)
    settle(temporary, path)


def put(path: str, data: bytes) -> None:
    """Put a file in place whole; after a power cut it may be gone, as a copy may. Raises OSError."""
    handle, temporary = opened(path)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]
        finally:
            os.close(handle)  # first: Windows renames no file that is open
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        raise


def opened(path: str) -> tuple[int, str]:
    """A fresh file beside `path` that only this person can read: its handle and its name."""
    folder, name = os.path.split(path)
    os.makedirs(folder, mode=PRIVATE, exist_ok=True)
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(temporary, flags, 0o600), temporary


def fill(handle: int, data: bytes) -> None:
    """Write all of it, on the disk before this returns."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.fsync(handle)


def settle(temporary: str, path: str) -> None:
    """Give a filled file its name, on the disk before this returns."""
    try:
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        raise
    sync_folder(os.path.dirname(path))


def mark(path: str) -> None:
    """Leave an empty file, or touch it. Raises OSError."""
    os.makedirs(os.path.dirname(path), mode=PRIVATE, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(path)


def read(path: str, limit: int = 4 * 1024 * 1024) -> bytes | None:
    """At most `limit` bytes of a file, None where there is none to read."""
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError:
        return None


def regular(path: str, limit: int) -> tuple[bytes, int] | None:
    """At most `limit` bytes of a regular file, and its size; None for anything else.

    For files that somebody else has put there: reading a pipe or a terminal would wait for ever, and a link
    may lead to one.
    """
    flags = ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY")  # not all of them on every system
    try:
        handle = os.open(path, os.O_RDONLY | sum(getattr(os, flag, 0) for flag in flags))
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if found.st_mode & 0o170000 != 0o100000:  # `stat` is not loaded for this
            return None
        content = b""
        while len(content) < limit:
            more = os.read(handle, limit - len(content))
            if not more:
                break
            content += more
        return content, found.st_size
    except OSError:
        return None
    finally:
        os.close(handle)


def remove(path: str) -> None:
    """Remove a file; that it is gone already is as good."""
    try:
        os.unlink(path)
    except OSError:
        pass


def listed(folder: str, suffix: str) -> list[str]:
    """The names in a folder that end so, sorted; none where there is no folder."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return sorted(name for name in names if name.endswith(suffix) and name[0] != ".")


def sync_folder(path: str) -> None:
    """Make names given in a folder last."""
    if sys.platform == "win32":
        return  # Windows cannot open a folder
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def prune(folder: str, age: float = FORGOTTEN) -> None:
    """Remove what lies in a folder and was not touched for `age` seconds."""
    oldest = time.time() - age
    stale = []
    try:
        with os.scandir(folder) as entries:
            stale = [entry for entry in entries if entry.stat().st_mtime < oldest]
    except OSError:
        pass
    for entry in stale:
        if entry.is_dir():
            import shutil

            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            remove(entry.path)
