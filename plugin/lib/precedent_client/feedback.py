"""`precedent used|rejected|contradicted ID …`: what became of decisions that were handed out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from precedent_client import durable, escape, render, session
from precedent_client.faults import Refused, Unreachable, Usage
from precedent_client.render import items, members
from precedent_client.seen import is_id
from precedent_client.service import Service
from precedent_client.terminal import Terminal

Json = dict[str, Any]
KINDS = ("used", "rejected", "contradicted")
AT_ONCE = 100


def say(service: Service, kind: str, ids: Sequence[str], of: str | None, terminal: Terminal) -> int:
    """Say it for a session, this one unless another is named. Saying it again changes nothing."""
    whose = of or session.stated() or durable.named(session.key())
    told: Json = {"counted": 0, "before": 0, "unknown": []}
    named = list(dict.fromkeys(ids))
    for start in range(0, len(named), AT_ONCE):
        sent = {"session": whose[:200], kind: named[start : start + AT_ONCE]}
        answer = service.give_feedback(sent).body
        told = {
            "counted": told["counted"] + int(answer.get("counted") or 0),
            "before": told["before"] + int(answer.get("before") or 0),
            "unknown": [*told["unknown"], *items(answer, "unknown")],
        }
    lines = [f"{render.count(told['counted'], 'decision')} counted as {kind}"]
    if told["before"]:
        lines.append(f"{told['before']} said before in this session")
    lines += [f"{escape.line(one)} is not known here" for one in told["unknown"]]
    terminal.answer(told, lines)
    return 3 if told["unknown"] else 0


def check(ids: Sequence[str]) -> None:
    """Raise Usage for what is no id."""
    for one in ids:
        if not is_id(one):
            raise Usage(f"{escape.line(one)} is no decision id: d_ and 24 hexadecimal digits.")


def counts(service: Service, ids: Sequence[str], terminal: Terminal) -> Json:
    """By id, what was said; says so where it could not be read."""
    found: Json = {}
    try:
        for start in range(0, len(ids), AT_ONCE):
            query = [("decision", one) for one in ids[start : start + AT_ONCE]]
            found.update(members(service.get_of_project("/feedback", query).body, "feedback"))
    except Unreachable:
        terminal.warn("What became of it could not be read.")
    except Refused:
        pass  # a service that is older than feedback
    return found


def line(told: Any) -> list[str]:
    """The counts of one decision as a line; nothing where nothing was said."""
    parts = []
    for kind in KINDS:
        tally = members(told, kind)
        if tally:
            sessions = render.count(int(tally.get("sessions") or 0), "session")
            writers = render.count(int(tally.get("writers") or 0), "writer")
            parts.append(f"{kind} in {sessions} by {writers}")
    return [f"    {'; '.join(parts)}"] if parts else []
