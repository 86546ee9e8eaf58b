"""Recording a plan: in batches, each all or nothing, with what was refused set apart and named.

Recording the same decision again writes nothing, because its id is its content; so an import that was
interrupted is simply run again. The `key` of a batch covers the retries within a run and is fresh in
each: with the key of an earlier run the service would answer what it wrote then, not what is true now.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from precedent_client import adr_plan, canonical, escape, repository
from precedent_client.adr_plan import Json
from precedent_client.faults import Fault, Refused
from precedent_client.render import items, objects
from precedent_client.service import Service

BATCH = 100
BATCH_BYTES = 900_000
DECISION_BYTES = 64 * 1024


@dataclass
class Outcome:
    """What became of each entry, by name, and the fault that ended the import early, if one did."""

    results: list[Json] = field(default_factory=list)
    stopped: Fault | None = None
    conflicts: list[Any] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def send(
    service: Service, entries: list[Json], folder: str | None, progress: Callable[[int], None]
) -> Outcome:
    """Record the entries, which are in order and have their ids, as from the repository of a folder."""
    ids = {entry["name"]: entry["id"] for entry in entries}
    outcome = Outcome()
    here = repository.circumstances(folder)
    ready = []
    for entry in entries:
        decision = adr_plan.with_ids(entry["decision"], ids)
        ready.append({"name": entry["name"], "id": entry["id"], "decision": decision})
    try:
        for batch in _batches(ready):
            _record(service, batch, here, outcome)
            progress(len(outcome.results))
    except Fault as fault:
        outcome.stopped = fault
    return outcome


def _batches(entries: list[Json]) -> list[list[Json]]:
    batches: list[list[Json]] = [[]]
    size = 0
    for entry in entries:
        more = len(canonical.dumps(entry["decision"])) + 1
        if batches[-1] and (len(batches[-1]) == BATCH or size + more > BATCH_BYTES):
            batches.append([])
            size = 0
        batches[-1].append(entry)
        size += more
    return [batch for batch in batches if batch]


def _record(service: Service, batch: list[Json], here: Json, outcome: Outcome) -> None:
    """Send a batch; if it is refused, halve it until what is refused stands alone."""
    request = {
        "decisions": [entry["decision"] for entry in batch],
        "key": canonical.fresh_key(),
        "on_unseen": "branch",
        **({"circumstances": here} if here else {}),
    }
    try:
        answer = service.record(request)
    except Refused as fault:
        if fault.name not in OF_ONE_DECISION:
            raise
        if len(batch) == 1:
            reason = escape.line(fault.message)
            outcome.results.append({**_named(batch[0]), "status": "refused", "reason": reason})
            return
        middle = len(batch) // 2
        _record(service, batch[:middle], here, outcome)
        _record(service, batch[middle:], here, outcome)
        return
    take(batch, objects(answer.body, "results"), outcome)


OF_ONE_DECISION = (
    "invalid", "too-large", "secret", "slot-set-twice", "unknown-decision", "unseen-head",
    "http-400", "http-409", "http-413", "http-422",
)  # fmt: skip


def _named(entry: Json) -> Json:
    return {"name": entry["name"], "id": entry["id"]}


def take(batch: list[Json], results: list[Json], outcome: Outcome) -> None:
    if len(results) != len(batch):
        raise Refused(
            f"The service answered {len(results)} results for {len(batch)} decisions; what became of "
            "them is not known. Run the same command again: nothing is recorded twice.",
            "unexpected-answer",
        )
    for entry, result in zip(batch, results):
        if result.get("id") != entry["id"]:
            outcome.warnings.append(
                f"{entry['name']}: recorded as {escape.line(result.get('id'))}, computed as "
                f"{entry['id']}; links to it may be missing"
            )
        status = str(result.get("status", "unknown"))
        outcome.results.append({**_named(entry), "status": status})
        outcome.conflicts += items(result, "conflicts")
        outcome.warnings += [
            f"{entry['name']}: {escape.line(warning)}" for warning in items(result, "warnings")
        ]
