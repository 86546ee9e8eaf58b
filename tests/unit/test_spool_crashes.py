"""A `kill -9` at every step of recording and of flushing: what was kept is sent, and counts once."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.client_support import (
    CLIENT,
    Client,
    Reply,
    Scripted,
    append_like_the_service,
    problem,
    scripted,
)  # isort: split

from precedent_client import flusher
from precedent_client.config import Config
from precedent_client.service import Service
from precedent_client.spool import Spool, Waiting

KILLED = """
import os, signal, sys

at, steps = int(sys.argv[2]), 0

def dies(owner, name):
    real = getattr(owner, name)
    def step(*arguments, **named):
        global steps
        steps += 1
        if steps == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)
    setattr(owner, name, step)

sys.path.insert(0, sys.argv[1])
import http.client
from precedent_client import main, service
for name in ("open", "write", "fsync", "close", "replace", "unlink", "makedirs", "listdir"):
    dies(os, name)
dies(http.client.HTTPConnection, "connect")
dies(http.client.HTTPConnection, "request")
dies(http.client.HTTPConnection, "getresponse")
dies(http.client.HTTPConnection, "close")
code = main.main(sys.argv[3:])
sys.exit(code)
"""

RECORD = ("record", "--title", "x", "--rationale", "y", "--on", "feature:search")


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(str(tmp_path / "state" / "precedent" / "spool"))


def killed_at(step: int, client: Client, service: Scripted, words: tuple[str, ...]) -> int:
    """Run a command that dies at a step; its exit code."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(CLIENT), str(step), *words],
        # Without git, which has steps of its own.
        env={**client.environment, "PRECEDENT_URL": service.url, "PATH": "/nonexistent"},
        cwd=client.home,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done.returncode


def keys(service: Scripted) -> set[str]:
    return {body["key"] for body in service.bodies}


def test_a_record_killed_at_any_step_is_spooled_or_sent_or_was_not_begun(
    client: Client, spool: Spool
) -> None:
    for step in itertools.count(1):
        with scripted(Reply(append_like_the_service, 201)) as service:
            code = killed_at(step, client, service, RECORD)
            kept, asked = spool.names(), bool(service.requests)
            assert kept or asked or code == -signal.SIGKILL
            if code == 0:
                assert kept == []
                break
            flush(spool, service)
            assert spool.names() == []
            # Sent twice, perhaps, but under one key: the service writes it once.
            assert len(keys(service)) == (1 if kept or asked else 0)
    assert step > 12


def test_nothing_is_sent_before_it_is_kept(client: Client, spool: Spool) -> None:
    """The first kill at which the service had been asked finds the request on the disk."""
    for step in itertools.count(1):
        with scripted(Reply(append_like_the_service, 201)) as service:
            killed_at(step, client, service, RECORD)
            if service.requests:
                assert len(spool.names()) == 1
                return
            for name in spool.names():
                spool.drop(name)


@pytest.mark.parametrize("answer", ["taken", "refused"])
def test_a_flusher_killed_at_any_step_leaves_it_waiting_sent_or_set_aside(
    answer: str, client: Client, spool: Spool
) -> None:
    replies = {"taken": Reply(append_like_the_service, 201), "refused": problem("invalid", 422)}
    for step in itertools.count(1):
        with scripted(replies[answer]) as service:
            spool.keep(service.url, "demo", {"decision": {"title": "x"}, "key": "k"}).leave()
            code = killed_at(step, client, service, ("spool", "flush"))
            waiting, refused = spool.names(), spool.quarantined()
            assert len(waiting) + len(refused) == 1 or (answer == "taken" and service.requests)
            flush(spool, service)
            assert spool.names() == []
            assert len(spool.quarantined()) == (1 if answer == "refused" else 0)
            assert keys(service) == {"k"}
            for name in spool.quarantined():
                spool.drop(name)
        if code == 0:
            break
    assert step > 8


def flush(spool: Spool, service: Scripted) -> None:
    """What the next flusher does."""

    def send(waiting: Waiting) -> None:
        config = Config(service.url, "pct_test", waiting.project, 10.0)
        Service(config).record(flusher.in_background(waiting.request))

    flusher.flush_once(spool, send)
