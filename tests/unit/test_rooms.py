"""The rooms of the house: what may be imported from where, and how long a file gets."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HANDLERS = sorted((ROOT / "functions").glob("*/app.py"))
KEPT = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
]
OURS = {"admin", "demo", "functions", "local", "plugin", "tests"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("path", HANDLERS, ids=lambda path: path.parent.name)
def test_a_handler_parses_calls_one_use_case_and_maps_the_result(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 60
    assert not {name.split(".")[0] for name in imported(path)} & (OURS | {"boto3", "pynamodb"})


def test_the_layer_imports_nothing_of_the_other_rooms() -> None:
    for path in (ROOT / "layers").rglob("*.py"):
        assert not {name.split(".")[0] for name in imported(path)} & OURS, path


def test_the_client_imports_nothing_but_the_standard_library_and_itself() -> None:
    import sys

    known = set(sys.stdlib_module_names) | {"precedent_client"}
    for path in (ROOT / "plugin").rglob("*.py"):
        assert {name.split(".")[0] for name in imported(path)} <= known, path


def test_a_file_holds_one_thing() -> None:
    for path in KEPT:
        if path.exists():
            assert len(path.read_text("utf-8").splitlines()) <= 400, path
            assert path.stem not in ("utils", "helpers", "misc", "common"), path
