"""Codex: how it is installed, run and what its model does."""

from __future__ import annotations

import json
import shlex
from typing import Any, ClassVar

from tests.e2e.agent import FILE, REPOSITORY, Agent
from tests.e2e.model import Model, Turn, Uses
from tests.e2e.responses import ResponsesModel

CONFIGURATION = """\
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
requires_openai_auth = false
supports_websockets = false
[analytics]
enabled = false
[projects."{root}"]
trust_level = "trusted"
"""
PLUGIN = '[plugins."precedent@precedent"]\nenabled = true\n'


class Codex(Agent):
    PACKAGE = "@openai/codex@0.171.0"
    COMMAND = "codex"
    QUIET: ClassVar = {"SCRIPTED_KEY": "dummy"}

    @property
    def precedent(self) -> str:  # type: ignore[override]  # it puts no plugin's commands on the PATH
        installed = self.home / ".codex" / "plugins" / "cache" / "precedent" / "precedent"
        (version,) = installed.iterdir()
        return shlex.quote(str(version / "bin" / "precedent"))

    def install_plugin(self) -> None:
        """As a person does it."""
        (self.home / ".codex").mkdir()
        for words in (("marketplace", "add", str(REPOSITORY)), ("add", "precedent@precedent")):
            done = self.run("plugin", *words)
            assert done.returncode == 0, done.stdout + done.stderr

    def edits(self, text: str = "ENGINE = 'sqlite'") -> list[Turn]:
        return [Uses("apply_patch", {"patch": patch(text)})]

    def runs(self, command: str) -> Turn:
        return Uses("exec_command", {"cmd": command})

    def delegates(self, prompt: str) -> list[Turn]:
        return [
            Uses("spawn_agent", {"message": prompt}),
            Uses("wait_agent", {"timeout_ms": 60_000}),
        ]

    def model(self, *turns: Turn, **subagents: list[Turn]) -> Model:
        return ResponsesModel(list(turns), subagents)

    def session(self, model: Model, prompt: str = "do it") -> list[dict[str, Any]]:
        text = CONFIGURATION.format(url=model.url, root=self.root)
        (self.home / ".codex" / "config.toml").write_text(text + PLUGIN * self.plugin)
        # Without the first of these it asks a person whether hooks may run, and runs none where there is nobody.
        options = ["--dangerously-bypass-hook-trust", "--sandbox", "danger-full-access", "--json"]
        done = self.run("exec", *options, prompt)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def patch(text: str) -> str:
    """A patch of FILE's one line."""
    change = ["@@", "-ENGINE = 'elastic'", f"+{text}"]
    return "\n".join(["*** Begin Patch", f"*** Update File: {FILE}", *change, "*** End Patch"])
