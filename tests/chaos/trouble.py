"""What is killed meanwhile: the local AWS, the workers of its functions, projectors, rebuilds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from local import process, say, up
from local.deploy import Deployed
from local.home import REPOSITORY, TENANT, Home, read_exports

PROJECTORS = 2
UP_ATTEMPTS = 5
"""A table that throttles may spoil an `up`; it says so, and is run again as it asks for."""

PAUSE = (2.0, 6.0)
"""Seconds between two misfortunes."""


@dataclass
class Trouble:
    """Kills at random, and starts again what it killed; `done` counts."""

    home: Home
    deployed: Deployed
    project: str
    dice: random.Random
    done: Counter[str] = field(default_factory=Counter)
    projectors: list[subprocess.Popen[bytes]] = field(default_factory=list)
    rebuilds: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def make(self) -> None:
        """One misfortune, after a pause."""
        time.sleep(self.dice.uniform(*PAUSE))
        while len(self.projectors) < PROJECTORS:
            self.projectors.append(started(("tests.chaos.projector",), self.home, self._names()))
        misfortunes = (self._server, self._worker, self._projector, self._rebuild)
        self.dice.choices(misfortunes, weights=(2, 3, 3, 4))[0]()

    def end(self) -> None:
        """Kill what is left of what was started here."""
        for running in [*self.projectors, *self.rebuilds]:
            _kill(running)

    def _server(self) -> None:
        pid = process.running(self.home)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
            self.done["the local AWS"] += 1
        call_up(self.home)

    def _worker(self) -> None:
        """Whichever function it runs: append, projector, authorizer, sweep."""
        workers = sorted(process.workers_of(self.home))
        if workers:
            with suppress(ProcessLookupError):
                os.kill(self.dice.choice(workers), signal.SIGKILL)
            self.done["a function's worker"] += 1

    def _projector(self) -> None:
        _kill(self.projectors.pop(self.dice.randrange(len(self.projectors))))
        self.done["a projector"] += 1

    def _rebuild(self) -> None:
        """Begin one, or kill one that runs; now and then one comes to its end, or two run at once."""
        running = [rebuild for rebuild in self.rebuilds if rebuild.poll() is None]
        if running and self.dice.random() < 0.6:
            _kill(self.dice.choice(running))
            self.done["a rebuild"] += 1
            return
        command = ["admin", "rebuild", "--tenant", TENANT, "--project", self.project]
        if self.dice.random() < 0.5:
            command.append("--keep-old")
        self.rebuilds.append(started(command, self.home, self._names()))

    def _names(self) -> dict[str, str]:
        return {
            **read_exports(self.home.aws),
            "LOG_BUCKET": self.deployed.log_bucket,
            "ACCESS_TABLE": self.deployed.access_table,
            "PROJECTION_TABLE": self.deployed.projection_table,
        }


def call_up(home: Home) -> up.Up:
    """`make up`, as often as it takes."""
    for attempt in range(UP_ATTEMPTS):
        try:
            return up.up(home)
        except say.Trouble as trouble:
            if attempt == UP_ATTEMPTS - 1:
                raise
            say.warn(str(trouble))
    raise AssertionError


def started(command: Any, home: Home, values: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start `python -m …`; what it prints goes beside the home's other logs."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("AWS_", "PRECEDENT_"))}
    with (home.root / "chaos.log").open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=REPOSITORY,
            env={**kept, "PYTHONPATH": "layers/core:.", **values},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )


def _kill(running: subprocess.Popen[bytes]) -> None:
    running.kill()
    running.wait()
