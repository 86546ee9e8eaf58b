"""What must hold of a project once all is quiet, given every answer its clients were given."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from precedent.consume import Scope
from precedent.entry import Arrived, Dot
from precedent.findings import Grade
from precedent.logcheck import LogCheck
from precedent.ports import Log, Pointers
from precedent.verify import verify

from tests.simulation import oracle


@dataclass(frozen=True)
class Answered:
    """A 2xx: what each decision of a request became, None where nothing was written for it."""

    writer: str
    key: str
    results: tuple[tuple[str, int | None], ...]


def failures(
    answers: Iterable[Answered], scope: Scope, log: Log, pointers: Pointers
) -> Iterator[str]:
    """Each promise that was broken, in words; none where every 2xx is there exactly once."""
    entries = {arrived.dot: arrived for arrived in LogCheck(scope, log).read_on()}
    pointer = pointers.read()
    assert pointer is not None
    shown = {
        status.dot: status.decision
        for status in pointers.open(pointer).all_statuses()
        if status.arrived
    }
    for answer in answers:
        for decision, seq in answer.results:
            if seq is not None:
                yield from _missing(Dot(answer.writer, seq), decision, answer.key, entries, shown)
    yield from _batches(entries.values())
    report = verify(scope, log, pointers)
    for finding in report.findings:
        if finding.kind.grade is not Grade.UNTIDY:
            yield f"{finding.kind.title}: {finding.where}: {finding.detail}"
    expected = oracle.digest(_objects(log), scope.tenant, scope.project)
    found = report.projected_digest
    if (found.total, found.entries) != expected:
        yield f"the projection holds {found.entries} entries and the log means {expected[1]}"


def _missing(
    dot: Dot, decision: str, key: str, entries: dict[Dot, Arrived], shown: dict[Dot, str]
) -> Iterator[str]:
    said = f"{key} was acknowledged as {dot.writer}/{dot.seq}"
    entry = entries.get(dot)
    if entry is None or (entry.entry.decision[0], entry.intent.key) != (decision, key):
        yield f"{said} and is not in the log"
    if shown.get(dot) != decision:
        yield f"{said} and is not in the projection"


def _batches(entries: Iterable[Arrived]) -> Iterator[str]:
    """No decision of a request twice, and a request is one object or nothing."""
    count: Counter[tuple[str, str, int]] = Counter()
    objects: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    lines: Counter[tuple[str, int]] = Counter()
    promised: dict[tuple[str, int], int] = {}
    for arrived in entries:
        writer, intent = arrived.dot.writer, arrived.intent
        count[writer, intent.key, intent.index] += 1
        objects[writer, intent.key].add(arrived.first)
        lines[writer, arrived.first] += 1
        promised[writer, arrived.first] = arrived.entry.lines
    for (writer, key, index), times in count.items():
        if times > 1:
            yield f"{key} of {writer}: decision {index} was recorded {times} times"
    for (writer, key), firsts in objects.items():
        if len(firsts) > 1:
            yield f"{key} of {writer} lies in {len(firsts)} objects"
    for (writer, first), wanted in promised.items():
        if lines[writer, first] != wanted:
            yield f"{writer}/{first} holds {lines[writer, first]} of {wanted} lines"


def _objects(log: Log) -> dict[tuple[str, int], bytes]:
    found: dict[tuple[str, int], bytes] = {}
    for name, _ in log.names():
        writer, _, file = name.rpartition("/")
        first = int(file.removesuffix(".jsonl"))
        found[writer, first] = log.get(writer, first) or b""
    return found
