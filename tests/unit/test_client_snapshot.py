"""How a work tree stood: what is read of it, what is not read again, and what is known of what nobody read."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.unit.client_support import git  # isort: split

from precedent_client import code, snapshot
from precedent_client.snapshot import Snapshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = 1\n")
    return tmp_path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read."""
    found: list[str] = []
    real = code.read

    def counted(path: str) -> bytes | None:
        found.append(Path(path).name)
        return real(path)

    monkeypatch.setattr(code, "read", counted)
    return found


def later(before: Snapshot) -> Snapshot:
    """The same, written down long after the files were: and through JSON, as it is kept."""
    found = json.loads(json.dumps(before.as_json()))
    return Snapshot.from_json({**found, "at": time.time() + 60})


def test_what_was_not_written_since_is_not_read_again(root: Path, read: list[str]) -> None:
    before = later(snapshot.take(str(root)))
    read.clear()
    (root / "b.py").write_text("x = 2\n")
    now = snapshot.take(str(root), before)
    assert read == ["b.py"]
    assert snapshot.changed(str(root), before, now) == ["b.py"]


def test_what_was_written_just_then_is(root: Path, read: list[str]) -> None:
    before = snapshot.take(str(root))
    read.clear()
    snapshot.take(str(root), before)
    assert sorted(read) == ["a.py", "b.py"]


@pytest.mark.parametrize("bound", ["FILES", "READING"])
def test_of_what_is_beyond_the_bounds_a_write_is_a_change(
    root: Path, read: list[str], monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(snapshot, bound, 0)
    before = snapshot.take(str(root))
    assert snapshot.changed(str(root), before, snapshot.take(str(root), before)) == []
    (root / "b.py").write_text("x =  1\n")
    assert snapshot.changed(str(root), before, snapshot.take(str(root), before)) == ["b.py"]
    assert read == []


def test_what_another_version_kept_is_not_read_as_ours(root: Path) -> None:
    kept = {**snapshot.take(str(root)).as_json(), "files": {"a.py": ["hash", "shape"]}}
    with pytest.raises(ValueError, match="another version"):
        Snapshot.from_json(kept)
