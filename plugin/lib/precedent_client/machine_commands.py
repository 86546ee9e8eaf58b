"""Which command about this machine does what."""

from __future__ import annotations

import argparse

from precedent_client.terminal import Terminal

NAMES = ("spool",)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Carry out one parsed command line; returns the exit code or raises a Fault."""
    from precedent_client import spool_commands

    return spool_commands.run(options.action, options.names, terminal)
