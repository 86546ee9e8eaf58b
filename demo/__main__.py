"""`python -m demo [RECORDS …]`: play the transcript of README.md, then import more records if there are any.

`--update` writes what was printed back into README.md.
"""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from demo import console
from demo.console import Shell, Step
from demo.stage import OPERATOR, stage
from local import say
from local.home import REPOSITORY

README = REPOSITORY / "README.md"
HEADING = "Two minutes"
BESIDE = REPOSITORY.parent / "shared" / "data"
"""Where sets of real teams' records are looked for."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument(
        "records", nargs="*", type=Path, help="folders of records to import as well"
    )
    parser.add_argument("--update", action="store_true", help="write the outputs into README.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing stays behind
    try:
        with stage() as shells:
            perform(shells, options.records, updating=options.update)
    except say.Trouble as error:
        say.trouble(error)
        sys.exit(1)


def perform(shells: dict[str, Shell], records: Sequence[Path], *, updating: bool) -> None:
    """The transcript, and then what is no part of it: sets of records that are not everywhere."""
    steps = console.steps(README.read_text(encoding="utf-8"), HEADING)
    printed = [(step, play(shells, step)) for step in steps]
    if updating:
        update(printed)
        return
    for folder in records or sorted(BESIDE.glob("adr-*")):
        import_records(shells, folder.resolve())


def play(shells: dict[str, Shell], step: Step) -> list[str]:
    """Run one step before the public; returns its output."""
    print(f"\n{step.shown}", flush=True)
    printed = shells[step.who or OPERATOR].run(step.command)
    for line in printed:
        print(line, flush=True)
    return printed


def import_records(shells: dict[str, Shell], folder: Path) -> None:
    """Import a set by one person, and recall by another the last that superseded something."""
    where = shlex.quote(str(folder))
    play(shells, Step("alice", f"precedent import adr {where}"))
    plan = json.loads(
        "\n".join(shells["alice"].run(f"precedent import adr {where} --plan 2>/dev/null"))
    )
    entries = [entry["decision"] for entry in plan["entries"] if entry["standing"] == "adopted"]
    telling = [one for one in entries if one.get("supersedes")] or entries
    if telling:
        element = shlex.quote(f"topic:{telling[-1]['mutations'][0]['name']}")
        play(shells, Step("bob", f"precedent recall --element {element}"))


def update(printed: list[tuple[Step, list[str]]]) -> None:
    """Put the outputs into README.md, with `…` for what differs from run to run."""
    lines = README.read_text(encoding="utf-8").splitlines()
    for step, output in reversed(printed):
        end = step.line + len(step.expected)
        if not console.agrees(step.expected, output):
            lines[step.line : end] = [console.masked(line) for line in output]
    README.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
