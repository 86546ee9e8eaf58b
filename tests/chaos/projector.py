"""A projector that never rests: `python -m tests.chaos.projector`, with the environment of a function."""

from __future__ import annotations

import time
from contextlib import suppress

from precedent.aws.wiring import log_of, pointers_of, scopes
from precedent.pointer import follow
from precedent.ports import StoreError

REST = 0.5
"""Seconds between two rounds, so that one machine has room for the writers too."""


def main() -> None:
    """Follow every writer of every project, over and over, until somebody kills it."""
    while True:
        with suppress(StoreError):
            for scope in scopes():
                for writer in log_of(scope).writers():
                    with suppress(StoreError):
                        follow(scope, log_of(scope), pointers_of(scope), writer)
        time.sleep(REST)


if __name__ == "__main__":
    main()
