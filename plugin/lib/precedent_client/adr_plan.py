"""From records to a plan: the decisions an import would record, in order, as editable JSON.

In a plan `supersedes` names other entries by `name`, so an entry can be edited without breaking links;
ids are computed when the plan is recorded. What would change an id without a change of mind stays out of
the decision: a status that later becomes "superseded by" must lead to the same id as before.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from precedent_client import adr_files, adr_links, canonical, repository
from precedent_client.adr_options import Option
from precedent_client.adr_record import Record
from precedent_client.faults import Usage

Json = dict[str, Any]
VERSION = "precedent-adr/1"

TITLE, RATIONALE, OPTION, OPTIONS, URL, REFS, SUPERSEDES = 200, 8000, 1000, 20, 2000, 50, 50
"""The service's limits, in code points and counts."""

RECORD, WITHDRAWAL, ORIGIN = "adr", "adr-withdrawn", "precedent"
"""The references that say which file a decision came from, which file a note withdraws, and what it is elsewhere."""

OUTCOMES = {"rejected": "rejected", "note": "note", "unknown": "note"}
"""Every other standing was adopted once; superseded and deprecated ones are then displaced."""


def make(folder: str, repository_name: str | None) -> Json:
    """Read a folder and say what would be recorded. Raises Usage if it holds no record."""
    records, unread, skipped = adr_files.read_folder(folder)
    if not records and not unread:
        raise Usage(
            f"{folder} holds no decision records (Markdown files with a status or a decision)."
        )
    prefix = repository.path_in_repository(folder) or ""
    name = repository_name or repository.project_name(folder)
    links = adr_links.resolve(records, prefix)
    ordered = adr_links.in_order(records, links.supersedes)
    entries: list[Json] = []
    for record in ordered:
        entries.append(_entry(record, links, prefix, name))
        if record.file in links.withdrawn:
            entries.append(_withdrawal(record, entries[-1]["decision"]))
    number_entries(entries)
    return {
        "plan": VERSION,
        "repository": name,
        "folder": prefix,
        "entries": entries,
        "unread": unread,
        "skipped": skipped,
        "notes": _notes(records, ordered),
        "counts": counts(entries, records, unread, skipped),
    }


def _entry(record: Record, links: adr_links.Links, prefix: str, repository_name: str) -> Json:
    warnings = record.warnings
    title = shortened(record.title, TITLE, "", "the title", warnings)
    where = f"the whole is in {record.file}"
    decision: Json = {
        "title": title,
        "rationale": shortened(record.rationale, RATIONALE, where, "the rationale", warnings),
        "outcome": OUTCOMES.get(record.standing, "adopted"),
    }
    rejected = _rejected(record, where)
    if rejected:
        decision["rejected"] = rejected
    decision["mutations"] = [
        {"op": "upsert_element", "kind": "topic", "name": element_name(title)},
        {"op": "upsert_element", "kind": "repository", "name": element_name(repository_name)},
    ]
    supersedes = links.supersedes.get(record.file, [])
    if supersedes:
        decision["supersedes"] = supersedes[:SUPERSEDES]
        if len(supersedes) > SUPERSEDES:
            warnings.append(
                f"supersedes {len(supersedes)} records; the first {SUPERSEDES} are taken"
            )
    refs = [(RECORD, prefix + record.file), *dict.fromkeys(links.refs[record.file])]
    if record.origin:
        refs.insert(1, (ORIGIN, record.origin["id"]))
    fitting = [(rel, url) for rel, url in refs if len(url) <= URL][:REFS]
    if len(fitting) < len(refs):
        warnings.append(f"{len(refs) - len(fitting)} references left out: too long, or too many")
    decision["refs"] = [{"rel": rel, "url": url} for rel, url in fitting]
    if record.date:
        decision["date"] = record.date
    if record.standing == "unknown":
        warnings.append(f"its status “{record.status[:60]}” is not known; recorded as a note")
    if record.standing == "note":
        warnings.append(f"not decided yet ({record.status[:60]}); recorded as a note")
    return {
        "name": record.file,
        "status": record.status or "none",
        "standing": record.standing,
        "decision": decision,
        "warnings": warnings,
        **({"origin": record.origin} if record.origin else {}),
    }


def _rejected(record: Record, where: str) -> list[Json]:
    taken = record.rejected[:OPTIONS]
    found = [_alternative(option, where, record.warnings) for option in taken]
    left = record.rejected[OPTIONS:]
    if left:
        names = "; ".join(option.name[:60] for option in left)
        record.warnings.append(
            f"{len(left)} rejected alternatives past {OPTIONS} left out: {names}"
        )
    return found


def _alternative(option: Option, where: str, warnings: list[str]) -> Json:
    what = f"the option “{option.name[:40]}”"
    found = {"option": shortened(option.name, OPTION, "", what, warnings)}
    if option.said.strip():
        said = shortened(option.said.strip(), OPTION, where, f"what is said of {what}", warnings)
        found["reason"] = said
    return found


def _withdrawal(record: Record, decision: Json) -> Json:
    """A note that takes a record out of force.

    It is a decision of its own, so the record keeps its id from the days when it was in force, and its
    history says both.
    """
    named = ", ".join(
        one.target for one in record.relations if one.rel == "superseded-by" and one.target
    )
    why = f"Its status in {record.file} is: {record.status}."
    if record.standing == "superseded":
        why += f" What it names as its successor ({named}) is no usable record here." if named else (
            " It names no successor."
        )  # fmt: skip
    title = shortened(
        f"No longer in force: {decision['title']}", TITLE, "", "the title", record.warnings
    )
    record.warnings.append(
        f"{record.standing} without a successor here: recorded, then withdrawn by a note"
    )
    return {
        "name": withdrawal_of(record.file),
        "status": record.status,
        "standing": "withdrawal",
        "decision": {
            "title": title,
            "rationale": why[:RATIONALE],
            "outcome": "note",
            "mutations": decision["mutations"],
            "supersedes": [record.file],
            "refs": [{"rel": WITHDRAWAL, "url": decision["refs"][0]["url"]}],
        },
        "warnings": [],
    }


def withdrawal_of(name: str) -> str:
    """The name of the entry that withdraws another."""
    return f"{name}#withdrawn"


def shortened(text: str, limit: int, where: str, what: str, warnings: list[str]) -> str:
    """Text within a limit: cut at a word's end, saying so in the text and in the warnings."""
    if len(text) <= limit:
        return text
    warnings.append(f"{what} is cut: {len(text)} code points, {limit} are taken")
    mark = f" … (cut; {where})" if where else "…"
    mark = mark[:limit]
    head = text[: limit - len(mark)]
    words = head.rsplit(None, 1)
    # A text without spaces is cut where it must be.
    if len(words) == 2 and len(words[0]) > len(head) // 2 and not text[len(head)].isspace():
        head = words[0]
    return head.rstrip() + mark


def element_name(text: str) -> str:
    """A text within the limit of an element's name, which holds for its normalised form too: `…` becomes three dots."""
    name = text.strip()[:TITLE]
    while len(canonical.normalised(name)) > TITLE:
        name = name[: len(name) - 1 - (len(canonical.normalised(name)) - TITLE) // 20].strip()
    return name


def number_entries(entries: list[Json]) -> None:
    """Give each entry its `id`, computed with `supersedes` as ids."""
    ids: dict[str, str] = {}
    for entry in entries:
        entry["id"] = ids[entry["name"]] = canonical.decision_id(with_ids(entry["decision"], ids))


def with_ids(decision: Json, ids: dict[str, str]) -> Json:
    """The decision as it is sent: names in `supersedes` replaced by the ids they stand for."""
    if "supersedes" not in decision:
        return decision
    found = [ids.get(name, name) for name in decision["supersedes"]]
    return {**decision, "supersedes": list(dict.fromkeys(found))}


def _notes(records: list[Record], ordered: list[Record]) -> list[str]:
    """What is worth knowing about the set as a whole."""
    notes = []
    place = {record.file: index for index, record in enumerate(records)}
    latest = -1
    for record in ordered:
        if place[record.file] < latest:
            notes.append(f"{record.file} comes after later files: it supersedes one of them")
        latest = max(latest, place[record.file])
    numbers = Counter(record.number for record in records if record.number is not None)
    for number, count in sorted(numbers.items()):
        if count > 1:
            names = [record.file for record in records if record.number == number]
            notes.append(f"{count} files have the number {number}: {', '.join(names)}")
    if numbers:
        present = range(min(numbers), max(numbers) + 1)
        gaps = [str(n) for n in present if n not in numbers] if len(present) < 10_000 else []
        if gaps:
            some = ", ".join(gaps[:20]) + (f" and {len(gaps) - 20} more" if len(gaps) > 20 else "")
            notes.append(f"no file has the number {some}")
    unused = Counter(key for record in records for key in record.unused)
    if unused:
        some = ", ".join(f"{key} ({count} files)" for key, count in sorted(unused.items())[:20])
        notes.append(f"front matter not used: {some}")
    return notes


def counts(
    entries: list[Json], records: list[Record], unread: list[Any], skipped: list[Any]
) -> Json:
    decisions = [entry["decision"] for entry in entries]
    return {
        "decisions": len(entries),
        "outcomes": dict(sorted(Counter(one["outcome"] for one in decisions).items())),
        "statuses": dict(sorted(Counter(record.standing for record in records).items())),
        "rejected_alternatives": sum(len(one.get("rejected", ())) for one in decisions),
        "superseded": sum(len(one.get("supersedes", ())) for one in decisions),
        "warnings": sum(len(entry["warnings"]) for entry in entries),
        "unread": len(unread),
        "skipped": len(skipped),
    }
