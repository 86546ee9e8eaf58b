"""Transcripts in Markdown: blocks marked `console`, in which a line `name$ command` is what somebody runs.

A command that ends in a backslash goes on in the next line. What follows is its output; `…` stands for
whatever differs from run to run, and a line that is nothing else for any number of lines.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_PROMPT = re.compile(r"([a-z]*)\$ (.*)")
_VOLATILE = (
    re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z"),
    re.compile(r"(?<=\brecorded-)[0-9a-f]{12}\b"),
    re.compile(r"(?<=\brecalled-)[0-9a-f]{16}\b|\b[0-9a-f]{16}(?= marks)"),
    re.compile(r"(?<=commit )[0-9a-f]{40}\b"),
    re.compile(r"(?<= )\d{4}-\d\d-\d\d(?=\))"),
    re.compile(r"(?<=sha256sum:)[0-9a-f]{64}\b"),
    re.compile(r"(?<=http://127\.0\.0\.1:)\d+"),
)
"""Times, tags, commits, digests and ports. Ids of decisions and elements are hashes of what they say."""

_OVER = 60
"""Seconds a closed shell may take to end."""


@dataclass
class Step:
    """A command, who runs it, and what it is said to print. `line` is where the output begins."""

    who: str
    command: str
    expected: list[str] = field(default_factory=list)
    line: int = 0

    @property
    def shown(self) -> str:
        return f"{self.who}$ {self.command}"


def steps(markdown: str, heading: str = "") -> list[Step]:
    """The steps of all console blocks, or of those under one second-level heading."""
    found: list[Step] = []
    under, inside, going_on = "", False, False
    for number, line in enumerate(markdown.splitlines()):
        if line.startswith("```"):
            inside, going_on = line == "```console", False
        elif not inside:
            under = line[3:].strip() if line.startswith("## ") else under
        elif heading in ("", under):
            prompt = None if going_on else _PROMPT.fullmatch(line)
            if going_on:
                found[-1].command += "\n" + line
            elif prompt:
                found.append(Step(prompt[1], prompt[2]))
            else:
                found[-1].expected.append(line)
                continue
            found[-1].line = number + 1
            going_on = line.endswith("\\")
    return found


def agrees(expected: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether output is what a transcript says it is."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in expected
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def masked(line: str) -> str:
    """A line of output with `…` for what differs from run to run."""
    for volatile in _VOLATILE:
        line = volatile.sub("…", line)
    return line.rstrip()


class Shell:
    """One person's shell, which keeps its folder and variables from command to command."""

    _MARK = "\x1edone\x1e"

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._running = subprocess.Popen(
            ["/bin/sh"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            encoding="utf-8",
        )

    def run(self, command: str) -> list[str]:
        """What a command prints, on whichever stream, line by line."""
        assert self._running.stdin
        # The command must not read what the shell reads; and `echo $?` after it is to tell of it.
        self._running.stdin.write(
            f"{{ {command}\n}} </dev/null; demo_status=$?; printf '{self._MARK}\\n'; (exit $demo_status)\n"
        )
        self._running.stdin.flush()
        return list(self._printed())

    def _printed(self) -> Iterator[str]:
        assert self._running.stdout
        for line in self._running.stdout:
            text, mark, _ = line.rstrip("\n").partition(self._MARK)
            if text or not mark:
                yield text
            if mark:
                return
        raise EOFError("the shell has ended")

    def close(self) -> None:
        """End it, and whatever it runs."""
        assert self._running.stdin
        assert self._running.stdout
        self._running.stdin.close()
        self._running.wait(_OVER)
        self._running.stdout.close()
