"""`precedent alias` and `precedent name`: two names for one thing, and what a name stands for."""

from __future__ import annotations

from typing import Any

from precedent_client import canonical, escape, mutations, reading
from precedent_client.faults import Usage
from precedent_client.render import objects
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced

Json = dict[str, Any]
TITLE = 200


def alias_request(former: str, current: str, reason: str) -> Json:
    """The request that says that one element is another. Raises Usage."""
    if not reason.strip():
        raise Usage("--reason says why: the next reader asks.")
    one, other = mutations.element(former, "FORMER"), mutations.element(current, "CURRENT")
    if mutations.element_id(one) == mutations.element_id(other):
        raise Usage(f"{escape.line(one)} and {escape.line(other)} are one name already.")
    decision: Json = {
        "title": f"{one} is {other}"[:TITLE],
        "rationale": reason,
        "outcome": "adopted",
        "mutations": [{"op": "alias", "element": one, "to": other}],
    }
    return {"decision": decision, "key": canonical.fresh_key()}


def name(service: Service, asked: str, terminal: Terminal) -> int:
    """Print the elements a name stands for, the one it is called now first."""
    answer = service.get_of_project("/resolve", [("name", asked)]).body
    found = objects(answer, "elements")
    lines = [
        f"{escape.line(one.get('id'))}  {reading.name(one)}  ({escape.line(one.get('why', '?'))}"
        + ("" if one.get("current") else ", not called so any more")
        + ")"
        for one in found
    ]
    if lines:
        lines = fenced(lines, f"project {service.config.project}")
    else:
        lines = [f"Nobody ever named {escape.line(asked)} in project {service.config.project}."]
    terminal.answer(answer, lines)
    return 0
