"""Which command does what."""

from __future__ import annotations

import argparse

from precedent_client import __version__
from precedent_client.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Carry out one parsed command line; returns the exit code or raises a Fault."""
    if options.command == "version":
        terminal.answer({"version": __version__}, [f"precedent {__version__}"])
        return 0
    if options.command == "import":
        from precedent_client import adr_import

        return adr_import.run(options, terminal)
    if options.command == "record" and options.dry_run:
        return _dry_run(options, terminal)
    return _with_service(options, terminal)


def _dry_run(options: argparse.Namespace, terminal: Terminal) -> int:
    from precedent_client import escape, record, repository

    request = record.request_from(options)
    here = repository.circumstances()
    if here:
        request.setdefault("circumstances", here)
    terminal.answer(request, [escape.json_text(request)])
    terminal.say("Not sent: this was a dry run, and nothing was recorded.")
    return 0


def _with_service(options: argparse.Namespace, terminal: Terminal) -> int:
    from precedent_client import config, session
    from precedent_client.seen import Seen
    from precedent_client.service import Service

    if options.command == "record":
        from precedent_client import record

        request = record.request_from(options)  # a mistake in it is told before anything else
    if options.command == "recall":
        from precedent_client.mutations import element

        elements = list(dict.fromkeys(element(name, "--element") for name in options.element))
    settings = config.read()
    if settings.warning:
        terminal.warn(settings.warning)
    service = Service(settings)
    if options.command == "whoami":
        return _whoami(service, terminal)
    if options.command == "digest":
        return _digest(service, terminal)
    seen = Seen(settings, session.key())
    try:
        if options.command == "record":
            return record.record(service, request, seen, terminal)
        from precedent_client import recall

        if options.command == "recall":
            return recall.recall(service, elements, seen, terminal)
        return recall.show(service, options.ids, seen, terminal)
    finally:
        if seen.warning:
            terminal.warn(seen.warning)


def _whoami(service: object, terminal: Terminal) -> int:
    from precedent_client import escape
    from precedent_client.service import Service

    assert isinstance(service, Service)
    found = service.get("/whoami").body
    writer, role, tenant = (
        escape.line(found.get(name, "?")) for name in ("writer", "role", "tenant")
    )
    terminal.answer(
        found,
        [
            f"{writer} ({role}) of {tenant}",
            f"project {service.config.project} at {escape.line(service.config.url)}",
        ],
    )
    return 0


def _digest(service: object, terminal: Terminal) -> int:
    from precedent_client import escape
    from precedent_client.service import Service

    assert isinstance(service, Service)
    found = service.get_of_project("/digest").body
    counts = ", ".join(
        f"{escape.line(found[name])} {name}" for name in ("entries", "elements") if name in found
    )
    terminal.answer(found, [escape.line(found.get("digest", "?")), *([counts] if counts else [])])
    return 0
