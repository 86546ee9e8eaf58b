"""Asking git, bounded in time and size, without `subprocess`: that takes longer to load than git to answer."""

from __future__ import annotations

import os
import time

LIMIT = 8 * 1024 * 1024


def git(arguments: list[str], folder: str, seconds: float) -> bytes:
    """What git prints. Raises OSError if it fails, takes longer, or prints more than 8 MiB."""
    words = ["git", "--no-optional-locks", "-C", folder, *arguments]
    if not hasattr(os, "posix_spawnp"):
        return _elsewhere(words, seconds)
    read, write = os.pipe()
    quiet = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, write, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        child = os.posix_spawnp("git", words, environment, file_actions=quiet)
    except OSError:
        os.close(read)
        raise
    finally:
        os.close(write)
    try:
        printed = _all_of(read, time.monotonic() + seconds)
    except OSError:
        os.kill(child, 9)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(read)
    _, status = os.waitpid(child, 0)
    if status:
        raise OSError(f"git {arguments[0]} failed")
    return printed


def _all_of(handle: int, deadline: float) -> bytes:
    import select

    printed = b""
    while True:
        ready, _, _ = select.select([handle], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError("git takes too long")
        more = os.read(handle, 1 << 16)
        if not more:
            return printed
        printed += more
        if len(printed) > LIMIT:
            raise OSError("git prints too much")


def _elsewhere(words: list[str], seconds: float) -> bytes:
    import subprocess

    try:
        done = subprocess.run(
            words, capture_output=True, timeout=seconds, check=True, stdin=subprocess.DEVNULL
        )
    except subprocess.SubprocessError as error:
        raise OSError(f"git {words[4]} failed ({type(error).__name__})") from None
    return done.stdout[:LIMIT]
