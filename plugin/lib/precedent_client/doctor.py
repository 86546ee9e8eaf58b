"""`precedent doctor`: everything the client needs, tried in turn; what is wrong and how to mend it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Callable

from precedent_client import client_log, config, durable, escape, settings, trust, worktree
from precedent_client.faults import Fault, NotAllowed
from precedent_client.service import Service
from precedent_client.spool import Spool
from precedent_client.terminal import Terminal


@dataclass(frozen=True)
class Finding:
    """One thing that was tried. `code` is the exit code it deserves, 0 if all is well."""

    name: str
    said: str
    code: int = 0
    mend: str = ""

    def lines(self) -> list[str]:
        """It, for a person."""
        mark = "ok     " if self.code == 0 else "WRONG  "
        lines = [f"{mark}{self.name}: {self.said}"]
        return lines + [f"       → {line}" for line in self.mend.split("\n") if line]


def run(terminal: Terminal) -> int:
    """Try everything; the exit code of the first thing that is wrong."""
    found = [_python(), _git(), _state(), _settings(), *_service(), _spool(), _trust(), _log()]
    terminal.answer(
        {"findings": [vars(one) for one in found], "ok": not any(one.code for one in found)},
        [line for one in found for line in one.lines()],
    )
    return next((one.code for one in found if one.code), 0)


def _python() -> Finding:
    import shutil

    version = ".".join(map(str, sys.version_info[:3]))
    if shutil.which("python3") is None:
        return Finding(
            "python3", "is not on the PATH", 2, "The hooks are started as `python3`: install it."
        )
    return Finding("python3", version)


def _git() -> Finding:
    import shutil

    if shutil.which("git") is None:
        return Finding("git", "is not on the PATH", 2, "Without it no turn is asked for a record.")
    tree = worktree.find(os.curdir)
    return Finding("git", f"work tree {escape.line(tree.root)}" if tree else "not in a repository")


def _state() -> Finding:
    path = durable.state("doctor")
    try:
        durable.write(path, b"")
    except OSError as error:
        return Finding(
            "disk", f"{escape.line(durable.state())} cannot be written ({error.strerror})", 2,
            "Nothing can be kept here while the service is away. Free space, or set XDG_STATE_HOME.",
        )  # fmt: skip
    durable.remove(path)
    return Finding("disk", f"{escape.line(durable.state())} can be written")


def _settings() -> Finding:
    found = settings.find()
    try:
        checked = config.read()
    except Fault as fault:
        return _wrong("settings", fault)
    if checked.warning:
        return Finding("settings", checked.warning, 2, "Use https.")
    said = f"project {found.project} (from the {found.project_from}) at {escape.line(found.url)}"
    return Finding("settings", f"{said} (from the {found.url_from})")


def _service() -> list[Finding]:
    try:
        service = Service(config.read())
    except Fault:
        return []  # said already
    tried: list[tuple[str, Callable[[], str]]] = [
        ("service", lambda: str(service.get("/health").body.get("status", "answers"))),
        ("token", lambda: _who(service)),
        ("project", lambda: f"{len(service.get_of_project('/conflicts').body.get('conflicts', []))} open conflict(s)"),
    ]  # fmt: skip
    found: list[Finding] = []
    for name, attempt in tried:
        try:
            found.append(Finding(name, escape.line(attempt())))
        except Fault as fault:
            return [*found, _wrong(name, fault)]
    return found


def _who(service: Service) -> str:
    person = service.get("/whoami").body
    if person.get("role") == "reader":
        raise NotAllowed("This token may read only.\nAsk for one that may record.")
    return f"{person.get('writer', '?')} ({person.get('role', '?')})"


def _spool() -> Finding:
    spool = Spool()
    try:
        waiting, refused = len(spool.names()), len(spool.quarantined())
    except OSError as error:
        return Finding("spool", f"cannot be read ({error.strerror})", 2, "See the disk, above.")
    if refused:
        return Finding(
            "spool", f"{refused} record(s) were refused for good", 3, "precedent spool list"
        )
    if waiting:
        return Finding("spool", f"{waiting} record(s) wait to be sent", 5, "precedent spool retry")
    return Finding("spool", "the service has everything that was recorded here")


def _trust() -> Finding:
    tree = worktree.find(os.curdir)
    offered = trust.offered(tree.root) if tree else None
    if tree is None or offered is None:
        return Finding(trust.FILE, "there is none here")
    if offered.problem:
        return Finding(
            trust.FILE,
            f"has no effect: {escape.line(offered.problem)}",
            2,
            "Mend it, or remove it.",
        )
    standing = trust.standing(tree.root, offered)
    if standing == trust.NEW:
        return Finding(
            trust.FILE,
            "has no effect yet",
            2,
            "Read it, then: precedent trust, or precedent trust --dismiss",
        )
    return Finding(trust.FILE, standing)


def _log() -> Finding:
    raw = durable.read(client_log.path()) or b""
    lines = raw.decode("utf-8", "replace").splitlines()
    if not lines:
        return Finding("hooks", "no trouble was noted")
    return Finding("hooks", f"{len(lines)} trouble(s) noted in {escape.line(client_log.path())}, the last: "
                   f"{escape.line(lines[-1])}")  # fmt: skip


def _wrong(name: str, fault: Fault) -> Finding:
    said, _, mend = fault.message.partition("\n")
    return Finding(name, said, fault.exit_code, mend)
