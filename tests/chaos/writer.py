"""A client at full speed: sends, sends again until it is answered, and writes down each answer.

`python -m tests.chaos.writer SEED NUMBER SECONDS FILE`, with PRECEDENT_URL, _TOKEN and _PROJECT. The file gets
a line for each request: `{"key", "status", "results": [[decision, seq or null], …], "met": {status: times}}`.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any

PATIENCE = 240
"""Seconds a request is sent again after the time is up."""

PAUSE = 0.2
ELEMENTS = [
    f"feature:{name}" for name in ("search", "checkout", "orders", "stock", "login", "mail")
]
KEYS = ("engine", "language", "timeout", "owner")
REFUSALS = (409, 422)
"""Answers that are final: nothing was written."""

_ID = re.compile(rb"d_[0-9a-f]{24}")


class Writer:
    """One process of one writer; `number` keeps its keys and texts apart from those of another install."""

    def __init__(self, seed: int, number: int) -> None:
        self._dice = random.Random(f"{seed} {number}")
        self._number = number
        self._known: list[str] = []
        self._place = f"{os.environ['PRECEDENT_URL']}/v1/projects/{os.environ['PRECEDENT_PROJECT']}"

    def run(self, seconds: float, file: Path) -> None:
        end = time.monotonic() + seconds
        with file.open("a", encoding="utf-8") as out:
            sent = 0
            while time.monotonic() < end:
                sent += 1
                answered = self._send(f"chaos-{self._number}-{sent}", end + PATIENCE)
                out.write(json.dumps(answered) + "\n")
                out.flush()

    def _send(self, key: str, until: float) -> dict[str, Any]:
        """Send one request until there is an answer that settles it; status 0 if there never was."""
        body = json.dumps(self._request(key)).encode()
        met: Counter[int] = Counter()
        while time.monotonic() < until:
            status, answer = self._post(body)
            met[status] += 1
            if status in (200, 201):
                self._learn(answer)
                results = [
                    [one["id"], one["dot"] and one["dot"]["seq"]]
                    for one in json.loads(answer)["results"]
                ]
                return {"key": key, "status": status, "results": results, "met": met}
            if status in REFUSALS:
                self._learn(answer)
                return {"key": key, "status": status, "results": [], "met": met}
            time.sleep(self._dice.uniform(PAUSE / 2, PAUSE))
        return {"key": key, "status": 0, "results": [], "met": met}

    def _post(self, body: bytes) -> tuple[int, bytes]:
        request = urllib.request.Request(
            f"{self._place}/decisions",
            data=body,
            headers={
                "Authorization": f"Bearer {os.environ['PRECEDENT_TOKEN']}",
                "Content-Type": "application/json",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            try:
                return error.code, error.read()
            except (OSError, HTTPException):
                return error.code, b""
        except (OSError, HTTPException):
            return 0, b""

    def _learn(self, answer: bytes) -> None:
        self._known = sorted({*self._known, *map(bytes.decode, _ID.findall(answer))})[-50:]

    def _request(self, key: str) -> dict[str, Any]:
        count = self._dice.choice((1, 1, 1, 2, 3))
        return {
            "decisions": [self._decision(f"{key} number {number}") for number in range(count)],
            "key": key,
            "seen": self._some(),
            "on_unseen": self._dice.choice(("branch", "branch", "branch", "refuse")),
        }

    def _decision(self, title: str) -> dict[str, Any]:
        pick = self._dice.choice
        supersedes = self._some()[:1] if self._dice.random() < 0.2 else []
        value = self._dice.randrange(5)
        mutations = [
            {"op": "set_prop", "element": pick(ELEMENTS), "key": pick(KEYS), "value": value},
            {"op": "add_link", "from": pick(ELEMENTS), "link": "uses", "to": "service:db"},
            {"op": "upsert_element", "kind": "team", "name": "core"},
        ][: pick((1, 1, 2, 3))]
        return {
            "title": title,
            "rationale": "It has to survive.",
            "mutations": mutations,
            "supersedes": supersedes,
        }

    def _some(self) -> Sequence[str]:
        return self._dice.sample(self._known, min(len(self._known), self._dice.randrange(4)))


def main() -> None:
    seed, number, seconds, file = sys.argv[1:]
    Writer(int(seed), int(number)).run(float(seconds), Path(file))


if __name__ == "__main__":
    main()
