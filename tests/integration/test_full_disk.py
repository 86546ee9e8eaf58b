"""A disk that takes nothing more under the local AWS: what cannot be kept is not acknowledged."""

from __future__ import annotations

import os
import sys
from http.client import HTTPException
from types import SimpleNamespace

import pytest

from local import process, say, up
from local.home import Home

from .test_kill import digest, record

if sys.platform == "linux":
    import resource
else:
    pytest.skip("a process's limits are set from outside on Linux only", allow_module_level=True)


def fill(pid: int) -> None:
    """From here on no file of the server's can be written to: every write fails as on a full disk."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def running(home: Home) -> int:
    pid = process.running(home)
    assert pid is not None
    return pid


def test_what_cannot_be_kept_is_not_acknowledged_and_goes_through_later(home: Home) -> None:
    up.up(home)
    first = record(home, 0, 1)
    pid = running(home)
    fill(pid)
    with pytest.raises(say.Trouble) as trouble:
        process.save(home)
    assert "full" in trouble.value.way_out
    with pytest.raises((OSError, HTTPException)):
        record(home, 0, 2)
    os.waitpid(pid, 0)
    assert process.running(home) is None, "it ends rather than lose what it said it has"
    up.up(home)
    assert digest(home)["entries"] == 1
    second = record(home, 0, 2)
    assert second != first
    assert record(home, 0, 2) == second
    assert digest(home)["entries"] == 2


def test_a_full_disk_is_named_where_an_up_fails(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(_home: Home) -> int:
        raise OSError("connection refused")

    monkeypatch.setattr(process, "start", ends)
    monkeypatch.setattr(up.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    with pytest.raises(say.Trouble, match=r"the disk of .* is full") as trouble:
        up.up(home)
    assert "Make room" in trouble.value.way_out
