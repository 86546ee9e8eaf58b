"""`precedent import adr`: read, show or record, and an account in which nothing is missing."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from precedent_client import adr_plan, escape, render
from precedent_client.adr_plan import Json
from precedent_client.faults import Fault, Refused, Usage
from precedent_client.terminal import Terminal

if TYPE_CHECKING:
    from precedent_client.service import Service

NAMED = 30
"""Names of one kind printed as text; `--json` names all."""


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Carry out the command; 3 if something was refused, or unreadable under `--strict`."""
    if (options.folder is None) == (options.apply is None):
        raise Usage("Name the folder the records are in, or a plan with --apply FILE; not both.")
    if options.apply is not None:
        from precedent_client import adr_apply

        if options.plan:
            raise Usage("--plan makes a plan and --apply records one: give one of them.")
        plan = adr_apply.load(options.apply)
        entries = adr_apply.entries_of(plan)
    else:
        plan = adr_plan.make(options.folder, options.repository)
        entries = plan["entries"]
    unread = _list(plan, "unread")
    if not entries:
        raise Refused("\n".join(["None of the files could be read:", *_files(unread)]), "unread")
    strict = 3 if options.strict and unread else 0
    if options.plan:
        if _is_configured():
            from precedent_client import adr_former

            adr_former.look_up(service_of(terminal), plan)
        sys.stdout.write(escape.json_text(plan) + "\n")
        sys.stdout.flush()
        for line in _account_of_plan(plan):
            terminal.say(line)
        return strict
    return _send(entries, plan, options.folder, terminal) or strict


def _is_configured() -> bool:
    """Whether there is a service to compare a plan with; without one a plan is of the files alone."""
    from precedent_client import config

    try:
        config.read()
    except Usage as fault:
        if fault.name != "not-configured":
            raise
        return False
    return True


def service_of(terminal: Terminal) -> Service:
    from precedent_client import config
    from precedent_client.service import Service

    settings = config.read()
    if settings.warning:
        terminal.warn(settings.warning)
    return Service(settings)


def _send(entries: list[Json], plan: Json, folder: str | None, terminal: Terminal) -> int:
    from precedent_client import adr_former, adr_send

    service = service_of(terminal)
    outcome = adr_send.Outcome()
    if folder is not None:  # and not somebody's edited plan, which is taken as it is
        try:
            adr_former.look_up(service, plan)
            entries = plan["entries"]
        except Fault as fault:
            outcome.stopped = fault
    total = len(entries)

    def progress(done: int) -> None:
        if sys.stderr.isatty() and not terminal.json_wanted:
            terminal.say(f"{done} of {total}")

    if outcome.stopped is None:
        outcome = adr_send.send(service, entries, folder, progress)
    counts = dict(sorted(Counter(result["status"] for result in outcome.results).items()))
    answer: Json = {
        "counts": counts,
        "results": outcome.results,
        "not_sent": total - len(outcome.results),
        "conflicts": outcome.conflicts,
        "warnings": outcome.warnings + _warnings(entries),
        "unread": _list(plan, "unread"),
        "kept": _list(plan, "kept"),
        "skipped": _list(plan, "skipped"),
        "notes": _list(plan, "notes"),
    }
    if outcome.stopped is not None:
        answer["error"] = outcome.stopped.as_json()["error"]
    terminal.answer(answer, account(answer, service.config.project))
    if outcome.stopped is not None:
        if not terminal.json_wanted:
            terminal.say(f"precedent: {outcome.stopped.message}")
            terminal.say("Run the same command again to go on: nothing is recorded twice.")
        return outcome.stopped.exit_code
    return 3 if counts.get("refused") else 0


def account(answer: Json, project: str) -> list[str]:
    words = {
        "recorded": "recorded",
        "already_in_force": "already in force, nothing written",
        "already_superseded": "recorded before and superseded since, nothing written",
        "already_recorded": "recorded before, nothing written",
        "refused": "REFUSED",
    }
    lines = [f"Into project {project}:"]
    for status, count in answer["counts"].items():
        lines.append(f"  {count} {words.get(status, escape.line(status))}")
    if answer["not_sent"]:
        lines.append(f"  {answer['not_sent']} NOT SENT, or not known to have arrived")
    refused = [result for result in answer["results"] if result["status"] == "refused"]
    lines += [f"  {escape.line(one['name'])}: {one['reason']}" for one in refused]
    if answer["conflicts"]:
        lines.append(f"{render.count(len(answer['conflicts']), 'conflict')}, both sides standing:")
        lines += [f"  {escape.value(conflict)}" for conflict in answer["conflicts"]]
    return lines + _account_of_files(answer)


def _account_of_plan(plan: Json) -> list[str]:
    counts = plan["counts"]
    outcomes = ", ".join(f"{count} {name}" for name, count in counts["outcomes"].items())
    if "known" in counts:
        new = counts["decisions"] - counts["known"] - counts["edited"]
        compared = (
            f"Compared with the service: {new} new, {counts['edited']} changed since they were "
            f"imported, {counts['known']} recorded already."
        )
    else:
        compared = "Not compared with a service: none is configured."
    return [
        (
            f"{counts['decisions']} decisions ({outcomes}), with "
            f"{counts['rejected_alternatives']} rejected alternatives; {counts['superseded']} superseded."
        ),
        compared,
        *_account_of_files({**plan, "warnings": _warnings(plan["entries"])}),
        "Nothing was recorded. To record it: precedent import adr --apply FILE",
    ]


def _account_of_files(found: Json) -> list[str]:
    lines = []
    for name, words in (
        ("unread", "could not be read"),
        ("kept", "left as recorded before"),
        ("skipped", "skipped"),
    ):
        if found.get(name):
            lines.append(f"{render.count(len(found[name]), 'file')} {words}:")
            lines += _files(found[name])
    for name, words in (("notes", "about the set:"), ("warnings", "to know about single records:")):
        if found[name]:
            lines.append(f"{len(found[name])} {words}")
            lines += _some([f"  {escape.line(text)}" for text in found[name]])
    return lines


def _files(named: list[Any]) -> list[str]:
    return _some(
        [f"  {escape.line(one.get('file'))}: {escape.line(one.get('reason'))}" for one in named]
    )


def _some(lines: list[str]) -> list[str]:
    if len(lines) <= NAMED:
        return lines
    return [*lines[:NAMED], f"  and {len(lines) - NAMED} more; --json names all"]


def _warnings(entries: list[Json]) -> list[str]:
    return [
        f"{entry['name']}: {warning}"
        for entry in entries
        for warning in (_list(entry, "warnings"))
        if isinstance(warning, str)
    ]


def _list(found: Json, name: str) -> list[Any]:
    """A plan that came back may have lost what is only told."""
    got = found.get(name)
    if name in ("unread", "skipped", "kept"):
        return [one for one in got if isinstance(one, dict)] if isinstance(got, list) else []
    return got if isinstance(got, list) else []
