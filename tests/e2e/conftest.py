"""The real client, the real service, and a scripted model between them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e import claude_code
from tests.e2e.claude_code import ClaudeCode
from tests.integration.conftest import Stack, stack
from tests.unit.client_support import git

__all__ = ["stack"]

LOUD = "THE REAL CLIENT WAS NOT TESTED"


@pytest.fixture(scope="session")
def command() -> Iterator[Path]:
    """Claude Code's command. PRECEDENT_E2E_CLAUDE names one that is installed already."""
    named = os.environ.get("PRECEDENT_E2E_CLAUDE")
    if named:
        yield Path(named)
        return
    with tempfile.TemporaryDirectory() as prefix:
        try:
            yield claude_code.install(Path(prefix))
        except claude_code.NotInstallable as why:
            pytest.skip(f"{LOUD}: {why}")


@pytest.fixture(scope="session")
def warm(stack: Stack) -> Stack:
    """The service with its functions started: the first call of each takes longer than a hook waits."""
    token = stack.writer("warm")
    for path in ("recall?element=a:b", "conflicts"):
        assert stack.http("GET", f"/v1/projects/warm/{path}", token=token).status == 200
    return stack


@pytest.fixture
def claude(command: Path, warm: Stack, tmp_path: Path) -> ClaudeCode:
    """The client in a repository with one file, set up for a project of its own on the service."""
    home, root = tmp_path / "home", tmp_path / "shop"
    home.mkdir()
    (root / "search").mkdir(parents=True)
    (root / "search" / "api.py").write_text("ENGINE = 'elastic'\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    project = warm.new_name("e2e")
    environment = {
        "PRECEDENT_URL": warm.url,
        "PRECEDENT_TOKEN": warm.writer(warm.new_name("agent")),
        "PRECEDENT_PROJECT": project,
    }
    return ClaudeCode(command, home, root, environment)


@pytest.fixture
def precedent(claude: ClaudeCode) -> Callable[..., str]:
    """A colleague's command on the same project."""

    def run(*words: str) -> str:
        done = subprocess.run(
            [str(claude_code.PLUGIN / "bin" / "precedent"), *words],
            cwd=claude.root, env={**claude.environment, "HOME": str(claude.home.parent)},
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
