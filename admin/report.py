"""A verification as people and as programs read it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from precedent.findings import Finding, Grade, Kind
from precedent.verify import Report
from rich.console import Console
from rich.text import Text

SHOWN = 20
"""Findings of one kind a terminal is given; `--json` has them all."""

HEALTHY, UNHEALTHY, UNREAD = 0, 1, 5
_STYLE = {Grade.UNREAD: "red", Grade.LOG: "red", Grade.WRONG: "yellow", Grade.UNTIDY: "dim"}


def exit_code(report: Report) -> int:
    """0 healthy, 5 if something could not be read, else 1."""
    if report.healthy:
        return HEALTHY
    return UNREAD if report.of(Kind.UNREAD) else UNHEALTHY


def as_json(report: Report) -> dict[str, Any]:
    """Everything that was found, for programs."""
    return {
        "healthy": report.healthy,
        "generation": report.generation,
        "writers": report.writers,
        "entries": report.entries,
        "digest": {
            "log": str(report.log_digest),
            "projection": str(report.projected_digest),
            "equal": report.log_digest == report.projected_digest,
        },
        "findings": [
            {
                "kind": finding.kind.title,
                "grade": finding.kind.grade.name.lower(),
                "where": finding.where,
                "detail": finding.detail,
                "cost": finding.cost,
                "mend": finding.kind.mend,
            }
            for finding in report.findings
        ],
    }


def say(report: Report, out: Console) -> None:
    """What was found, the worst first: each kind once with what it costs and what mends it."""
    by_kind: dict[tuple[Kind, str], list[Finding]] = {}
    for finding in report.findings:
        by_kind.setdefault((finding.kind, finding.cost), []).append(finding)
    grades = list(Grade)
    for (kind, cost), found in sorted(
        by_kind.items(), key=lambda pair: grades.index(pair[0][0].grade)
    ):
        out.print(Text(f"{kind.title}  {len(found)}", style=_STYLE[kind.grade]))
        for finding in found[:SHOWN]:
            _line(out, f"  {finding.where}: {finding.detail}")
        if len(found) > SHOWN:
            _line(out, f"  … and {len(found) - SHOWN} more; --json names them all")
        _line(out, f"  costs: {cost}")
        _line(out, f"  mend:  {kind.mend}\n")
    counts = Counter(finding.kind.grade for finding in report.findings)
    equal = "equal" if report.log_digest == report.projected_digest else "NOT EQUAL"
    _line(
        out, f"{report.entries} entries of {report.writers} writers, generation {report.generation}"
    )
    _line(out, f"digest of the log        {report.log_digest}")
    _line(out, f"digest of the projection {report.projected_digest}  {equal}")
    told = ", ".join(f"{count} {_GRADES[grade]}" for grade, count in counts.items())
    verdict = "✓ healthy" if report.healthy else "✗ not healthy"
    out.print(
        Text(verdict + (f": {told}" if told else ""), style="green" if report.healthy else "red")
    )


def _line(out: Console, text: str) -> None:
    out.print(Text(text), soft_wrap=True)


_GRADES = {
    Grade.UNREAD: "could not be read",
    Grade.LOG: "in the log",
    Grade.WRONG: "in the projection",
    Grade.UNTIDY: "untidy",
}


def dump(value: object) -> None:
    """One line of JSON on standard output."""
    print(json.dumps(value, ensure_ascii=False))
