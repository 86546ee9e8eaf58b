"""`precedent export`: the project onto this machine, whole or not at all."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from precedent_client import config, durable, escape, export_folder, log_file
from precedent_client.faults import Refused, Usage
from precedent_client.log_file import Exported
from precedent_client.log_state import State
from precedent_client.service import Service
from precedent_client.terminal import Terminal

Json = dict[str, Any]
STDOUT = (None, "-")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Carry out the command; 3 if a file or a folder is in the way."""
    folder = options.adr if options.adr is not None else options.vault
    if [options.file, options.adr, options.vault].count(None) < 2:
        raise Usage("One FILE, or --adr DIR, or --vault DIR: give one of them.")
    to_stdout = folder is None and options.file in STDOUT
    if to_stdout and terminal.json_wanted:
        raise Usage("With --json, name the FILE: the log would stand amid the answer.")
    if folder is not None:
        export_folder.check(folder, options.force)  # before anything is fetched
    settings = config.read()
    if settings.warning:
        terminal.warn(settings.warning)
    found = log_file.fetch(Service(settings), _progress(terminal))
    state = found.state()
    for one in found.unreadable:
        place, reason = f"{one.get('writer')}/{one.get('seq')}", escape.line(one.get("reason"))
        terminal.warn(f"{escape.line(place)} of the log cannot be read and is not in it: {reason}")
    if to_stdout:
        sys.stdout.flush()
        sys.stdout.buffer.write(found.text(state.digest))
        sys.stdout.buffer.flush()
        return 0
    if folder is not None:
        path = _folder(options, folder, found, state)
    else:
        path = _file(options.file, found.text(state.digest), options.force)
    answer: Json = {
        "project": found.project,
        "path": path,
        "entries": len(state.entries),
        "digest": state.digest,
        "unreadable": found.unreadable,
    }
    where = f"Project {escape.line(found.project)} is in {escape.line(path)}"
    entries = "1 entry" if len(state.entries) == 1 else f"{len(state.entries)} entries"
    terminal.answer(answer, [f"{where}, with {entries}", state.digest])
    return 0


def _progress(terminal: Terminal) -> Any:
    def progress(lines: int) -> None:
        if sys.stderr.isatty() and not terminal.json_wanted:
            terminal.say(f"{lines} lines")

    return progress


def _file(name: str, raw: bytes, force: bool) -> str:
    """Put the log in place whole. Raises Refused where another file would be replaced."""
    path = os.path.abspath(name)
    if os.path.lexists(path) and not force and not _is_earlier(path):
        raise Refused(
            f"{escape.line(name)} is there and no earlier export. Name another file, or add --force.",
            "in-the-way",
        )
    durable.write(path, raw)
    return path


def _is_earlier(path: str) -> bool:
    head = durable.read(path, 64) if os.path.isfile(path) else None
    return head is not None and head.startswith(f'{{"format":"{log_file.FORMAT}"'.encode())


def _folder(options: argparse.Namespace, folder: str, found: Exported, state: State) -> str:
    """Put records or notes in place; returns their folder."""
    what = "vault" if options.adr is None else "adr"
    if what == "vault":
        from precedent_client import export_vault

        files = export_vault.files(state, found.text(state.digest))
    else:
        from precedent_client import export_adr

        files = export_adr.files(state)
    whose = {"format": f"precedent-{what}/1", "tenant": found.tenant, "project": found.project}
    export_folder.write(folder, whose, files, options.force)
    return os.path.abspath(folder)
