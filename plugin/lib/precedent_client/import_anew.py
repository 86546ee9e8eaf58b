"""`precedent import jsonl|vault|log`: what is kept elsewhere, planned or recorded, and an account of it."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from precedent_client import adr_import, adr_send, escape, import_log, moving
from precedent_client.faults import Refused, Usage
from precedent_client.service import Service
from precedent_client.terminal import Terminal

Json = dict[str, Any]


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Carry out the command; 3 if something was refused, or unreadable under `--strict`."""
    if options.folder is None or options.apply is not None:
        raise Usage(f"Name what to import: precedent import {options.format} PATH.")
    service = adr_import.service_of(terminal)
    plan = _plan(options, service)
    unread = plan["unread"]
    if not plan["entries"] and unread:
        some = "\n".join(f"  {escape.line(one['file'])}: {one['reason']}" for one in unread[:30])
        raise Refused(f"None of it could be read:\n{some}", "unread")
    strict = 3 if options.strict and unread else 0
    if options.plan:
        sys.stdout.write(escape.json_text(plan) + "\n")
        sys.stdout.flush()
        terminal.say(f"{len(plan['entries'])} to record; nothing was recorded.")
        return strict
    return _send(service, plan, terminal) or strict


def _plan(options: argparse.Namespace, service: Service) -> Json:
    """`{"entries", "unread", "notes"}`, and what more a format has to say."""
    if options.format == "log":
        from precedent_client import import_former_log

        return import_former_log.plan(options.folder)
    if options.format == "vault":
        from precedent_client import import_vault

        return import_vault.plan(options.folder, options.rationale, service)
    told = import_log.read(options.folder, service)
    return {"entries": moving.plan(told), "unread": [], "notes": []}


def _send(service: Service, plan: Json, terminal: Terminal) -> int:
    entries = plan["entries"]

    def progress(done: int) -> None:
        if sys.stderr.isatty() and not terminal.json_wanted:
            terminal.say(f"{done} of {len(entries)}")

    outcome = moving.send(service, entries, progress)
    answer = _answer(entries, plan, outcome)
    terminal.answer(answer, adr_import.account(answer, service.config.project))
    if outcome.stopped is not None:
        if not terminal.json_wanted:
            terminal.say(f"precedent: {outcome.stopped.message}")
            terminal.say("Run the same command again to go on: nothing is recorded twice.")
        return outcome.stopped.exit_code
    if answer["counts"].get("refused"):
        return 3
    if "taken" in plan:
        from precedent_client import import_vault

        import_vault.remember(plan)
    return 0


def _answer(entries: list[Json], plan: Json, outcome: adr_send.Outcome) -> Json:
    counts = Counter(result["status"] for result in outcome.results)
    said = [f"{one['name']}: {warning}" for one in entries for warning in one["warnings"]]
    answer: Json = {
        "counts": dict(sorted(counts.items())),
        "results": outcome.results,
        "not_sent": len(entries) - len(outcome.results),
        "conflicts": outcome.conflicts,
        "warnings": [*said, *outcome.warnings],
        "unread": plan["unread"],
        "kept": plan.get("kept", []),
        "skipped": plan.get("skipped", []),
        "notes": plan["notes"],
    }
    if outcome.stopped is not None:
        answer["error"] = outcome.stopped.as_json()["error"]
    return answer
