"""Claude Code itself, from its npm package, in a home of its own and with nobody's key."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.model import Model

VERSION = "2.1.332"
PACKAGE = f"@anthropic-ai/claude-code@{VERSION}"
REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = REPOSITORY / "plugin"
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
SECONDS = 120
"""After which a session is taken to hang; a headless turn takes one or two."""


class NotInstallable(Exception):
    """The client cannot be had here, and why."""


def install(prefix: Path) -> Path:
    """The client's command, installed into a prefix that can be thrown away. Raises NotInstallable."""
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstallable("there is no npm here")
    try:
        done = subprocess.run(
            [npm, "install", "--global", "--prefix", str(prefix), PACKAGE],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise NotInstallable(f"npm did not install {PACKAGE} within five minutes") from None
    command = prefix / "bin" / "claude"
    if done.returncode or not command.exists():
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        raise NotInstallable(f"npm could not install {PACKAGE}: {last}")
    return command


@dataclass
class ClaudeCode:
    """The client in a repository, with the plugin and without anything else of this machine."""

    command: Path
    home: Path
    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    plugin: bool = True

    def __post_init__(self) -> None:
        names = ("PATH", "NODE_EXTRA_CA_CERTS", "LANG")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        self.environment = {
            **kept, **QUIET, "HOME": str(self.home), "ANTHROPIC_API_KEY": "dummy", **self.environment
        }  # fmt: skip

    def run(
        self, *words: str, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """The client with these words; nothing is said of how it ended."""
        return subprocess.run(
            [str(self.command), *words],
            cwd=self.root, env={**self.environment, **environment},
            input=stdin, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip

    def session(self, model: Model, prompt: str = "do it", *words: str) -> list[dict[str, Any]]:
        """A headless session to its end: everything it reported, hooks included."""
        options = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Agent,Task"]
        options += ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
        if self.plugin:
            options += ["--plugin-dir", str(PLUGIN)]
        done = self.run("-p", prompt, *options, *words, ANTHROPIC_BASE_URL=model.url)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def hooks(events: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Each hook that ran: its event and its exit code."""
    return [
        (event.get("hook_event", "?"), event.get("exit_code", -1))
        for event in events
        if event.get("subtype") == "hook_response"
    ]
