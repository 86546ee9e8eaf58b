"""Which command does what."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from precedent_client import __version__, machine_arguments
from precedent_client.faults import Usage
from precedent_client.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from precedent_client.recall import Area
    from precedent_client.seen import Seen
    from precedent_client.service import Service

    Command = Callable[[Service, Seen, Terminal], int]


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Carry out one parsed command line; returns the exit code or raises a Fault."""
    if options.command == "version":
        terminal.answer({"version": __version__}, [f"precedent {__version__}"])
        return 0
    if options.command == "export":
        from precedent_client import export

        return export.run(options, terminal)
    if options.command == "import":
        return _import(options, terminal)
    if options.command in machine_arguments.COMMANDS:
        from precedent_client import machine_commands

        return machine_commands.run(options, terminal)
    if options.command == "record" and options.dry_run:
        return _dry_run(options, terminal)
    return _with_service(options, terminal)


def _import(options: argparse.Namespace, terminal: Terminal) -> int:
    if options.format == "adr":
        from precedent_client import adr_import

        return adr_import.run(options, terminal)
    from precedent_client import import_anew

    return import_anew.run(options, terminal)


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

    command = _command(options)  # a mistake in it is told before anything else
    settings = config.read()
    if settings.warning:
        terminal.warn(settings.warning)
    seen = Seen(settings, session.key())
    try:
        return command(Service(settings), seen, terminal)
    finally:
        if seen.warning:
            terminal.warn(seen.warning)


def _command(options: argparse.Namespace) -> Command:
    """What is to be done, with everything checked that can be checked here. Raises Usage."""
    if options.command in ("record", "resolve", "withdraw", "alias"):
        return _recording(options)
    if options.command in ("used", "rejected", "contradicted"):
        return _feedback(options)
    if options.command in ("recall", "show"):
        return _recalling(options)
    if options.command == "search":
        from precedent_client import search

        asked = search.asked_from(options)
        return lambda service, _, terminal: search.search(service, asked, terminal)
    return _reading(options)


def _recording(options: argparse.Namespace) -> Command:
    if options.command == "record":
        from precedent_client import record

        request = record.request_from(options)
        if options.again:
            named = _decision_id(options.again)
            return lambda service, seen, terminal: record.again(
                service, named, request, seen, terminal
            )
        return lambda service, seen, terminal: record.record(service, request, seen, terminal)
    if options.command == "alias":
        from precedent_client import names, record

        alias = names.alias_request(options.former, options.current, options.reason)
        return lambda service, seen, terminal: record.record(service, alias, seen, terminal)
    if options.command == "withdraw":
        from precedent_client import withdraw

        named, reason = _decision_id(options.id), options.reason
        return lambda service, seen, terminal: withdraw.withdraw(
            service, named, reason, seen, terminal
        )
    from precedent_client import resolve

    resolve.check(options)
    return lambda service, seen, terminal: resolve.resolve(service, options, seen, terminal)


def _decision_id(text: str) -> str:
    from precedent_client import escape
    from precedent_client.seen import is_id

    if not is_id(text):
        raise Usage(f"{escape.line(text)} is no decision id: d_ and 24 hexadecimal digits.")
    return text


def _feedback(options: argparse.Namespace) -> Command:
    from precedent_client import feedback

    feedback.check(options.ids)
    return lambda service, _, terminal: feedback.say(
        service, options.command, options.ids, options.session, terminal
    )


def _recalling(options: argparse.Namespace) -> Command:
    from precedent_client import recall

    if options.command == "show":
        return lambda service, seen, terminal: recall.show(service, options.ids, seen, terminal)
    area = _area(options)
    if options.format == "text":
        budget = options.budget
        return lambda service, seen, terminal: recall.recall_text(
            service, area, budget, seen, terminal
        )
    if options.budget is not None:
        raise Usage("--budget is for --format text; the full form prints everything.")
    return lambda service, seen, terminal: recall.recall(service, area, seen, terminal)


def _area(options: argparse.Namespace) -> Area:
    from precedent_client import mutations, recall

    if options.word and options.format == "text":
        raise Usage("--word looks into this machine's copy, which has no --format text.")
    if not (options.element or options.path or options.word or options.q or options.task):
        raise Usage(
            "About what? Name an --element or a --path, or ask with --q.\nExamples: precedent recall --help"
        )
    task = {n: getattr(options, n) for n in ("q", "task", "branch") if getattr(options, n)}
    if options.explain:
        task["explain"] = True
    elements = [mutations.element(name, "--element") for name in options.element or ()]
    files: list[str] = []
    if options.path:
        from precedent_client import paths

        files = [paths.from_root(path) for path in options.path]
    words = list(dict.fromkeys(options.word or ()))
    if words and options.as_of:
        raise Usage("--word looks into this machine's copy, which knows only what is in force now.")
    elements, files = list(dict.fromkeys(elements)), list(dict.fromkeys(files))
    return recall.Area(elements, files, words, _as_of(options), task)


def _as_of(options: argparse.Namespace) -> str | None:
    from precedent_client import record

    return record.date(options.as_of, "--as-of") if options.as_of else None


def _reading(options: argparse.Namespace) -> Command:
    if options.command in ("element", "history", "timeline"):
        return _about_element(options)
    if options.command == "name":
        from precedent_client import mutations, names

        asked = mutations.element(options.name, "NAME")
        return lambda service, _, terminal: names.name(service, asked, terminal)
    if options.command == "elements":
        from precedent_client import reading

        return lambda service, _, terminal: reading.elements(service, options.kind, terminal)
    if options.command == "conflicts":
        from precedent_client import reading

        return lambda service, _, terminal: reading.conflicts(service, terminal)
    if options.command == "changes":
        from precedent_client import changes

        return lambda service, _, terminal: changes.changes(
            service, options.since, options.until, options.all, terminal
        )
    from precedent_client import status

    told = {"whoami": status.whoami, "digest": status.digest, "status": status.status}
    return lambda service, _, terminal: told[options.command](service, terminal)


def _about_element(options: argparse.Namespace) -> Command:
    from precedent_client import mutations, reading, timeline

    identity = mutations.element_id(options.element)
    if options.command == "element":
        as_of = _as_of(options)
        return lambda service, seen, terminal: reading.element(
            service, identity, as_of, seen, terminal
        )
    told = {"history": reading.history, "timeline": timeline.timeline}
    return lambda service, _, terminal: told[options.command](service, identity, terminal)
