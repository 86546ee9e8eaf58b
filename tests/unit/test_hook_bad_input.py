"""Hooks given what is broken, silent, endless or cannot be kept: exit 0, one line in the log, nothing lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.client_support import decision_id, scripted
from tests.unit.hook_support import HOOK, Agent, markdown

A = decision_id(10)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "PreCompact",
    "SessionEnd",
)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(
    "stdin",
    [b"", b"{", b"null", b"[1]", b"\xff\xfe", b"{}" * 2, b"[" * 100_000,
     b'{"session_id": 3, "cwd": [], "tool_name": {}}'],
    ids=["empty", "broken", "null", "a list", "no UTF-8", "two", "deep", "odd"],
)  # fmt: skip
def test_broken_json_breaks_nothing(agent: Agent, event: str, stdin: bytes) -> None:
    agent.raw_hook(event, stdin)


def test_stdin_that_never_says_anything_and_is_never_closed(agent: Agent) -> None:
    read, write = os.pipe()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), "Stop"], stdin=read, capture_output=True,
        env=agent.client.environment, cwd=agent.root, timeout=60, check=False,
    )  # fmt: skip
    os.close(read)
    os.close(write)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_stdin_that_comes_in_pieces_and_is_never_closed(agent: Agent) -> None:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(HOOK), "PreCompact"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env={**agent.client.environment, "PRECEDENT_URL": "http://127.0.0.1:9"},
    ) as hook:  # fmt: skip
        assert hook.stdin
        assert hook.stdout
        said = json.dumps({"session_id": "}" * 200_000, "cwd": str(agent.root)}).encode()
        for start in range(0, len(said), 70_000):
            hook.stdin.write(said[start : start + 70_000])
            hook.stdin.flush()
        assert b"summary should keep" in hook.stdout.read()


def test_one_line_in_the_log_for_each_trouble_and_no_secret_in_it(agent: Agent) -> None:
    agent.raw_hook("Stop", b'{"token": "pct_test"')
    (line,) = (agent.state / "client.log").read_text().splitlines()
    assert " Stop ValueError" in line
    assert "pct_test" not in line


def test_the_log_is_rotated(agent: Agent) -> None:
    log = agent.state / "client.log"
    log.parent.mkdir(parents=True)
    log.write_text("x\n" * 200_000)
    agent.raw_hook("Stop", b"{")
    assert log.stat().st_size < 1000
    assert (agent.state / "client.log.1").exists()


@pytest.mark.parametrize("event", EVENTS)
def test_a_home_that_cannot_be_written_breaks_nothing(agent: Agent, event: str) -> None:
    blocked = agent.client.home / "blocked"
    blocked.write_text("a file where a folder should be")
    homes: dict[str, str | None] = {
        "XDG_STATE_HOME": str(blocked),
        "XDG_CONFIG_HOME": str(blocked),
    }
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}}
    with scripted(markdown(A)) as service:
        told = agent.hook(event, service, **edit, environment=homes)
    assert (A in told.out) == (event == "PreToolUse")


@pytest.mark.parametrize("event", EVENTS)
def test_a_full_disk_breaks_nothing(agent: Agent, event: str) -> None:
    agent.write("a.py")
    said = {
        "session_id": "s-1",
        "cwd": str(agent.root),
        "tool_name": "Edit",
        "tool_input": {"file_path": "a.py"},
    }
    with scripted(markdown(A)) as service:
        done = subprocess.run(
            ["sh", "-c", f'ulimit -f 0; exec {sys.executable} -I -S {HOOK} "$1"', "sh", event],
            env={**agent.client.environment, "PRECEDENT_URL": service.url},
            input=json.dumps(said).encode(), capture_output=True, cwd=agent.root, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert (A in done.stdout.decode()) == (event == "PreToolUse")


def test_a_working_directory_that_is_gone(agent: Agent) -> None:
    for event in EVENTS:
        agent.hook(event, cwd="/nonexistent/it's gone")


def test_files_that_cannot_be_read(agent: Agent) -> None:
    agent.write("a.py")
    agent.commit()
    agent.prompt()
    os.mkfifo(agent.root / "pipe.py")
    (agent.root / "loop.py").symlink_to("loop.py")
    (agent.root / "a.py").unlink()
    (agent.root / "a.py").symlink_to("/dev/zero")
    agent.stop()


def test_hooks_at_once(agent: Agent) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with scripted(markdown(A)) as service, ThreadPoolExecutor(6) as pool:
        told = list(
            pool.map(
                lambda number: agent.edit("a.py", service, agent_id=f"a{number}").context,
                range(6),
            )
        )
    assert all(A in one for one in told)
