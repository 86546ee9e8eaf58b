"""A hook imports nothing it does not use: each of these modules takes about as long as starting an interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import CLIENT, Reply, decision_id, oldest_python, scripted
from tests.unit.hook_support import Agent, markdown

HEAVY = {
    "json", "re", "typing", "dataclasses", "enum", "collections", "functools", "subprocess", "hashlib", "socket",
    "ssl", "http.client", "urllib.parse", "argparse", "pathlib", "datetime", "gzip", "ast", "tempfile", "shutil",
}  # fmt: skip
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
from precedent_client import hook_input, hook_main
event = hook_input.read(sys.argv[2])
said = hook_main.answer(event)
for after in event.afterwards:
    after()
print(" ".join(sorted(sys.modules)))
print(len(said))
"""
EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "search/api.py"}}
CASES: list[tuple[str, dict[str, Any], bool]] = [
    ("PreToolUse", EDIT, True),
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "precedent x"}}, False),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "precedent x"}}, False),
    ("SessionStart", {"source": "startup"}, True),
    ("UserPromptSubmit", {"prompt": "x"}, False),
    ("Stop", {"stop_hook_active": False}, True),
    ("PreCompact", {"trigger": "auto"}, True),
    ("SessionEnd", {"reason": "other"}, False),
]


@pytest.fixture(params=["this Python", "Python 3.9"])
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Agent:
    python = sys.executable if request.param == "this Python" else oldest_python()
    if python is None:
        pytest.skip("there is no Python 3.9 here; PRECEDENT_TEST_PYTHON39 can name one")
    return Agent(tmp_path, python)


@pytest.mark.parametrize(("event", "said", "speaks"), CASES, ids=lambda case: str(case)[:40])
def test_none_of_the_heavy_modules_is_loaded(
    agent: Agent, event: str, said: dict[str, Any], speaks: bool
) -> None:
    agent.write("search/api.py")
    agent.commit()
    agent.prompt()
    agent.write("search/api.py", "y = 2\n")
    stdin = json.dumps({"session_id": "s-1", "cwd": str(agent.root), **said}).encode()
    answer = markdown(decision_id(1)) if event == "PreToolUse" else Reply({"conflicts": []})
    with scripted(answer) as service:
        done = subprocess.run(
            [agent.python, "-I", "-S", "-c", RUN, str(CLIENT), event],
            input=stdin, capture_output=True, check=True, cwd=agent.root,
            env={**agent.client.environment, "PRECEDENT_URL": service.url},
        )  # fmt: skip
    loaded, length = done.stdout.decode().splitlines()
    assert HEAVY.isdisjoint(loaded.split())
    assert bool(int(length)) == speaks
