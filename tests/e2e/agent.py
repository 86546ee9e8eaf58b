"""A coding agent from its npm package, in a home of its own and with nobody's key."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tests.e2e.model import Model, Turn, playing

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = REPOSITORY / "plugin"
SECONDS = 120
"""After which a session is taken to hang; a headless turn takes one or two."""
FILE = "search/api.py"


class NotInstallable(Exception):
    """The client cannot be had here, and why."""


def install(package: str, command: str, prefix: Path) -> Path:
    """The client's command, installed into a prefix that can be thrown away. Raises NotInstallable."""
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstallable("there is no npm here")
    try:
        done = subprocess.run(
            [npm, "install", "--global", "--prefix", str(prefix), package],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise NotInstallable(f"npm did not install {package} within five minutes") from None
    found = prefix / "bin" / command
    if done.returncode or not found.exists():
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        raise NotInstallable(f"npm could not install {package}: {last}")
    return found


@dataclass
class Agent:
    """The client in a repository, with the plugin and without anything else of this machine."""

    command: Path
    home: Path
    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    plugin: bool = True

    PACKAGE: ClassVar[str]
    COMMAND: ClassVar[str]
    QUIET: ClassVar[dict[str, str]]
    """What keeps the client from talking to anybody but the model."""
    precedent: ClassVar[str] = "precedent"
    """What its shell calls the command."""

    def __post_init__(self) -> None:
        names = ("PATH", "NODE_EXTRA_CA_CERTS", "LANG")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        # A version manager's `python3` is a script that takes ten times as long as the interpreter it starts.
        own = Path(sys.executable).resolve().parent
        kept["PATH"] = f"{own}{os.pathsep}{kept['PATH']}"
        self.environment = {**kept, **self.QUIET, "HOME": str(self.home), **self.environment}

    def run(
        self, *words: str, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """The client with these words; nothing is said of how it ended."""
        return subprocess.run(
            [str(self.command), *words],
            cwd=self.root, env={**self.environment, **environment},
            input=stdin, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip

    def edits(self, text: str = "ENGINE = 'sqlite'") -> list[Turn]:
        """The turns in which the model changes the one line of FILE."""
        raise NotImplementedError

    def runs(self, command: str) -> Turn:
        """The model runs a command in its shell."""
        raise NotImplementedError

    def delegates(self, prompt: str) -> list[Turn]:
        """The turns in which the model starts a subagent and awaits its end."""
        raise NotImplementedError

    def model(self, *turns: Turn, **subagents: list[Turn]) -> Model:
        """A model with these scripts, that speaks as this client's does."""
        raise NotImplementedError

    def session(self, model: Model, prompt: str = "do it") -> list[dict[str, Any]]:
        """A headless session to its end: everything it reported."""
        raise NotImplementedError

    def plays(self, *turns: Turn, **subagents: list[Turn]) -> Model:
        """A session in which the model plays these scripts."""
        with self.playing(*turns, **subagents) as model:
            return model

    @contextmanager
    def playing(self, *turns: Turn, **subagents: list[Turn]) -> Iterator[Model]:
        with playing(self.model(*turns, **subagents)) as model:
            self.session(model)
            yield model
