"""`make bench-rebuild`: reading, verifying and folding logs of growing length, and a whole rebuild into the local AWS.

Exit code 1 if the longest takes more than 40 s of one processor to verify and fold for a million, or 2 GiB, or
costs more an entry than the shortest does.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from precedent.aws.items import raw
from precedent.aws.loader import DynamoLoader, values_of
from precedent.aws.packs import S3Packs
from precedent.consume import Scope
from precedent.packed import PackedLog
from precedent.packing import pack
from precedent.ports import Item
from precedent.shares import build, finish, plan

from tests.bench.aws import LocalAws, local_aws
from tests.bench.folding import SCOPE
from tests.bench.history import SALT, History
from tests.bench.meter import size_of
from tests.bench.stored import StoredListing, StoredPacks, store

MICROSECONDS = 40
"""Of one processor, to verify and fold an entry."""

PEAK = 2 * 2**30
LINEAR = 1.3
PER_MILLION_WRITES, PER_GIGABYTE_IMPORTED = 0.625, 0.15
"""Dollars, on demand, us-east-1, November 2026; check the current prices."""


def main() -> int:
    options = _options()
    logging.disable(logging.INFO)
    found = [_folded(size) for size in options.sizes]
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        _say_folded(found)
    failures = list(_failures(found))
    if options.whole:
        with local_aws() as aws:
            whole = _whole(aws, options.whole)
        print(json.dumps(whole, indent=1)) if options.json else _say_whole(whole)
    for failure in failures:
        print(f"✗ {failure}", file=sys.stderr)
    return 1 if failures else 0


def _folded(size: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _say(f"{size} entries: writing and packing")
        raw_bytes = store(History(SCOPE, size), folder)
        packed = sum(path.stat().st_size for path in folder.rglob("*.zst"))
        _say(f"{size} entries: reading, verifying, folding")
        # In a process of its own, whose peak of memory is nobody else's.
        command = [sys.executable, "-m", "tests.bench.folding", name]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        return {**json.loads(answer.stdout), "log": raw_bytes, "packs": packed}


def _failures(found: list[dict[str, Any]]) -> list[str]:
    costs = [_each(one, "verifying") + _each(one, "folding") for one in found]
    failures = []
    if costs[-1] > MICROSECONDS:
        failures.append(f"verifying and folding take {costs[-1]:.1f} µs an entry")
    if found[-1]["peak"] > PEAK:
        failures.append(f"folding takes {found[-1]['peak'] / 2**30:.2f} GiB")
    if costs[-1] > LINEAR * costs[0]:
        failures.append(f"verifying and folding grow by {costs[-1] / costs[0]:.2f} an entry")
    return failures


def _each(one: dict[str, Any], what: str) -> float:
    """Microseconds of one processor an entry."""
    return float(one[what] / one["entries"] * 1e6)


def _say_folded(found: list[dict[str, Any]]) -> None:
    _row("entries", [f"{one['entries']:,}" for one in found])
    for what in ("reading", "verifying", "folding"):
        _row(f"{what}, entries/s on one core", [f"{1e6 / _each(one, what):,.0f}" for one in found])
    _row("verifying and folding, s", [f"{one['verifying'] + one['folding']:.1f}" for one in found])
    _row("peak memory, MiB", [f"{one['peak'] / 2**20:,.0f}" for one in found])
    _row("log, MB", [f"{one['log'] / 1e6:,.0f}" for one in found])
    _row("packs, MB", [f"{one['packs'] / 1e6:,.0f}" for one in found])


class _Counted(DynamoLoader):
    """Counts what it loads: items, bytes, write units of on-demand tables."""

    items = size = units = 0

    def load(self, items: Any) -> int:
        return super().load(map(self._count, items))

    def _count(self, item: Item) -> Item:
        size = size_of(raw(self._keys.item(item), values_of(item)))
        self.items += 1
        self.size += size
        self.units += -(-size // 1024)
        return item


def _whole(aws: LocalAws, size: int) -> dict[str, Any]:
    scope = Scope(SCOPE.tenant, SCOPE.project)
    log = aws.log(scope)
    packs = S3Packs(aws.deployed.pack_bucket, scope.tenant, scope.project)
    pointers = aws.pointers(scope)
    pointers.ensure(SALT)
    # Nothing is to project the log beside the rebuild.
    events = aws.client("events")
    for rule in events.list_rules()["Rules"]:
        events.disable_rule(Name=rule["Name"])
    with tempfile.TemporaryDirectory() as name:
        store(History(SCOPE, size), Path(name))
        _say(f"{size} entries: into the local AWS")
        for writer in (
            listed := PackedLog(StoredListing(Path(name)), StoredPacks(Path(name)))
        ).writers():
            last = listed.last(writer, 0)
            for first in range(1, last.first + 1 if last else 0):
                log.put(writer, first, listed.get(writer, first) or b"")
    _say(f"{size} entries: packing")
    began = time.monotonic()
    packed = pack(log, packs)
    packing, began = time.monotonic() - began, time.monotonic()
    reader = PackedLog(log, packs)
    planned = plan(scope, reader, pointers, "g2")
    loader = _Counted(planned.table, planned.generation, scope.tenant, scope.project)
    built = []
    for share in range(planned.shares):
        _say(f"{size} entries: share {share + 1} of {planned.shares}")
        built.append(build(planned, reader, loader, share))
    done = finish(planned, reader, pointers, built)
    seconds = time.monotonic() - began
    assert done.flipped
    return {
        "entries": built[0].entries,
        "shares": planned.shares,
        "packs": packed.packs,
        "packing": packing,
        "rebuilding": seconds,
        "items": loader.items,
        "bytes": loader.size,
        "units": loader.units,
    }


def _say_whole(whole: dict[str, Any]) -> None:
    entries, million = whole["entries"], 1e6 / whole["entries"]
    print()
    print(f"A whole rebuild of {entries:,} entries into the local AWS, in {whole['shares']} shares")
    _row("packing, s (the emulator's)", [f"{whole['packing']:.0f}"])
    _row("rebuilding, s (the emulator's)", [f"{whole['rebuilding']:.0f}"])
    _row("items an entry", [f"{whole['items'] / entries:.1f}"])
    _row("write units an entry", [f"{whole['units'] / entries:.1f}"])
    dollars = whole["units"] * million / 1e6 * PER_MILLION_WRITES
    _row("write units of a million", [f"{whole['units'] * million:,.0f}", f"${dollars:,.2f}"])
    gigabytes = whole["bytes"] * million / 2**30
    price = gigabytes * PER_GIGABYTE_IMPORTED
    _row("a million imported from S3", [f"{gigabytes:.1f} GiB", f"${price:,.2f}"])


def _row(name: str, values: list[str]) -> None:
    print(f"{name:<34}" + "".join(f"{value:>14}" for value in values))


def _say(text: str) -> None:
    print(f"· {text}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-rebuild", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.add_argument("--sizes", type=_sizes, default=_sizes("10000,100000,1000000"))
    parser.add_argument(
        "--whole", type=int, default=1000, help="entries of the whole rebuild; 0 for none"
    )
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
