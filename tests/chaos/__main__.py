"""`python -m tests.chaos --seconds 120 --writers 8 --seed N`: exit code 1 if a promise was broken."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from precedent.aws.access import Access
from precedent.aws.log import S3Log
from precedent.aws.pointers import AccessPointers
from precedent.consume import Scope

from local import deploy, process
from local.home import TENANT, Home, read_exports
from tests.chaos.check import Answered, failures
from tests.chaos.server import MISCHIEF
from tests.chaos.trouble import Trouble, call_up, started
from tests.integration.conftest import free_port

PROJECT = "chaos"
SHOWN = 40
"""Broken promises that are printed; all are counted."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    for name in [name for name in os.environ if name.startswith(("AWS_", "PRECEDENT_"))]:
        del os.environ[name]
    process.SERVER = "tests.chaos.server"
    with tempfile.TemporaryDirectory(prefix="precedent-chaos-") as folder:
        home = Home(Path(folder).resolve() / "home", free_port())
        try:
            broken = run(home, arguments.seed, arguments.seconds, arguments.writers)
        finally:
            process.stop(home)
    for text in broken[:SHOWN]:
        print(f"✗ {text}")
    said = "✓ every 2xx is in the log and in the projection, exactly once"
    print(f"✗ {len(broken)} promises broken" if broken else said, f"(seed {arguments.seed})")
    sys.exit(bool(broken))


def run(home: Home, seed: int, seconds: float, count: int) -> list[str]:
    """One run; returns the promises that were broken."""
    deployed = call_up(home).deployed
    access = Access(deployed.access_table, deploy.client(home, "dynamodb"))
    # The first two processes are two installs of one writer.
    names = [f"writer-{max(number, 1)}" for number in range(count)]
    tokens = {name: access.add_writer(TENANT, name, "writer") for name in sorted(set(names))}
    files = [home.root / f"answers-{number}" for number in range(count)]
    writers = [
        started(
            ("tests.chaos.writer", str(seed), str(number), str(seconds), str(files[number])),
            home,
            {
                "PRECEDENT_URL": home.url,
                "PRECEDENT_TOKEN": tokens[name],
                "PRECEDENT_PROJECT": PROJECT,
            },
        )
        for number, name in enumerate(names)
    ]
    trouble = Trouble(home, deployed, PROJECT, random.Random(seed))
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            trouble.make()
            broken = [writer.pid for writer in writers if writer.poll() not in (None, 0)]
            assert not broken, f"writers {broken} ended of themselves; see {home.root}"
    finally:
        trouble.end()
        if sys.exc_info()[0]:
            for writer in writers:
                writer.kill()
    call_up(home)
    for writer in writers:
        writer.wait()
    call_up(home)  # its sweep is the one sweep after everybody rests
    os.environ.update(read_exports(home.aws))
    scope = Scope(TENANT, PROJECT)
    answers = [(name, _read(file)) for name, file in zip(names, files, strict=True)]
    log = S3Log(deployed.log_bucket, *_names(scope))
    pointers = AccessPointers(
        Access(deployed.access_table), *_names(scope), deployed.projection_table
    )
    _tell(home, answers, trouble)
    given = [
        Answered(name, one["key"], tuple((id_, seq) for id_, seq in one["results"]))
        for name, told in answers
        for one in told
        if one["status"] in (200, 201)
    ]
    unanswered = [one["key"] for _, told in answers for one in told if not one["status"]]
    held = [f"{key} was never answered, though nothing is missing" for key in unanswered]
    return [*held, *failures(given, scope, log, pointers)]


def _tell(home: Home, answers: list[tuple[str, list[dict]]], trouble: Trouble) -> None:
    every = [one for _, told in answers for one in told]
    statuses = Counter(one["status"] for one in every)
    entries = sum(seq is not None for one in every for _, seq in one["results"])
    met: Counter[str] = sum((Counter(one["met"]) for one in every), Counter())
    print(f"{len(every)} requests of {len(answers)} processes, sent {met.total()} times in all")
    print(f"answers: {', '.join(f'{n} × {status}' for status, n in sorted(statuses.items()))}")
    print(f"what a try met: {', '.join(f'{n} × {status}' for status, n in sorted(met.items()))}")
    print(f"{entries} entries acknowledged")
    print(f"killed: {', '.join(f'{n} × {what}' for what, n in sorted(trouble.done.items()))}")
    told = (home.root / MISCHIEF).read_text("utf-8").splitlines()
    spoilt = Counter(told)
    print(
        f"DynamoDB: {', '.join(f'{n} × {what}' for what, n in sorted(spoilt.items()))}", flush=True
    )


def _read(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _names(scope: Scope) -> tuple[str, str]:
    return scope.tenant, scope.project


if __name__ == "__main__":
    main()
