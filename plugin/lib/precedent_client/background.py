"""Starting a command of ours that outlives this process."""

from __future__ import annotations

import os
import sys

from precedent_client import durable, own_command


def flush() -> None:
    """Send what waits in the spool, if anything does."""
    if durable.listed(durable.state("spool", "waiting"), ".json"):
        start(["spool", "flush"])


def start(words: list[str]) -> None:
    """Start `precedent` with these words, in silence, unless PRECEDENT_FLUSH is `off`.

    Whatever goes wrong is as good as not having started it: the next command or session does.
    """
    if os.environ.get("PRECEDENT_FLUSH") == "off":
        return
    if not hasattr(os, "posix_spawn"):
        _start_elsewhere(words)
        return
    silent = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    command = _command(words)
    try:
        # A session of its own: it must not end with the agent that started it.
        os.posix_spawn(command[0], command, os.environ, file_actions=silent, setsid=True)
    except NotImplementedError:  # a C library without it
        _start_elsewhere(words)
    except OSError:
        pass


def _start_elsewhere(words: list[str]) -> None:
    import subprocess

    detached = 0x00000008 if sys.platform == "win32" else 0  # DETACHED_PROCESS
    try:
        subprocess.Popen(
            _command(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=detached,
        )
    except OSError:
        pass


def _command(words: list[str]) -> list[str]:
    return [sys.executable, "-I", "-S", own_command.path(), *words]
