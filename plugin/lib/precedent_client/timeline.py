"""`precedent timeline`: an element's story, oldest first, with what each decision replaced and for how long it held."""

from __future__ import annotations

from typing import Any

from precedent_client import escape, reading, render
from precedent_client.render import members, objects
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced, indented

Json = dict[str, Any]


def timeline(service: Service, identity: str, terminal: Terminal) -> int:
    """Print it."""
    steps, first = reading.pages(service, f"/elements/{identity}/timeline", "steps")
    of = members(first, "element")
    lines = [f"{reading.name(of)}  {escape.line(of.get('id', identity))}, oldest first"]
    lines += [line for step in steps for line in _step(step)]
    terminal.answer(
        {"element": of, "steps": steps}, fenced(lines, f"project {service.config.project}")
    )
    return 0


def _step(step: Json) -> list[str]:
    lines = ["", f"{escape.line(step.get('date', '?'))}  {reading.headline(step)}"]
    lines += render.provenance([members(step, "recorded")])
    for gone in objects(step, "replaced"):
        what = "" if gone.get("slot") == "@" else f"{_set(gone)}, "
        lines.append(
            f"    replaced {what}{escape.line(gone.get('id'))} {escape.line(gone.get('title', ''))}"
            f" ({escape.line(gone.get('why'))})"
        )
    lines += [f"    {_period(period)}" for period in objects(step, "decided")]
    if step.get("rationale"):
        lines += ["    why:", *indented(step["rationale"], "      ")]
    return lines


def _set(found: Json) -> str:
    return f"{escape.line(found.get('slot'))} = {escape.value(found.get('value'))}"


def _period(period: Json) -> str:
    what = "held" if period.get("slot") == "@" else _set(period)
    past = ", recorded as history" if period.get("historical") else ""
    if not period.get("until"):
        return f"{what}{past}, to this day" if not past else f"{what}{past}"
    by = f", ended by {escape.line(period['ended_by'])}" if period.get("ended_by") else ""
    return f"{what}{past}, until {escape.line(period['until'])}{by}"
