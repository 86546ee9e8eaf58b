"""`kill -9` of the local AWS while decisions are being recorded: what a 2xx acknowledged is there after."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

from local import process, up
from local.home import Home, read_exports

ROUNDS = 3
SECONDS = (0.5, 2.5)
"""How long into a round the server is killed, at least and at most."""


def request(home: Home, method: str, path: str, body: object = None) -> Any:
    values = read_exports(home.env)
    sent = urllib.request.Request(
        home.url + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {values['PRECEDENT_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(sent, timeout=60) as answer:
        return json.load(answer)


def record(home: Home, round_: int, number: int) -> str:
    """Record one decision; returns the id a 2xx acknowledged."""
    decision = {
        "title": f"Round {round_} number {number}",
        "rationale": "It has to survive.",
        "mutations": [
            {
                "op": "set_prop",
                "element": "topic:kill",
                "key": f"r{round_}n{number}",
                "value": number,
            }
        ],
    }
    body = {"decision": decision, "key": f"kill-{round_}-{number}"}
    answer = request(home, "POST", "/v1/projects/demo/decisions", body)
    return str(answer["results"][0]["id"])


def digest(home: Home) -> Any:
    return request(home, "GET", "/v1/projects/demo/digest")


def test_what_was_acknowledged_survives(home: Home) -> None:
    up.up(home)
    chance = random.Random(1)
    acknowledged: set[str] = set()

    def write(round_: int) -> None:
        for number in range(10_000):
            try:
                acknowledged.add(record(home, round_, number))
            except (OSError, HTTPException, ValueError):
                return  # the server is gone

    for round_ in range(ROUNDS):
        acknowledged.add(record(home, round_, 99_999))  # warm
        pid = process.running(home)
        assert pid is not None
        writer = threading.Thread(target=write, args=(round_,))
        writer.start()
        threading.Event().wait(chance.uniform(*SECONDS))
        os.kill(pid, signal.SIGKILL)
        writer.join()
        os.waitpid(pid, 0)
        up.up(home)
        for id_ in acknowledged:
            assert request(home, "GET", f"/v1/projects/demo/decisions/{id_}")
    assert len(acknowledged) > ROUNDS
    assert digest(home)["entries"] >= len(acknowledged)


def test_the_digest_is_the_same_after_a_kill(home: Home) -> None:
    up.up(home)
    for number in range(5):
        record(home, 0, number)
    before = digest(home)
    pid = process.running(home)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    up.up(home)
    assert digest(home) == before
    # Values recorded now are still compared with those recorded before: the salt survived too.
    answer = request(
        home,
        "POST",
        "/v1/projects/demo/decisions",
        {
            "decision": {
                "title": "Another who says the same",
                "rationale": "They agree.",
                "mutations": [
                    {"op": "set_prop", "element": "topic:kill", "key": "r0n1", "value": 1}
                ],
            },
            "key": "agrees",
        },
    )
    assert answer["results"][0]["status"] == "recorded"
    assert answer["results"][0]["conflicts"] == []
