"""The tables of a run, and whether what must be flat is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.bench.latency import NOTHING
from tests.bench.load import Loaded
from tests.bench.operations import Measured

TOLERANCE = 1.2
"""How much more the largest store may cost than the smallest."""

_METRICS = {
    "s3_puts": "S3 puts, lists",
    "s3_gets": "S3 gets",
    "requests": "DynamoDB requests",
    "read_units": "read units",
    "write_units": "write units",
}


@dataclass(frozen=True)
class StoreReport:
    """What one store showed; `seconds` are medians of whole commands."""

    decisions: int
    elements: int
    loaded: Loaded
    measured: Sequence[Measured]
    seconds: dict[str, float]


@dataclass(frozen=True)
class Line:
    """One number of one operation, in every store."""

    operation: str
    metric: str
    values: tuple[float, ...]
    must_be_flat: bool

    @property
    def growth(self) -> float:
        first, last = self.values[0], self.values[-1]
        return last / first if first else float(bool(last)) + 1

    @property
    def grows(self) -> bool:
        return self.growth > TOLERANCE


def lines(reports: Sequence[StoreReport]) -> Iterator[Line]:
    for same in zip(*(report.measured for report in reports), strict=True):
        costs = [asdict(measured.cost) for measured in same]
        for metric, label in _METRICS.items():
            values = tuple(cost[metric] for cost in costs)
            if any(values):
                yield Line(same[0].name, label, values, same[0].flat)


def failures(reports: Sequence[StoreReport]) -> list[str]:
    """What had to be flat and is not."""
    return [
        f"{line.operation}: {line.metric} grow by {line.growth:.2f}"
        for line in lines(reports)
        if line.must_be_flat and line.grows
    ]


def as_json(reports: Sequence[StoreReport]) -> dict[str, Any]:
    return {
        "stores": [asdict(report) for report in reports],
        "tolerance": TOLERANCE,
        "not_flat": failures(reports),
    }


def as_text(reports: Sequence[StoreReport]) -> Iterator[str]:
    yield _row("decisions", "", [_short(report.decisions) for report in reports], "growth")
    told = ""
    for line in lines(reports):
        name = line.operation if line.operation != told else ""
        told = line.operation
        verdict = "grows" if line.grows else "flat"
        if line.grows and line.must_be_flat:
            verdict = "GROWS, and must not"
        values = [f"{value:.1f}" for value in line.values]
        yield _row(name, line.metric, values, f"{line.growth:.2f}  {verdict}")
    yield ""
    yield _row("elements", "", [str(report.elements) for report in reports], "")
    yield _row("items in the table", "", [str(report.loaded.items) for report in reports], "")
    for name, sizes in (
        ("table, bytes a decision", [report.loaded.item_bytes for report in reports]),
        ("log, bytes a decision", [report.loaded.log_bytes for report in reports]),
    ):
        each = [size / report.decisions for size, report in zip(sizes, reports, strict=True)]
        yield _row(name, "", [f"{size:.0f}" for size in each], f"{each[-1] / each[0]:.2f}")
    yield ""
    yield f"Whole commands, as multiples of `{NOTHING}`; no time here is asserted on"
    for name in reports[0].seconds:
        if name == NOTHING:
            continue
        ratios = [report.seconds[name] / report.seconds[NOTHING] for report in reports]
        growth = f"{ratios[-1] / ratios[0]:.2f}"
        yield _row(name, "", [f"{ratio:.1f}" for ratio in ratios], growth)


def _row(name: str, metric: str, values: Sequence[str], last: str) -> str:
    cells = "".join(f"{value:>9}" for value in values)
    return f"{name:<24} {metric:<18}{cells}   {last}".rstrip()


def _short(decisions: int) -> str:
    return f"{decisions // 1000}k" if decisions % 1000 == 0 else str(decisions)
