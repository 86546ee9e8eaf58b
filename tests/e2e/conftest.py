"""The real clients, the real service, and a scripted model between them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import agent as agents
from tests.e2e.agent import PLUGIN, Agent
from tests.e2e.claude_code import ClaudeCode
from tests.e2e.codex import Codex
from tests.e2e.front import Front, front
from tests.integration.conftest import Stack, stack
from tests.unit.client_support import git

__all__ = ["stack"]

# Looked up now: the stack runs without any variable of ours.
INSTALLED = {
    kind: os.environ.get(f"PRECEDENT_E2E_{kind.COMMAND.upper()}") for kind in (ClaudeCode, Codex)
}


@pytest.fixture(scope="session")
def installed() -> Iterator[Callable[[type[Agent]], Path]]:
    """Each client's command, installed when it is first asked for. PRECEDENT_E2E_CLAUDE and PRECEDENT_E2E_CODEX
    name one that is installed already."""
    found: dict[type[Agent], Path | agents.NotInstallable] = {}
    with tempfile.TemporaryDirectory() as folder:

        def command(kind: type[Agent]) -> Path:
            named = INSTALLED[kind]
            if kind not in found:
                try:
                    prefix = Path(folder) / kind.COMMAND
                    found[kind] = (
                        Path(named) if named else agents.install(kind.PACKAGE, kind.COMMAND, prefix)
                    )
                except agents.NotInstallable as why:
                    found[kind] = why
            there = found[kind]
            if isinstance(there, agents.NotInstallable):
                pytest.skip(f"{kind.__name__} WAS NOT TESTED: {there}")
            return there

        yield command


@pytest.fixture(scope="session")
def warm(stack: Stack) -> Stack:
    """The service with its functions started: the first call of each takes longer than a hook waits."""
    token = stack.writer("warm")
    for path in ("recall?element=a:b", "conflicts"):
        assert stack.http("GET", f"/v1/projects/warm/{path}", token=token).status == 200
    return stack


@pytest.fixture
def service(warm: Stack) -> Iterator[Front]:
    """The service's address, as the agent knows it."""
    with front(warm.home.port) as found:
        yield found


@dataclass(frozen=True)
class Project:
    """A project of its own on the service, and a repository of it."""

    stack: Stack
    name: str
    writer: str
    home: Path
    root: Path
    environment: dict[str, str]

    def precedent(self, *words: str, home: Path | None = None) -> str:
        """What a command prints: a colleague's, or with `home` the agent's own."""
        done = subprocess.run(
            [str(PLUGIN / "bin" / "precedent"), *words],
            cwd=self.root,
            env={"PATH": os.environ["PATH"], **self.environment, "HOME": str(home or self.home)},
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def logged(self) -> str:
        """The lines of the log in S3 that the agent's writer has written in this project."""
        s3, bucket = self.stack.client("s3"), self.stack.log_bucket
        prefix = f"t/team/{self.name}/log/{self.writer}/"
        listed: list[Any] = s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
        bodies = [s3.get_object(Bucket=bucket, Key=one["Key"])["Body"].read() for one in listed]
        return b"".join(bodies).decode()


@pytest.fixture
def project(warm: Stack, service: Front, tmp_path: Path) -> Project:
    """The repository has one file."""
    root = tmp_path / "it's a shop"
    (root / "search").mkdir(parents=True)
    (root / "search" / "api.py").write_text("ENGINE = 'elastic'\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    name, writer = warm.new_name("e2e"), warm.new_name("agent")
    environment = {
        "PRECEDENT_URL": service.url,
        "PRECEDENT_TOKEN": warm.writer(writer),
        "PRECEDENT_PROJECT": name,
    }
    return Project(warm, name, writer, tmp_path, root, environment)


@pytest.fixture
def claude(installed: Callable[[type[Agent]], Path], project: Project) -> ClaudeCode:
    """Claude Code with the plugin."""
    command = installed(ClaudeCode)
    home = project.home / "claude"
    home.mkdir()
    return ClaudeCode(command, home, project.root, dict(project.environment))


@pytest.fixture
def codex(installed: Callable[[type[Agent]], Path], project: Project) -> Codex:
    """Codex with the plugin."""
    command = installed(Codex)
    home = project.home / "codex"
    home.mkdir()
    found = Codex(command, home, project.root, dict(project.environment))
    found.install_plugin()
    return found


@pytest.fixture(params=["claude", "codex"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Each of the clients in turn."""
    found: Agent = request.getfixturevalue(request.param)
    return found
