"""The command: arguments in, exit code out, and never a traceback."""

from __future__ import annotations

import os
import sys
from typing import Any

from precedent_client.faults import Fault

INTERRUPTED = 130
BUG = 1


def main(arguments: list[str] | None = None) -> int:
    """Run one command."""
    words = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        # Text is escaped by us; what a terminal's encoding cannot hold must not end the command.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence()
        return 0
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else BUG
    except OSError as error:
        return _told(f"{error.strerror or error}", BUG)
    except Exception as error:  # noqa: BLE001  the last fence: a person gets a sentence, whatever happened
        return _told(
            f"this is a bug in the client ({type(error).__name__}: {_clean(error)}).\n"
            "Please report it with the command you ran.",
            BUG,
        )


def _run(words: list[str]) -> int:
    from precedent_client import arguments, commands
    from precedent_client.terminal import Terminal

    # Known before anything is parsed, so that a mistake in the arguments is told in JSON too.
    terminal = Terminal("--json" in words)
    try:
        return commands.run(arguments.parse(words), terminal)
    except Fault as fault:
        shown: Any = fault.as_json()
        if terminal.json_wanted:
            terminal.answer(shown, [])
        else:
            terminal.say(f"precedent: {fault.message}")
        return fault.exit_code


def _clean(error: Exception) -> str:
    from precedent_client import escape

    return escape.line(error)


def _told(message: str, code: int) -> int:
    try:
        sys.stderr.write(f"precedent: {message}\n")
    except OSError:
        pass
    return code


def _silence() -> None:
    """Whoever read our output has stopped; keep the interpreter from complaining as it exits."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass
