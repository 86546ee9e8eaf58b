"""Which command about this machine does what."""

from __future__ import annotations

import argparse

from precedent_client import escape
from precedent_client.faults import Usage
from precedent_client.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Carry out one parsed command line; returns the exit code or raises a Fault."""
    return _COMMANDS[options.command](options, terminal)


def _spool(options: argparse.Namespace, terminal: Terminal) -> int:
    from precedent_client import spool_commands

    return spool_commands.run(options.action, options.names, options.mine, terminal)


def _trust(options: argparse.Namespace, terminal: Terminal) -> int:
    from precedent_client import trust_command

    return trust_command.run(options.said, options.hash, terminal)


def _doctor(options: argparse.Namespace, terminal: Terminal) -> int:  # noqa: ARG001
    from precedent_client import doctor

    return doctor.run(terminal)


def _login(options: argparse.Namespace, terminal: Terminal) -> int:
    from precedent_client import login

    if options.command == "login":
        return login.login(options.url, options.project, terminal)
    return login.logout(terminal) if options.command == "logout" else login.show(terminal)


def _pull(options: argparse.Namespace, terminal: Terminal) -> int:
    from precedent_client import config, pull
    from precedent_client.service import Service

    return pull.pull(Service(config.read()), terminal, options.quiet)


def _none(options: argparse.Namespace, terminal: Terminal) -> int:
    from precedent_client import sending

    reason = options.reason.strip()
    if not reason:
        raise Usage("--reason says why there is nothing to record: it cannot be empty.")
    sending.answer_for_turn(f"none: {reason}")
    terminal.answer({"none": reason}, [f"Nothing to record: {escape.line(reason)}"])
    return 0


_COMMANDS = {
    "none": _none,
    "spool": _spool,
    "trust": _trust,
    "doctor": _doctor,
    "login": _login,
    "logout": _login,
    "config": _login,
    "pull": _pull,
}
