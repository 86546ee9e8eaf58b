"""`precedent trust`: a person lets a repository's `.precedent.json` have an effect on this machine."""

from __future__ import annotations

import os
import sys
from typing import Any

from precedent_client import escape, session, trust, worktree
from precedent_client.faults import Refused, Usage
from precedent_client.terminal import Terminal, fenced


def run(said: str | None, wanted: str | None, terminal: Terminal) -> int:
    """Show the file, and say of it what the person wants."""
    tree = worktree.find(os.curdir)
    if tree is None:
        raise Usage("This is no git repository: there is nothing to trust.")
    if said == "revoke":
        known = trust.revoke(tree.root)
        line = "It has no effect any more." if known else "Nothing had been said of it."
        terminal.answer({"standing": trust.NEW}, [line])
        return 0
    found = trust.offered(tree.root)
    if found is None:
        raise Usage(f"There is no {trust.FILE} at {escape.line(tree.root)}.")
    if found.problem:
        raise Refused(f"{trust.FILE} has no effect: {escape.line(found.problem)}.", "not-usable")
    if said == "dismiss":
        trust.say(tree.root, found, trust.DISMISSED)
    elif said is None:
        for line in _told(found):
            terminal.say(line)
        _a_person_wants_it(found, wanted)
        trust.say(tree.root, found, trust.TRUSTED)
    standing = trust.standing(tree.root, found)
    answer: dict[str, Any] = {
        "standing": standing, "hash": found.fingerprint, "project": found.project, "rules": found.rules
    }  # fmt: skip
    words = {
        trust.TRUSTED: "is trusted",
        trust.DISMISSED: "is dismissed",
        trust.NEW: "has no effect yet",
    }
    terminal.answer(answer, [*(_told(found) if said else []), f"{trust.FILE} {words[standing]}."])
    return 0


def _told(found: trust.Offered) -> list[str]:
    rules = escape.text(found.rules).split("\n") if found.rules else ["(no rules)"]
    return [
        f"project: {escape.line(found.project) or '(none: made from the git remote)'}",
        "rules:",
        *fenced(rules, f"this repository's {trust.FILE}"),
        f"hash: {found.fingerprint}",
    ]


def _a_person_wants_it(found: trust.Offered, wanted: str | None) -> None:
    """Raise unless a person says so: at the terminal, or by the hash of exactly these values."""
    if sys.stdin.isatty():
        sys.stderr.write("Trust these values on this machine? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
        raise Refused("Nothing was changed.", "not-trusted")
    if session.session_id() is not None:
        raise Usage(
            "An agent cannot trust what came with a clone: a person runs `precedent trust` in a terminal."
        )
    if wanted is None:
        raise Usage(
            f"There is no terminal to ask at. With these values read: --hash {found.fingerprint}"
        )
    if wanted != found.fingerprint:
        raise Refused("The hash is of other values: read them again.", "not-trusted")
