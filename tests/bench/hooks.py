"""What a hook costs: its wall time as a ratio to that of an interpreter that does nothing, in the same run.

Both are started alternately, so that whatever else the machine does hits both alike. On a miss there is the
request beside it: what the service, here one on loopback that answers at once, takes is no part of the hook.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.unit.client_support import decision_id, scripted
from tests.unit.hook_support import HOOK, Agent, markdown  # isort: split

from precedent_client import fetch

ROUNDS = 41
AGAIN = 4
"""Times that many rounds, where something is over its limit: on a busy machine few rounds are undisturbed."""
GIT = ["git", "status", "--porcelain=v2", "--branch", "--untracked-files=all"]
NOTHING = [sys.executable, "-I", "-S", "-c", "pass"]
LIMITS = {"nothing to do": 1.3, "cache hit": 1.7, "miss": 3.0, "asks git": 3.0}
"""Of a miss beside the request, of what asks git beside `git status`."""
BESIDE = {"miss": "request", "asks git": "git"}


_fresh = itertools.count()


@dataclass
class Case:
    """One hook in one situation. `before` sets the situation up again before each round."""

    name: str
    kind: str
    event: str
    said: dict[str, Any]
    before: Any = lambda: None
    says: str = ""
    """What must be in its answer: a case that fails fast is no case."""


def cases(agent: Agent) -> list[Case]:
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "search/api.py"}}

    def cached() -> dict[str, Any]:
        return {**edit, "session_id": f"hit-{next(_fresh)}"}

    def new_file() -> dict[str, Any]:
        path = f"search/{next(_fresh)}.py"
        return {
            "tool_name": "Edit",
            "tool_input": {"file_path": path},
            "session_id": f"miss-{path}",
        }

    return [
        Case("PreToolUse, outside the repository", "nothing to do", "PreToolUse",
             {"tool_name": "Edit", "tool_input": {"file_path": "/etc/hosts"}}),
        Case("PreToolUse, a shell command", "nothing to do", "PreToolUse",
             {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        Case("PostToolUse", "nothing to do", "PostToolUse", edit),
        Case("SessionEnd", "nothing to do", "SessionEnd", {"reason": "other"}),
        Case("PreToolUse, told already", "cache hit", "PreToolUse", edit),
        Case("PreToolUse, a copy", "cache hit", "PreToolUse", {}, cached, decision_id(1)),
        Case("PreToolUse, asked for", "miss", "PreToolUse", {}, new_file, decision_id(1)),
        Case("UserPromptSubmit", "asks git", "UserPromptSubmit", {"prompt": "x"}),
        Case("Stop", "asks git", "Stop", {"stop_hook_active": False}),
        Case("SessionStart", "miss", "SessionStart", {"source": "startup"}),
    ]  # fmt: skip


def timed(
    command: list[str], environment: dict[str, str], folder: Path, stdin: bytes, says: str = ""
) -> float:
    started = time.perf_counter()
    done = subprocess.run(
        command, input=stdin, env=environment, cwd=folder, capture_output=True, check=True
    )
    seconds = time.perf_counter() - started
    return seconds if says in done.stdout.decode() else float("inf")


def request(url: str) -> float:
    """What a request takes in a process that has everything loaded."""
    started = time.perf_counter()
    fetch.get(f"{url}/v1/health", {}, 5.0)
    return time.perf_counter() - started


def measured(agent: Agent, environment: dict[str, str], best: dict[str, float]) -> dict[str, float]:
    """Each case's ratio: its shortest time by the shortest of nothing, since a busy machine only adds to a time.

    `best` holds the shortest times so far.
    """

    def keep(name: str, seconds: float) -> None:
        best[name] = min(seconds, best.get(name, seconds))

    for _ in range(ROUNDS):
        for case in cases(agent):
            said = {
                "session_id": "s-1",
                "cwd": str(agent.root),
                **case.said,
                **(case.before() or {}),
            }
            stdin = json.dumps(said).encode()
            keep("nothing", timed(NOTHING, environment, agent.root, b""))
            keep("request", request(environment["PRECEDENT_URL"]))
            keep("git", timed(GIT, environment, agent.root, b""))
            command = [*NOTHING[:3], str(HOOK), case.event]
            keep(case.name, timed(command, environment, agent.root, stdin, case.says))
    best[""] = 0.0
    return {
        case.name: (best[case.name] - best[BESIDE.get(case.kind, "")]) / best["nothing"]
        for case in cases(agent)
    }


def main() -> int:
    """Print each ratio beside its limit; 1 if one is above it."""
    over = 0
    with tempfile.TemporaryDirectory() as folder, scripted(markdown(decision_id(1))) as service:
        agent = Agent(Path(folder))
        environment = {**agent.client.environment, "PRECEDENT_URL": service.url}
        agent.start(service)
        agent.edit("search/api.py", service)
        best: dict[str, float] = {}
        rounds = 0
        while rounds < ROUNDS * AGAIN:
            rounds += ROUNDS
            ratios = measured(agent, environment, best)
            if all(ratios[case.name] <= LIMITS[case.kind] for case in cases(agent)):
                break
        print(f"times as long as `python3 -I -S -c pass` (shortest of {rounds} rounds)")
        for case in cases(agent):
            found, limit = ratios[case.name], LIMITS[case.kind]
            over += found > limit
            mark = "OVER" if found > limit else ""
            print(f"  {case.name:<36} {found:5.2f}  ({case.kind}: ≤ {limit}) {mark}".rstrip())
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
