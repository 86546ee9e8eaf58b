"""The spool when nobody waits for it: a process of its own sends what is left, and ends."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.client_support import (
    Client,
    Reply,
    append_like_the_service,
    problem,
    scripted,
)  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client.spool import Spool

RECORD = (
    "record",
    "--title",
    "x's",
    "--rationale",
    "y",
    "--on",
    "feature:search",
    "--set",
    "engine=z",
)


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


def test_what_nobody_took_is_sent_by_a_process_of_its_own_that_then_ends(client: Client) -> None:
    with scripted(problem("unavailable", 503)) as service:
        assert client(*RECORD, service=service, PRECEDENT_FLUSH=None).code == 5
        service.replies = [Reply(append_like_the_service, 201)]
        until(lambda: client("spool", "list", "--json").json["waiting"] == [])
        assert service.bodies[-1] == {**service.bodies[0], "on_unseen": "branch"}
        # The right to flush goes with the process.
        until(lambda: Spool(str(client.home / "state/precedent/spool")).flushing() is not None)


def test_the_token_is_in_no_ones_arguments(client: Client) -> None:
    with scripted(Reply(hang=True)) as service:
        client(*RECORD, service=service, PRECEDENT_FLUSH=None, PRECEDENT_TIMEOUT="0.2")
        arguments = subprocess.run(["ps", "-eo", "args"], capture_output=True, check=False).stdout
        service.replies = [Reply(append_like_the_service, 201)]
        service.closing.set()
        until(lambda: client("spool", "list", "--json").json["waiting"] == [])
    assert b"pct_test" not in arguments


def until(holds: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
