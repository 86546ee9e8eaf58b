"""Claude Code: how it is installed, run and what its model does."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from tests.e2e.agent import FILE, PLUGIN, Agent
from tests.e2e.messages import MessagesModel
from tests.e2e.model import Model, Turn, Uses


class ClaudeCode(Agent):
    PACKAGE = "@anthropic-ai/claude-code@2.1.332"
    COMMAND = "claude"
    QUIET: ClassVar = {
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }

    def edits(self, text: str = "ENGINE = 'sqlite'") -> list[Turn]:
        path = str(self.root / FILE)
        # It has a file read before it is written.
        return [
            Uses("Read", {"file_path": path}),
            Uses("Write", {"file_path": path, "content": text + "\n"}),
        ]

    def runs(self, command: str) -> Turn:
        return Uses("Bash", {"command": command, "description": "x"})

    def delegates(self, prompt: str) -> list[Turn]:
        kind = {"description": "x", "subagent_type": "general-purpose"}
        return [Uses("Agent", {"prompt": prompt, **kind})]

    def model(self, *turns: Turn, **subagents: list[Turn]) -> Model:
        return MessagesModel(list(turns), subagents)

    def session(self, model: Model, prompt: str = "do it") -> list[dict[str, Any]]:
        """Raises AssertionError where the client or one of its hooks did not exit 0."""
        options = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Agent,Task"]
        options += ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
        if self.plugin:
            options += ["--plugin-dir", str(PLUGIN)]
        done = self.run("-p", prompt, *options, ANTHROPIC_BASE_URL=model.url)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert {code for _, code in hooks(events)} <= {0}
        return events


def hooks(events: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Each hook that ran: its event and its exit code."""
    return [
        (event.get("hook_event", "?"), event.get("exit_code", -1))
        for event in events
        if event.get("subtype") == "hook_response"
    ]
