"""`precedent pull`: what is in force of the project, onto this machine, for when the service is away."""

from __future__ import annotations

import gzip
import json
import os
import time
from typing import Any

from precedent_client import durable, offline, reading, recall, render
from precedent_client.faults import Unreachable
from precedent_client.render import objects
from precedent_client.service import Service
from precedent_client.terminal import Terminal

Json = dict[str, Any]
PAGES = 10_000
"""Pages of changes; a service that gives more gives the same one again."""


def pull(service: Service, terminal: Terminal, quiet: bool) -> int:
    """Fetch everything, then put it in place at once: a copy is whole or as it was."""
    known = offline.brief(service.config.url, service.config.project)
    # First, so that what is recorded meanwhile is among the changes of the next time.
    since = _now(service, str(known.get("since") or ""))
    elements, _ = reading.pages(service, "/elements", "elements")
    names = [f"{one.get('kind')}:{one.get('name')}" for one in elements]
    found = recall.fetch(service, recall.Area(names), pages=None)
    conflicts, _ = reading.pages(service, "/conflicts", "conflicts")
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    raw = gzip.compress(json.dumps({"at": at, "recalled": found}).encode(), mtime=0)
    durable.write(offline.place(service.config.url, service.config.project, "snapshot.gz"), raw)
    brief = {
        "at": at,
        "since": since,
        "conflicts": [
            {"element": one.get("element"), "slot": one.get("slot")} for one in conflicts
        ],
    }
    durable.write(
        offline.place(service.config.url, service.config.project, "brief"),
        json.dumps(brief).encode(),
    )
    durable.prune(os.path.dirname(offline.place(service.config.url, service.config.project, "")))
    if not quiet:
        counts = {
            "elements": len(found["elements"]),
            "decisions": len(found["decisions"]),
            "bytes": len(raw),
        }
        elements_told = render.count(counts["elements"], "element")
        decisions_told = render.count(counts["decisions"], "decision")
        lines = [f"{elements_told} and {decisions_told} in {len(raw)} bytes, as of {at}"]
        terminal.answer({"at": at, **counts}, lines)
    return 0


def _now(service: Service, since: str) -> str:
    """The point after everything that has arrived."""
    for _ in range(PAGES):
        body = service.get_of_project("/changes", [("since", since)] if since else []).body
        since = str(body.get("since") or since)
        if body.get("more") is not True or not objects(body, "changes"):
            return since
    raise Unreachable("The service gives no end of its changes.", "unexpected-answer")
