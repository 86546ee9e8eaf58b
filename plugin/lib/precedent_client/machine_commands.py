"""Which command about this machine does what."""

from __future__ import annotations

import argparse

from precedent_client import escape
from precedent_client.faults import Usage
from precedent_client.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Carry out one parsed command line; returns the exit code or raises a Fault."""
    if options.command == "none":
        return _none(options.reason, terminal)
    if options.command == "spool":
        from precedent_client import spool_commands

        return spool_commands.run(options.action, options.names, terminal)
    raise AssertionError(f"{options.command} has a parser and nothing that carries it out")


def _none(reason: str, terminal: Terminal) -> int:
    from precedent_client import sending

    if not reason.strip():
        raise Usage("--reason says why there is nothing to record: it cannot be empty.")
    sending.answer_for_turn(f"none: {reason.strip()}")
    terminal.answer({"none": reason.strip()}, [f"Nothing to record: {escape.line(reason)}"])
    return 0
