"""What the documents show is what happens.

Every command of a `console` block is run and its output compared, `…` standing for anything. Blocks marked `sh`
need what a test has not, such as an AWS account: they are parsed, and what they name has to be there.
What stands under “Two minutes” in README.md is `test_demo`'s.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo import console
from demo.__main__ import HEADING, README
from demo.console import Shell
from demo.stage import OPERATOR, environment
from local import deploy
from local.home import read_exports

ROOT = README.parent
DOCUMENTS = [README, *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def shown(path: Path) -> list[console.Step]:
    text = path.read_text(encoding="utf-8")
    played = console.steps(text, HEADING) if path == README else []
    return [step for step in console.steps(text) if step not in played]


@pytest.fixture
def shells(stack: Any, tmp_path: Path) -> Iterator[dict[str, Shell]]:
    """Alice and Bob in a tenant of their own, and an operator with the keys of this local AWS."""
    tenant = stack.new_name("docs")
    opened = {}
    for who, writer in (("alice", "alice.laptop"), ("bob", "bob.desk")):
        values = {
            "PRECEDENT_URL": stack.url,
            "PRECEDENT_TOKEN": stack.writer(writer, tenant=tenant),
            "PRECEDENT_PROJECT": "shop",
        }
        opened[who] = Shell(environment(tmp_path / who) | values, tmp_path / who)
    operator = environment(tmp_path / OPERATOR) | read_exports(stack.home.aws)
    opened[OPERATOR] = opened[""] = Shell(operator, ROOT)
    yield opened
    for shell in {id(one): one for one in opened.values()}.values():
        shell.close()


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if shown(path)], ids=name)
def test_a_console_block_is_true(path: Path, shells: dict[str, Shell]) -> None:
    for step in shown(path):
        printed = shells[step.who].run(step.command)
        told = "\n".join(map(console.masked, printed))
        assert console.agrees(step.expected, printed), (
            f"{name(path)}:{step.line}: `{step.shown}` prints:\n{told}"
        )


def commands(path: Path) -> list[str]:
    """The commands of a document's `sh` blocks, each on one line."""
    blocks = BLOCK.findall(path.read_text(encoding="utf-8"))
    joined = "".join(blocks).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip()]


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if commands(path)], ids=name)
def test_a_sh_block_names_what_is_there(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in commands(path):
        subprocess.run(["sh", "-n", "-c", line], check=True)
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            assert targets.issuperset(word for word in words[1:] if "=" not in word)
        for word in words:
            if re.match(r"(infra|sam|plugin|admin|samples|docs)/", word):
                assert (ROOT / word).exists(), word
        if words[1:3] == ["-m", "admin"]:
            # With --help at the end its flags are read, and nothing is done.
            asked = [sys.executable, *words[1:], "--help"]
            subprocess.run(asked, cwd=ROOT, check=True, capture_output=True)


def test_every_command_of_the_client_is_in_the_readme(shells: dict[str, Shell]) -> None:
    told = "\n".join(shells["alice"].run("precedent --help"))
    found = re.findall(r"^    ([a-z]+) ", told, re.MULTILINE)
    assert len(found) > 10
    text = README.read_text(encoding="utf-8")
    assert [one for one in found if f"`precedent {one}" not in text] == []


def test_every_variable_the_readme_names_is_read_somewhere() -> None:
    named = set(re.findall(r"`((?:PRECEDENT|XDG)_[A-Z_]+)`", README.read_text(encoding="utf-8")))
    code = "".join(
        path.read_text(encoding="utf-8")
        for room in ("plugin/lib", "local")
        for path in (ROOT / room).rglob("*.py")
    )
    assert len(named) > 5
    assert [one for one in sorted(named) if one not in code] == []


def test_the_outputs_the_readme_names_are_the_stacks() -> None:
    outputs = deploy.load(ROOT / "sam" / "template.yaml")["Outputs"]
    assert {"AccessTable", "Url"} <= outputs.keys()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(
        r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        assert (path.parent / target).exists(), target
