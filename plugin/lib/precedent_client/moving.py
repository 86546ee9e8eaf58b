"""Decisions of elsewhere, recorded anew by whoever imports them.

Nobody writes into another's log, so what is imported is this writer's own entry: with its date, and with where it
came from and who recorded it as references. That makes its id another one, the same in every import of the same
thing. What was in force there is in force here: each decision is recorded in the order in which it was, and takes
out of force what it took out there, by the same reasons.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from precedent_client import canonical, changes, escape, repository
from precedent_client.adr_plan import ORIGIN
from precedent_client.adr_send import (
    BATCH,
    BATCH_BYTES,
    OF_ONE_DECISION,
    Outcome,
    take,
)
from precedent_client.faults import Fault, Refused
from precedent_client.mutations import slots_of
from precedent_client.render import objects
from precedent_client.service import Service

Json = dict[str, Any]
AUTHOR = "recorded-by"
"""The reference that says who recorded it where it came from."""
REFS, IDS = 50, 2000


@dataclass
class Told:
    """One recording of a decision elsewhere.

    `name` is what it is called there, `origin` the decision's id there; `supersedes` in `decision`, `seen`, `overrule`
    and `beside` are ids there too. `after` are the names of what has to be recorded before.
    """

    name: str
    origin: str
    decision: Json
    date: str
    order: tuple[str, ...]
    refs: list[tuple[str, str]]
    after: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    overrule: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    on_unseen: str = "branch"


@dataclass
class Request:
    """Decisions that can be recorded together."""

    entries: list[Json]
    verdicts: Json


def plan(found: Iterable[Told]) -> list[Json]:
    """What would be recorded, in order: `{"name", "id", "origin", "time", "decision", "verdicts", "warnings"}`.

    `time` counts the recordings of one decision. However often it was recorded there, its text here is the one
    that its first recording made.
    """
    ids: dict[str, str] = {}
    anew: dict[str, Json] = {}
    times: dict[str, int] = {}
    entries = []
    for told in _ordered(found):
        warnings: list[str] = []
        if told.origin not in anew:
            anew[told.origin] = _anew(told, ids, warnings)
            ids[told.origin] = canonical.decision_id(anew[told.origin])
        times[told.origin] = times.get(told.origin, 0) + 1
        verdicts: Json = {"on_unseen": told.on_unseen}
        given: set[str] = set()
        for name in ("overrule", "seen", "beside"):
            mine = [ids[one] for one in getattr(told, name) if one in ids]
            kept = [one for one in dict.fromkeys(mine) if one not in given][:IDS]
            given.update(kept)
            if kept:
                verdicts[name] = kept
        decision = anew[told.origin]
        entries.append(
            {
                "name": told.name,
                "id": ids[told.origin],
                "origin": told.origin,
                "time": times[told.origin],
                "decision": decision,
                "verdicts": verdicts,
                "warnings": warnings,
            }
        )
    return entries


def _anew(told: Told, ids: dict[str, str], warnings: list[str]) -> Json:
    decision = dict(told.decision)
    refs = list(objects(decision, "refs"))
    named = list(dict.fromkeys(decision.pop("supersedes", [])))
    known = [ids[one] for one in named if one in ids]
    if known:
        decision["supersedes"] = list(dict.fromkeys(known))
    unknown = [("supersedes", one) for one in named if one not in ids]
    if unknown:
        warnings.append(f"supersedes what is not here: {', '.join(one for _, one in unknown)}")
    if told.date:
        decision.setdefault("date", told.date)
    # What came from elsewhere already says so, and stays what it is.
    moved = any(ref.get("rel") == ORIGIN for ref in refs)
    added = unknown if moved else [(ORIGIN, told.origin), *told.refs, *unknown]
    refs += [{"rel": rel[:64], "url": url[:2000]} for rel, url in added if rel and url]
    if len(refs) > REFS:
        warnings.append(f"{len(refs) - REFS} references left out: at most {REFS} are taken")
        refs = [*refs[: REFS - len(added)], *refs[-len(added) :]]
    if refs:
        decision["refs"] = refs
    return decision


def _ordered(found: Iterable[Told]) -> list[Told]:
    """By `order`, except that what has to come before does. What goes round in a circle comes as it stands."""
    by_name = {told.name: told for told in found}
    waiting = {name: {one for one in told.after if one in by_name and one != name}
               for name, told in by_name.items()}  # fmt: skip
    behind: dict[str, list[str]] = {}
    for name, before in waiting.items():
        for one in before:
            behind.setdefault(one, []).append(name)
    ready = [(by_name[name].order, name) for name, before in waiting.items() if not before]
    heapq.heapify(ready)
    ordered: list[Told] = []
    left = dict(by_name)
    while left:
        if not ready:
            name = min(left, key=lambda one: (left[one].order, one))
            ready = [(left[name].order, name)]
            waiting[name] = set()
        _, name = heapq.heappop(ready)
        if name not in left:
            continue
        ordered.append(left.pop(name))
        for one in behind.get(name, []):
            if one in left and name in waiting[one]:
                waiting[one].discard(name)
                if not waiting[one]:
                    heapq.heappush(ready, (left[one].order, one))
    return ordered


def send(service: Service, entries: list[Json], progress: Callable[[int], None]) -> Outcome:
    """Record a plan's entries, in its order."""
    outcome = Outcome()
    here = repository.circumstances()
    try:
        for request in _requests(_not_done(service, entries, outcome)):
            _record(service, request, here, outcome)
            progress(len(outcome.results))
    except Fault as fault:
        outcome.stopped = fault
    return outcome


def _not_done(service: Service, entries: list[Json], outcome: Outcome) -> list[Json]:
    """The entries without those that an earlier import has recorded.

    An entry that was displaced in its turn would displace again what it displaced then.
    """
    times = Counter(str(one.get("id")) for one in changes.fetch(service, None)[0])
    left = []
    for entry in entries:
        if times[entry["id"]] < entry["time"]:
            left.append(entry)
        else:
            named = {name: entry[name] for name in ("name", "id")}
            outcome.results.append({**named, "status": "already_recorded"})
    return left


def _is_plain(entry: Json) -> bool:
    return set(entry["verdicts"]) == {"on_unseen"}


def _requests(entries: list[Json]) -> list[Request]:
    """Together goes what has no verdicts of its own and sets no slot twice."""
    found: list[Request] = []
    slots: set[tuple[str, str]] = set()
    ids: set[str] = set()
    size = 0
    for entry in entries:
        mine = slots_of(entry["decision"])
        bytes_ = len(canonical.dumps(entry["decision"])) + 1
        fits = (
            found
            and _is_plain(entry)
            and found[-1].verdicts == entry["verdicts"]
            and len(found[-1].entries) < BATCH
            and size + bytes_ <= BATCH_BYTES
            and not slots & mine
            and entry["id"] not in ids
        )
        if not fits:
            found.append(Request([], entry["verdicts"]))
            slots, ids, size = set(), set(), 0
        found[-1].entries.append(entry)
        slots |= mine
        ids.add(entry["id"])
        size += bytes_
    return found


def _record(service: Service, request: Request, here: Json, outcome: Outcome) -> None:
    """Send a request; if it is refused, halve it until what is refused stands alone."""
    batch = request.entries
    sent = {
        "decisions": [entry["decision"] for entry in batch],
        "key": canonical.fresh_key(),
        **request.verdicts,
        **({"circumstances": here} if here else {}),
    }
    try:
        answer = service.record(sent)
    except Refused as fault:
        if fault.name not in OF_ONE_DECISION:
            raise
        if len(batch) == 1:
            outcome.results.append(
                {
                    "name": batch[0]["name"],
                    "id": batch[0]["id"],
                    "status": "refused",
                    "reason": escape.line(fault.message),
                }
            )
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            _record(service, Request(half, request.verdicts), here, outcome)
        return
    take(batch, objects(answer.body, "results"), outcome)
