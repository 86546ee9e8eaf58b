"""`precedent import log`: the log of the older tool, which kept everything on each machine.

`log/<install>.ndjson`, an event a line: `{"hash", "actor", "install_id", "lamport", "recorded_at", "decision"}`, the
decision being `{"id", "title", "rationale", "author", "refs", "supersedes", "targets", "mutations"}`. Lamport's clock
orders them, across machines too. In force was what nothing supersedes. A line that is none is named and passed over;
a torn last line harms no other.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from typing import Any

from precedent_client import adr_plan, canonical, durable, escape, moving
from precedent_client.faults import Usage
from precedent_client.import_log import LIMIT
from precedent_client.moving import AUTHOR, Told
from precedent_client.render import items, members, objects

Json = dict[str, Any]
ENDING = ".ndjson"
KIND = "topic"
"""The kind of an element that was named without one."""


def plan(path: str) -> Json:
    """What would be recorded of a file, or of all files of a folder or of its `log`. Raises Usage for none."""
    unread: list[Json] = []
    events: dict[str, Json] = {}
    for file in _files(path):
        for number, event in _events(file, unread):
            name = str(event.get("hash") or f"{os.path.basename(file)}:{number}")
            events.setdefault(name, event)  # a machine may have another's events too
    order = sorted(events, key=lambda name: _order(name, events[name]))
    warnings: dict[str, list[str]] = {}
    told = _told(order, events, warnings)
    entries = moving.plan(told)
    for entry in entries:
        entry["warnings"] = [*warnings.get(entry["name"], []), *entry["warnings"]]
    return {"entries": entries, "unread": unread, "notes": []}


def _files(path: str) -> list[str]:
    if os.path.isfile(path):
        return [path]
    for folder in (path, os.path.join(path, "log")):
        found = [os.path.join(folder, name) for name in durable.listed(folder, ENDING)]
        if found:
            return found
    raise Usage(f"{escape.line(path)} holds no log of the older tool (log/<install>{ENDING}).")


def _events(file: str, unread: list[Json]) -> list[tuple[int, Json]]:
    raw = durable.read(file, LIMIT)
    if raw is None:
        unread.append({"file": os.path.basename(file), "reason": "it cannot be read"})
        return []
    found = []
    for number, line in enumerate(raw.split(b"\n"), 1):
        if not line.strip():
            continue
        reason = "it is no event"
        try:
            event = json.loads(line.decode("utf-8"))
            decision = members(event, "decision")
            canonical.dumps(decision)
        except (ValueError, RecursionError):
            event, decision, reason = None, {}, "it is not JSON"
        title = decision.get("title")
        if isinstance(decision.get("id"), str) and isinstance(title, str) and title.strip():
            found.append((number, event))
        else:
            unread.append({"file": f"{os.path.basename(file)}:{number}", "reason": reason})
    return found


def _order(name: str, event: Json) -> tuple[str, ...]:
    clock = event.get("lamport")
    number = clock if isinstance(clock, int) and not isinstance(clock, bool) and clock >= 0 else 0
    return f"{number:020d}", str(event.get("install_id", "")), name


def _told(order: list[str], events: dict[str, Json], warnings: dict[str, list[str]]) -> list[Told]:
    found: list[Told] = []
    texts: dict[str, bytes] = {}
    names: dict[str, str] = {}
    for name in order:
        decision = members(events[name], "decision")
        names.setdefault(str(decision["id"]), name)
    for name in order:
        event = events[name]
        decision, said = members(event, "decision"), warnings.setdefault(name, [])
        origin, text = str(decision["id"]), canonical.dumps(decision)
        anew = _decision(decision, said)
        if texts.setdefault(origin, text) != text:
            said.append(
                f"another text under the id {escape.line(origin)}: it supersedes the former"
            )
            anew["supersedes"] = [*anew.get("supersedes", []), origin]
            origin = f"{origin}#{name}"
        author = decision.get("author") or event.get("actor")
        found.append(
            Told(
                name=name,
                origin=origin,
                decision=anew,
                date=_date(event.get("recorded_at"), said),
                order=_order(name, event),
                refs=[(AUTHOR, escape.line(author))] if author else [],
                after=[names[one] for one in anew.get("supersedes", []) if one in names],
            )
        )
    return found


def _decision(old: Json, said: list[str]) -> Json:
    title = adr_plan.shortened(str(old["title"]).strip(), adr_plan.TITLE, "", "the title", said)
    reason = str(old.get("rationale") or "")
    anew: Json = {
        "title": title,
        "rationale": adr_plan.shortened(reason, adr_plan.RATIONALE, "", "the rationale", said),
    }
    mutations = [_element(one) for one in items(old, "targets")]
    for one in objects(old, "mutations"):
        made = _mutation(one)
        if made:
            mutations.append(made)
        else:
            said.append(f"a change was not understood and left out: {escape.value(one)[:200]}")
    unique = {canonical.dumps(one): one for one in mutations if one}
    anew["mutations"] = list(unique.values()) or [_element(title)]
    supersedes = [str(one) for one in items(old, "supersedes") if isinstance(one, str)]
    if supersedes:
        anew["supersedes"] = supersedes
    refs = [_ref(one) for one in items(old, "refs")]
    if refs:
        anew["refs"] = [one for one in refs if one]
    return anew


def _element(found: Any) -> Json:
    """What a target names: `kind:name`, a bare name, or an object with both."""
    if isinstance(found, dict):
        kind, name = (
            str(found.get("kind") or found.get("type") or KIND),
            str(found.get("name") or ""),
        )
    else:
        kind, colon, name = str(found).partition(":")
        kind, name = (kind, name) if colon and kind.strip() else (KIND, str(found))
    kind, name = kind.replace(":", " ").strip()[:64], adr_plan.element_name(name)
    return {"op": "upsert_element", "kind": kind or KIND, "name": name} if name else {}


def _mutation(found: Json) -> Json:
    """A change in today's words; `{}` for one that has none."""
    about = found.get("element") or found.get("target")
    if isinstance(about, dict):
        about = f"{about.get('kind', KIND)}:{about.get('name', '')}"
    operation = str(found.get("op") or found.get("type") or "")
    if operation == "upsert_element":
        made = _element(found)
        props = {str(key): _value(one) for key, one in members(found, "props").items()}
        return {**made, "props": props} if made and props else made
    if operation in ("set_prop", "set") and about and found.get("key"):
        made = {"op": "set_prop", "element": _named(about), "key": str(found["key"])}
        return {**made, "value": _value(found.get("value"))}
    if operation in ("add_link", "retire_link") and {"from", "link", "to"} <= found.keys():
        ends = {name: _named(found[name]) for name in ("from", "to")}
        return {"op": operation, **ends, "link": str(found["link"])}
    return {}


def _named(reference: Any) -> str:
    text = str(reference).strip()
    return text if ":" in text else f"{KIND}:{text}"


def _value(found: Any) -> Any:
    if isinstance(found, list):
        return [str(one) for one in found][:50]
    if isinstance(found, (str, bool, int)) or found is None:
        return found
    return str(found) if isinstance(found, float) else escape.value(found)


def _ref(found: Any) -> Json:
    if isinstance(found, str) and found:
        return {"rel": "see", "url": found[:2000]}
    if isinstance(found, dict):
        url = found.get("url") or found.get("href") or found.get("id")
        rel = found.get("rel") or found.get("type") or "see"
        return {"rel": str(rel)[:64], "url": str(url)[:2000]} if url else {}
    return {}


def _date(stated: Any, said: list[str]) -> str:
    """An instant as the service takes it; empty where none can be told."""
    text = str(stated or "").strip()
    for form in ("%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d"):
        try:
            found = dt.datetime.strptime(text.replace("Z", "+0000"), form)  # noqa: DTZ007
        except ValueError:
            continue
        if found.tzinfo is None:
            return found.date().isoformat()
        instant = found.astimezone(dt.timezone.utc).replace(tzinfo=None)
        return f"{instant.isoformat()}Z"
    said.append(f"its date cannot be read: {escape.line(text)[:60]}")
    return ""
