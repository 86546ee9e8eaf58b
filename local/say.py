"""What the launcher prints: progress on standard error, so that `--json` has standard output to itself."""

from __future__ import annotations

import os
import sys


class Trouble(Exception):
    """Something the person at the terminal has to know. `str()` says what; `way_out` what to do."""

    def __init__(self, what: str, way_out: str) -> None:
        super().__init__(what)
        self.way_out = way_out


def step(text: str) -> None:
    """One line of progress."""
    print(_dim("· ") + text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Something went on, but not as asked."""
    print(_paint("33", "! ") + text, file=sys.stderr, flush=True)


def trouble(error: Trouble) -> None:
    """Why it ended here, and the way out."""
    print(_paint("31", "✗ ") + str(error), file=sys.stderr)
    print("  " + error.way_out, file=sys.stderr, flush=True)


def _dim(text: str) -> str:
    return _paint("2", text)


def _paint(code: str, text: str) -> str:
    if os.environ.get("NO_COLOR") or not sys.stderr.isatty():
        return text
    return f"\033[{code}m{text}\033[0m"
