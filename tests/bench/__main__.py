"""`make bench`: what operations cost in stores of growing size, and whether that stays flat.

Exit code 1 if something grows that must not. Times are printed as ratios and never judged.
"""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import time
from collections.abc import Callable

from precedent.consume import Scope
from precedent.ports import Pointer

from tests.bench import latency, story
from tests.bench.aws import LocalAws, local_aws
from tests.bench.load import load
from tests.bench.meter import Meter
from tests.bench.operations import ASKED, Bench, meter_of
from tests.bench.report import StoreReport, as_json, as_text, failures
from tests.bench.store import Store

TENANT = "bench"
SIZES = "1000,10000,100000"
SALT = "5a17" * 8
FEWEST = 1000


def main() -> int:
    options = _options()
    logging.disable(logging.INFO)
    # Otherwise an end from outside would leave the local AWS behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with local_aws() as aws:
        token = aws.access.add_writer(TENANT, "bench", "writer")
        meter = meter_of(aws)
        reports = [_measured(aws, meter, size, token) for size in options.sizes]
    if options.json:
        print(json.dumps(as_json(reports), indent=1))
    else:
        print(*as_text(reports), sep="\n")
    found = failures(reports)
    for failure in found:
        print(f"✗ {failure}", file=sys.stderr)
    return 1 if found else 0


def _measured(aws: LocalAws, meter: Meter, size: int, token: str) -> StoreReport:
    # Names of one length, so that keys are as long in every store.
    scope = Scope(TENANT, f"store-{size:09}")
    pointer = Pointer(aws.deployed.projection_table, "g1", SALT)
    aws.access.ensure_pointer(scope.tenant, scope.project, pointer)
    store = Store(scope, pointer, ASKED)
    store.record(story.tell(size), _progress(f"store of {size}: recording in memory", size))
    items = len(store.projection.table)
    loading = _progress(f"store of {size}: loading {items} items", items)
    loaded = load(store, aws.log(scope), aws.client("dynamodb"), loading)
    _say(f"store of {size}: measuring")
    measured = list(Bench(aws, store, meter).run())
    _say(f"store of {size}: timing the client")
    seconds = latency.seconds(aws, scope.project, token)
    return StoreReport(size, story.ordinary_elements(size) + 2, loaded, measured, seconds)


def _progress(what: str, total: int) -> Callable[[int], None]:
    """Says how far something is, every five seconds."""
    began = told = time.monotonic()

    def progress(done: int) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= 5:
            told = now
            left = (now - began) / done * (total - done)
            _say(f"{what}: {done / total:.0%}, about {left:.0f} s more")

    _say(what)
    return progress


def _say(text: str) -> None:
    print(f"· {text}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.add_argument(
        "--sizes", type=_sizes, default=_sizes(SIZES), help=f"decisions of each store ({SIZES})"
    )
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    sizes = [int(size) for size in text.split(",")]
    if sizes != sorted(set(sizes)) or sizes[0] < FEWEST:
        raise argparse.ArgumentTypeError(f"sizes grow, and the first is {FEWEST} or more")
    return sizes


if __name__ == "__main__":
    sys.exit(main())
