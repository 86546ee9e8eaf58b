"""Reading beyond recall: one element, its history, the directory, the conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from precedent_client import escape, recall, render
from precedent_client.faults import Unreachable
from precedent_client.render import items, members, objects
from precedent_client.seen import Seen
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced

Json = dict[str, Any]


def pages(
    service: Service, path: str, name: str, query: Sequence[tuple[str, str]] = ()
) -> tuple[list[Json], Json]:
    """Every object of a paged list, and the first page for what else it says."""
    found: list[Json] = []
    first: Json = {}
    given: dict[str, bool] = {}
    cursor = ""
    while cursor not in given:
        given[cursor] = True
        page = service.get_of_project(path, [*query, *([("cursor", cursor)] if cursor else [])])
        first = first or page.body
        found += objects(page.body, name)
        if not page.body.get("cursor"):
            return found, first
        cursor = str(page.body["cursor"])
    raise Unreachable(f"The service gave the same page of {name} twice.", "unexpected-answer")


def element(
    service: Service, identity: str, as_of: str | None, seen: Seen, terminal: Terminal
) -> int:
    """Print what is in force on one element, or was."""
    answer = recall.fetch_element(service, identity, as_of)
    return recall.tell(service, answer, [identity], seen, terminal)


def elements(service: Service, kind: str | None, terminal: Terminal) -> int:
    """Print the elements ever named."""
    query = [("kind", kind)] if kind is not None else []
    found, _ = pages(service, "/elements", "elements", query)
    of_kind = f" of kind {escape.line(kind)}" if kind is not None else ""
    lines = [f"{escape.line(one.get('id'))}  {name(one)}" for one in found]
    if lines:
        lines = fenced(lines, f"project {service.config.project}")
    lines.append(render.count(len(found), "element") + of_kind)
    terminal.answer({"elements": found}, lines)
    return 0


def history(service: Service, identity: str, terminal: Terminal) -> int:
    """Print what happened on an element, newest first."""
    events, first = pages(service, f"/elements/{identity}/history", "events")
    of = members(first, "element")
    lines = [f"{name(of)}  {escape.line(of.get('id', identity))}, newest first"]
    lines += [line for event in events for line in _event(event)]
    terminal.answer(
        {"element": of, "events": events}, fenced(lines, f"project {service.config.project}")
    )
    return 0


def _event(event: Json) -> list[str]:
    lines = ["", f"{escape.line(event.get('date', '?'))}  {headline(event)}"]
    lines += render.provenance([members(event, "recorded")])
    for verb, slots in (("decided", "claims"), ("decided once, as history,", "historical")):
        told = ", ".join(
            "this itself" if one == "@" else escape.line(one) for one in items(event, slots)
        )
        if told:
            lines.append(f"    {verb} {told}")
    for gone in objects(event, "displaced"):
        slot = gone.get("slot")
        on = "" if slot == "@" else f" on {escape.line(slot)}"  # a note holds only itself
        lines.append(
            f"    displaced {escape.line(gone.get('id'))} {escape.line(gone.get('title', ''))}"
            f"{on} ({escape.line(gone.get('why'))})"
        )
    by = ", ".join(escape.line(one) for one in items(event, "displaced_by"))
    if event.get("in_force"):
        lines.append("    in force here" + (f", displaced in part by {by}" if by else ""))
    else:
        lines.append("    NOT in force here" + (f": displaced by {by}" if by else ""))
    return lines


def conflicts(service: Service, terminal: Terminal) -> int:
    """Print the slots on which decisions stand against each other, and how to settle one."""
    found, _ = pages(service, "/conflicts", "conflicts")
    if not found:
        lines = [f"No conflicts in project {service.config.project}."]
    else:
        told = [line for one in found for line in conflict(one)]
        lines = fenced(told, f"project {service.config.project}")
        lines.append(
            f"{len(found)} open. To see one in full and settle it: precedent resolve ELEMENT SLOT"
        )
    terminal.answer({"conflicts": found}, lines)
    return 0


def conflict(found: Json) -> list[str]:
    """A conflict, side by side."""
    slot = f"{escape.line(found.get('element', '?'))} {escape.line(found.get('slot', '?'))}"
    lines = [f"{slot} is decided in ways that differ:"]
    for head in objects(found, "heads"):
        recorded = members(head, "recorded")
        lines.append(
            f"    {escape.value(head.get('value'))}  by {headline({**head, 'id': head.get('decision')})}"
            f"  ({escape.line(recorded.get('writer', '?'))}, {escape.line(recorded.get('at', '?'))})"
        )
    return lines


def headline(told: Json) -> str:
    """A decision's id and title on one line."""
    return render.heading(
        str(told.get("id", "?")), {**told, "title": told.get("title") or "(redacted)"}
    )


def name(element: Json) -> str:
    return f"{escape.line(element.get('kind', '?'))}:{escape.line(element.get('name', '?'))}"
