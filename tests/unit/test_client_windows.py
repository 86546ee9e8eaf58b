"""What Windows lacks and spells otherwise: no locks, no `posix_spawn`, drives and backslashes.

Its paths are tested by its own rules (`ntpath`); the rest by running the client without what Windows does not have,
and where no open file can be renamed or removed.
"""

from __future__ import annotations

import json
import ntpath
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.client_support import (
    CLIENT,
    COMMAND,
    Reply,
    append_like_the_service,
    decision_id,
    problem,
    scripted,
)
from tests.unit.hook_support import HOOK, Agent, markdown

from precedent_client import hook_input, paths, worktree  # isort: skip

A = decision_id(1)
RECORD = ("record", "--title", "it's", "--rationale", "y", "--on", "feature:search")
WITHOUT = """
import os, runpy, sys
for name in ("fcntl", "pwd", "grp", "termios", "resource"):
    sys.modules[name] = None
for name in ("posix_spawn", "posix_spawnp", "getsid", "O_NONBLOCK", "O_NOFOLLOW", "fork"):
    delattr(os, name)
kept = {name: getattr(os, name) for name in ("replace", "unlink")}

def closed_only(name):
    def work(path, *more):
        for handle in os.listdir("/proc/self/fd"):
            try:
                if os.path.realpath(f"/proc/self/fd/{handle}") == os.path.realpath(path):
                    raise PermissionError(13, "it is open", path)
            except FileNotFoundError:
                pass
        return kept[name](path, *more)
    return work

def sockets_only(*_):
    raise OSError("an operation was attempted on something that is not a socket")

import select
select.select = sockets_only
for name in kept:
    setattr(os, name, closed_only(name))
command, *sys.argv[1:] = sys.argv[1:]
if command.endswith("hook"):
    os.name = "nt"
sys.argv[0] = command
runpy.run_path(command, run_name="__main__")
"""


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def run(agent: Agent, command: Path, *words: str, url: str = "", stdin: bytes = b"") -> Any:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", WITHOUT, str(command), *words],
        input=stdin, capture_output=True, cwd=agent.root, timeout=60, check=False,
        env={**agent.client.environment, **({"PRECEDENT_URL": url} if url else {})},
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    return done


def hook(agent: Agent, event: str, url: str = "", **members: Any) -> str:
    said = {"session_id": "s-1", "cwd": str(agent.root), **members}
    done = run(agent, HOOK, event, url=url, stdin=json.dumps(said).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    return str(done.stdout.decode())


def test_what_is_recorded_is_kept_sent_and_gone(agent: Agent) -> None:
    waiting = agent.state / "spool" / "waiting"
    with scripted(problem("unavailable", 503)) as service:
        assert run(agent, COMMAND, *RECORD, url=service.url).returncode == 5
        assert len(list(waiting.iterdir())) == 1
        service.replies = [Reply(append_like_the_service, 201)]
        assert run(agent, COMMAND, "spool", "retry", url=service.url).returncode == 0
        assert list(waiting.iterdir()) == []
        assert run(agent, COMMAND, *RECORD, url=service.url).returncode == 0
    assert list(waiting.iterdir()) == []


def test_a_session_recalls_and_asks(agent: Agent) -> None:
    agent.write("search/api.py", "x = 1\n")
    agent.commit()
    hook(agent, "SessionStart", source="startup")
    hook(agent, "UserPromptSubmit", prompt="x")
    with scripted(markdown(A)) as service:
        edit = {"tool_name": "Edit", "tool_input": {"file_path": "search/api.py"}}
        assert A in hook(agent, "PreToolUse", service.url, **edit)
        assert hook(agent, "PreToolUse", service.url, **edit) == ""
    agent.write("search/api.py", "x = 2\n")
    assert "search/api.py" in hook(agent, "Stop", stop_hook_active=False)
    assert hook(agent, "Stop", stop_hook_active=True) == ""
    assert hook(agent, "SessionEnd", reason="other") == ""
    assert not (agent.state / "client.log").exists()


def windows(monkeypatch: pytest.MonkeyPatch, *modules: Any) -> None:
    """Let modules see Windows's rules for paths."""
    os = SimpleNamespace(path=ntpath, sep="\\", curdir=".", pardir="..", name="nt")
    for module in modules:
        monkeypatch.setattr(module, "os", os)


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        (r"C:\shop\search\api.py", "search/api.py"),
        (r"c:\SHOP\search\API.py", "search/API.py"),
        ("C:/shop/search/api.py", "search/api.py"),
        (r"search\it's.py", "search/it's.py"),
        (r"C:\shop", None),
        (r"C:\shopping\api.py", None),
        (r"D:\shop\api.py", None),
        (r"..\api.py", None),
        (r"\\server\share\api.py", None),
    ],
)
def test_a_path_counts_from_the_root_with_slashes(
    monkeypatch: pytest.MonkeyPatch, path: str, inside: str | None
) -> None:
    windows(monkeypatch, worktree)
    assert worktree.Worktree(r"C:\shop", r"C:\shop\.git").inside(path) == inside


def test_an_edits_file_is_joined_to_the_folder_by_its_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    windows(monkeypatch, hook_input)
    said = {"cwd": r"C:\shop", "tool_name": "Edit", "tool_input": {"file_path": r"search\api.py"}}
    assert hook_input.Event("PreToolUse", said).files() == [r"C:\shop\search\api.py"]


def test_a_root_is_found_whatever_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    windows(monkeypatch, paths)
    assert paths._is_in(r"c:\SHOP\a.py", r"C:\shop")
    assert not paths._is_in(r"C:\shopping\a.py", r"C:\shop")


def test_whatever_starts_in_the_background_is_detached() -> None:
    """There are no sessions to leave on Windows; a flag says that it has no console."""
    code = (
        "import sys, types; sys.path.insert(0, sys.argv[1]); started = []\n"
        "import subprocess; subprocess.Popen = lambda *a, **k: started.append(k)\n"
        "import os; del os.posix_spawn; sys.platform = 'win32'\n"
        "from precedent_client import background; background.start(['spool', 'flush'])\n"
        "assert started[0]['creationflags'] == 8 and started[0]['stdin'] == subprocess.DEVNULL"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code, str(CLIENT)], check=True, env={})
