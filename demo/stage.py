"""Where the demo plays: a local AWS, a repository and two people, gone when it is over."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from demo.console import Shell
from local import process, up
from local.home import REPOSITORY, Home, read_exports

PROJECT = "shop"
PEOPLE = {"alice": "alice.laptop", "bob": "bob.desk"}
OPERATOR = "ops"
SAMPLES = REPOSITORY / "samples" / "adr"


@contextmanager
def stage() -> Iterator[dict[str, Shell]]:
    """The shells of everybody, by name; on return everything they touched is removed."""
    with ExitStack() as cleaning:
        folder = Path(cleaning.enter_context(tempfile.TemporaryDirectory(prefix="precedent-demo-")))
        home = Home(root=folder / "home", port=_free_port())
        cleaning.callback(process.stop, home)
        up.up(home)
        shop = _repository(folder / PROJECT)
        shells = {}
        for name, writer in PEOPLE.items():
            env = up.add_writer(home, writer, "writer", PROJECT)
            shells[name] = Shell(environment(folder / name) | read_exports(env), shop)
            cleaning.callback(shells[name].close)
        operator = {"PRECEDENT_HOME": str(home.root), "PRECEDENT_PORT": str(home.port)}
        shells[OPERATOR] = Shell(environment(folder / OPERATOR) | operator, REPOSITORY)
        cleaning.callback(shells[OPERATOR].close)
        yield shells


def environment(home: Path) -> dict[str, str]:
    """What every shell starts with: `precedent` and this Python are at hand, and nobody's settings."""
    home.mkdir()
    path = [str(REPOSITORY / "plugin" / "bin"), str(Path(sys.executable).parent)]
    return {
        "PATH": os.pathsep.join([*path, os.environ.get("PATH", os.defpath)]),
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _repository(folder: Path) -> Path:
    """The repository of an invented shop, with its decision records."""
    (folder / "search").mkdir(parents=True)
    (folder / "search" / "api.py").write_text("# the product search\n", encoding="utf-8")
    shutil.copytree(SAMPLES, folder / "docs" / "adr")
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "Alice"), ("EMAIL", "alice@example.com"))}  # fmt: skip
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "The shop"]):
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True)
    return folder


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
