"""How long whole commands of the client take, next to starting an interpreter that does nothing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.bench import story
from tests.bench.aws import LocalAws

ROUNDS = 11
CLIENT = Path(__file__).parents[2] / "plugin/bin/precedent"
NOTHING = "python3 -c pass"


def commands() -> dict[str, list[str]]:
    client = [sys.executable, str(CLIENT)]
    return {
        NOTHING: [sys.executable, "-c", "pass"],
        "precedent whoami": [*client, "whoami"],
        "precedent recall": [*client, "recall", "--element", story.name_of(31)],
    }


def seconds(aws: LocalAws, project: str, token: str) -> dict[str, float]:
    """The median time of each command; they take turns, so that a busy moment hits all of them."""
    environment = _environment(aws, project, token)
    taken: dict[str, list[float]] = {name: [] for name in commands()}
    for number in range(ROUNDS + 1):
        for name, command in commands().items():
            spent = _seconds(command, environment)
            if number:  # the first call to a function imports all it needs
                taken[name].append(spent)
    return {name: statistics.median(times) for name, times in taken.items()}


def _seconds(command: list[str], environment: Mapping[str, str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    spent = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    return spent


def _environment(aws: LocalAws, project: str, token: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PRECEDENT_")}
    return {
        **kept,
        "PRECEDENT_URL": aws.api,
        "PRECEDENT_TOKEN": token,
        "PRECEDENT_PROJECT": project,
        "PRECEDENT_SESSION": "bench",
        "XDG_STATE_HOME": str(aws.home.tmp),
    }
