"""`precedent withdraw`: a decision that takes another out of force, everywhere, and puts nothing in its place."""

from __future__ import annotations

from typing import Any

from precedent_client import canonical, escape, record, render
from precedent_client.faults import Refused, Usage
from precedent_client.render import items, members
from precedent_client.seen import Seen
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced

Json = dict[str, Any]
TITLE = 200


def withdraw(service: Service, identity: str, reason: str, seen: Seen, terminal: Terminal) -> int:
    """Print what is withdrawn in full, and record that it is."""
    if not reason.strip():
        raise Usage("--reason says why: the next reader asks.")
    shown = service.get_of_project(f"/decisions/{identity}").body
    if shown.get("in_force") is False:
        by = ", ".join(escape.line(one) for one in items(shown, "displaced_by"))
        raise Refused(
            f"{identity} is not in force" + (f": displaced by {by}." if by else "."), "not-in-force"
        )
    title = str(members(shown, "decision").get("title") or identity)
    decision: Json = {
        "title": f"Withdrawn: {title}"[:TITLE],
        "rationale": reason,
        "outcome": "note",
        "supersedes": [identity],
    }
    answer = record.send(service, {"decision": decision, "key": canonical.fresh_key()}, seen)
    lines = fenced(render.whole(identity, shown), f"project {service.config.project}")
    terminal.answer({"withdrawn": shown, **answer}, [*lines, "", *record.told(answer)])
    if render.is_full_text(members(shown, "decision")):
        seen.add([identity])
    record.remember(answer, seen)
    return 0
