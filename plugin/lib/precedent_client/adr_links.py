"""How records stand to each other: which supersedes which, and what becomes a reference."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from precedent_client.adr_record import Record, number_of


@dataclass
class Links:
    """`supersedes` by file name; `refs` as (rel, address); `withdrawn` with the reason why."""

    supersedes: dict[str, list[str]] = field(default_factory=dict)
    refs: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    withdrawn: dict[str, str] = field(default_factory=dict)


def resolve(records: list[Record], prefix: str) -> Links:
    """Put the records' links together, from whichever end they are stated. Adds warnings to them."""
    order = {record.file: place for place, record in enumerate(records)}
    found = Links(refs={record.file: [] for record in records})
    edges = _edges(records, prefix, found)
    _without_circles(edges, order, records, prefix, found)
    _withdraw(records, found)
    for record in records:
        # Said twice, once of the whole and once of a part: the whole counts.
        whole = {prefix + older for newer, older in edges if newer == record.file}
        whole |= {prefix + newer for newer, older in edges if older == record.file}
        refs = [
            (rel, url)
            for rel, url in found.refs[record.file]
            if not (url in whole and rel.startswith("partly-"))
        ]
        found.refs[record.file] = refs
        if refs:
            rels = sorted({rel for rel, _ in refs})
            record.warnings.append(f"kept as a reference only: {', '.join(rels)}")
    return found


def _edges(records: list[Record], prefix: str, found: Links) -> list[tuple[str, str]]:
    """(newer, older) for each supersession; everything else the records say becomes a reference."""
    by_name = {record.file: record for record in records}
    edges: list[tuple[str, str]] = []
    for record in records:
        refs = found.refs[record.file]
        if {one.target for one in record.relations if one.rel == "partly-superseded-by"} == {""}:
            record.warnings.append(
                "partly superseded, but it does not say by what; it stays in force"
            )
        for rel, written in [(one.rel, one.target) for one in record.relations if one.target]:
            target = _target(written, record, records)
            if target is None:
                record.warnings.append(f"“{rel} {written}” leads to no record here")
                refs.append((rel, written))
            elif target == record.file:
                record.warnings.append(f"says “{rel}” of itself; left out")
            elif rel == "superseded-by":
                edges.append((target, record.file))
            elif rel == "supersedes" and _replaces(record, by_name[target]):
                edges.append((record.file, target))
            else:
                refs.append((rel, prefix + target))
    return list(dict.fromkeys(edges))


def _replaces(newer: Record, older: Record) -> bool:
    """A proposal that says it supersedes something has not done so yet, unless the other agrees."""
    return newer.standing not in ("note", "unknown", "rejected") or older.standing == "superseded"


def _target(written: str, record: Record, records: list[Record]) -> str | None:
    """The file a link or a number means; None if no file, or several, could be meant."""
    if written.isdigit():
        return _only([one.file for one in records if one.number == int(written)])
    address = unquote(re.split(r"[?#]", written, maxsplit=1)[0])
    names = [one.file for one in records]
    if "://" not in address:
        near = posixpath.normpath(posixpath.join(posixpath.dirname(record.file), address))
        if near in names:
            return near
    base = posixpath.basename(address)
    same = _only([name for name in names if posixpath.basename(name) == base])
    number = number_of(base)
    if same is None and number is not None and "://" not in address:
        same = _only([one.file for one in records if one.number == number])
        if same is not None:
            record.warnings.append(f"links to {base}, which is not here; taken as {same}")
    return same


def _only(found: list[str]) -> str | None:
    return found[0] if len(found) == 1 else None


def _without_circles(
    edges: list[tuple[str, str]],
    order: dict[str, int],
    records: list[Record],
    prefix: str,
    found: Links,
) -> None:
    """Take the links over, those from a later to an earlier record first: they can form no circle."""
    for newer, older in sorted(edges, key=lambda edge: order[edge[0]] < order[edge[1]]):
        if _reaches(older, newer, found.supersedes):
            records[order[newer]].warnings.append(
                f"superseding {older} would go round in a circle; left out"
            )
            found.refs[newer].append(("supersedes", prefix + older))
        else:
            found.supersedes.setdefault(newer, []).append(older)


def _reaches(start: str, end: str, supersedes: dict[str, list[str]]) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        if here == end:
            return True
        fresh = [name for name in supersedes.get(here, []) if name not in seen]
        seen.update(fresh)
        waiting += fresh
    return False


def _withdraw(records: list[Record], found: Links) -> None:
    """Records that say they are out of force, with no record here that takes them out."""
    replaced = {older for names in found.supersedes.values() for older in names}
    for record in records:
        if record.file not in replaced and record.standing in ("deprecated", "superseded"):
            found.withdrawn[record.file] = record.standing


def in_order(records: list[Record], supersedes: dict[str, list[str]]) -> list[Record]:
    """The order of the files, except that what is superseded comes before what supersedes it."""
    import heapq

    place = {record.file: index for index, record in enumerate(records)}
    waits = {record.file: len(supersedes.get(record.file, [])) for record in records}
    after: dict[str, list[str]] = {}
    for newer, names in supersedes.items():
        for older in names:
            after.setdefault(older, []).append(newer)
    ready = [place[name] for name, count in waits.items() if not count]
    heapq.heapify(ready)
    found: list[Record] = []
    while ready:
        record = records[heapq.heappop(ready)]
        found.append(record)
        for newer in after.get(record.file, []):
            waits[newer] -= 1
            if not waits[newer]:
                heapq.heappush(ready, place[newer])
    return found
