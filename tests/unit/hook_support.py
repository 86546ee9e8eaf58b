"""What the hooks' tests share: a repository, a session, and a hook as the agent runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.unit.client_support import CLIENT, COMMAND, Client, Reply, Scripted, git

HOOK = CLIENT.parent / "bin" / "precedent-hook"
NOWHERE = "http://127.0.0.1:9"


@dataclass
class Told:
    """What a hook printed. It always exits 0 and never writes to stderr: `Agent.hook` sees to it."""

    out: str

    @property
    def context(self) -> str:
        """What would reach the model as context; empty where nothing would."""
        return (
            self.json.get("hookSpecificOutput", {}).get("additionalContext", "") if self.out else ""
        )

    @property
    def question(self) -> str:
        """What would continue the turn; empty where it ends."""
        return self.json["reason"] if self.out and self.json.get("decision") == "block" else ""

    @property
    def json(self) -> Any:
        found = json.loads(self.out)
        specific = found.get("hookSpecificOutput")
        assert set(found) <= {"hookSpecificOutput", "decision", "reason"}
        # Nothing that denies, allows or asks: a hook of ours decides nothing.
        assert specific is None or set(specific) == {"hookEventName", "additionalContext"}
        return found


class Agent:
    """A coding agent in a repository of its own, with one session."""

    def __init__(self, tmp_path: Path, python: str = sys.executable) -> None:
        self.root = tmp_path / "it's a\nrepository"
        self.root.mkdir()
        git(self.root, "init", "-q", "-b", "main")
        self.client = Client(tmp_path, python)
        self.client.environment |= {
            "PRECEDENT_URL": NOWHERE,
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
        }
        del self.client.environment["PRECEDENT_SESSION"]
        self.client.environment["CLAUDE_CODE_SESSION_ID"] = "s-1"
        self.python = python

    @property
    def state(self) -> Path:
        return self.client.home / "state" / "precedent"

    def write(self, path: str, text: str | bytes = "x = 1\n") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", "fix: a → b")

    def raw_hook(
        self, event: str, stdin: bytes, service: Scripted | None = None, **environment: str | None
    ) -> Told:
        env: dict[str, str] = dict(self.client.environment)
        if service:
            env["PRECEDENT_URL"] = service.url
        for name, value in environment.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = value
        done = subprocess.run(
            [self.python, "-I", "-S", str(HOOK), event],
            input=stdin, capture_output=True, env=env, cwd=self.root, timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return Told(done.stdout.decode())

    def hook(self, event: str, service: Scripted | None = None, /, **members: Any) -> Told:
        environment = members.pop("environment", {})
        said = {
            "session_id": "s-1",
            "transcript_path": "/nonexistent.jsonl",
            "cwd": str(self.root),
            "hook_event_name": event,
            **members,
        }
        return self.raw_hook(event, json.dumps(said).encode(), service, **environment)

    def start(
        self, service: Scripted | None = None, source: str = "startup", **members: Any
    ) -> Told:
        return self.hook("SessionStart", service, source=source, **members)

    def prompt(self, prompt: Any = "do it") -> Told:
        return self.hook("UserPromptSubmit", prompt=prompt)

    def edit(
        self, path: str, service: Scripted | None = None, tool: str = "Edit", **members: Any
    ) -> Told:
        """The moment before a file is edited."""
        return self.hook(
            "PreToolUse", service, tool_name=tool, tool_input={"file_path": path}, **members
        )

    def stop(self, *, active: bool = False, **members: Any) -> Told:
        return self.hook("Stop", stop_hook_active=active, **members)

    def run(self, *words: str, service: Scripted | None = None, agent: str | None = None) -> Any:
        """A command in the agent's shell, which a hook sees coming."""
        shell = {"tool_name": "Bash", "tool_input": {"command": "precedent " + " ".join(words)}}
        whose = {} if agent is None else {"agent_id": agent}
        self.hook("PreToolUse", **shell, **whose)
        done = self.client(*words, service=service, cwd=self.root)
        self.hook("PostToolUse", **shell, **whose)
        return done


def markdown(*ids: str, text: str = "IN FORCE", etag: str = "", status: int = 200) -> Reply:
    """Recall as the service tells it to an agent."""
    fence = os.urandom(8).hex()
    body = (
        f"Recalled.\n<recalled-{fence}>\n{text} {' '.join(ids)}\n</recalled-{fence}>\n"
        if ids
        else "Nothing.\n"
    )
    headers = {
        "precedent-shown": ",".join(ids),
        "precedent-omitted": "",
        "etag": etag or f'W/"{text}{ids}"',
    }
    return Reply(body.encode(), status, "text/markdown; charset=utf-8", headers)


__all__ = ["COMMAND", "HOOK", "Agent", "Told", "markdown"]
