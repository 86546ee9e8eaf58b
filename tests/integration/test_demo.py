"""`make demo` plays what README.md shows, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from demo import console
from demo.__main__ import HEADING, README
from tests.unit.client_support import SHARED

ROOT = README.parent


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the demo printed, and the temporary folder it played in."""
    folder = tmp_path_factory.mktemp("tmp")
    kept = {
        name: os.environ[name] for name in os.environ if not name.startswith(("AWS_", "PRECEDENT_"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=ROOT,
        env={**kept, "TMPDIR": str(folder)},
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, folder


def test_the_transcript_in_the_readme_is_true(played: tuple[str, Path]) -> None:
    wanted = console.steps(README.read_text(encoding="utf-8"), HEADING)
    found = console.steps(f"```console{played[0]}```\n")
    assert len(wanted) > 15
    for step, real in zip(wanted, found, strict=False):
        assert step.shown == real.shown
        printed = real.expected[:-1] if real.expected[-1:] == [""] else real.expected
        told = "\n".join(printed)
        assert console.agrees(step.expected, printed), (
            f"README.md:{step.line}: `{step.shown}` printed otherwise. If that is meant: "
            f"python -m demo --update\n{told}"
        )


def test_real_records_are_imported_where_they_are_at_hand(played: tuple[str, Path]) -> None:
    if not (SHARED / "adr-govuk-aws").is_dir():
        pytest.skip("no real set is beside this repository")
    assert "  38 recorded\n" in played[0]
    *_, recalled = played[0].split("precedent recall --element 'topic:DNS infrastructure'")
    assert "IN FORCE\n" in recalled
    assert "DNS definitions" not in recalled.partition("</recorded-")[0]


def test_nothing_is_left_behind(played: tuple[str, Path]) -> None:
    assert [path.name for path in played[1].iterdir()] == []
    if Path("/proc/self/cmdline").exists():
        for cmdline in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                assert str(played[1]).encode() not in cmdline.read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
