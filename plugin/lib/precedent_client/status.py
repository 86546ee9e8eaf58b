"""Who is asking, where, and how the project stands."""

from __future__ import annotations

from typing import Any

from precedent_client import __version__, escape, reading
from precedent_client.faults import Refused
from precedent_client.service import Service
from precedent_client.terminal import Terminal

Json = dict[str, Any]


def whoami(service: Service, terminal: Terminal) -> int:
    """Print who the service takes this token for."""
    found = service.get("/whoami").body
    where = f"project {service.config.project} at {escape.line(service.config.url)}"
    terminal.answer(found, [_person(found), where])
    return 0


def digest(service: Service, terminal: Terminal) -> int:
    """Print the digest of the project."""
    found = service.get_of_project("/digest").body
    counts = _counts(found)
    terminal.answer(found, [escape.line(found.get("digest", "?")), *([counts] if counts else [])])
    return 0


def status(service: Service, terminal: Terminal) -> int:
    """Print all of it; whatever the service cannot say is said to be missing."""
    person = service.get("/whoami").body
    open_conflicts, _ = reading.pages(service, "/conflicts", "conflicts")
    try:
        found = service.get_of_project("/digest").body
        told = f"{escape.line(found.get('digest', '?'))}  {_counts(found)}"
    except Refused as fault:
        if fault.name != "too-large":
            raise
        found, told = {"digest": None}, escape.line(fault.message)
    count = len(open_conflicts)
    terminal.answer(
        {
            "url": service.config.url,
            "project": service.config.project,
            "client": __version__,
            **person,
            **found,
            "conflicts": count,
        },
        [
            f"service    {escape.line(service.config.url)} answers",
            f"you        {_person(person)}",
            f"project    {service.config.project}",
            f"digest     {told}",
            f"conflicts  {count} open" + (": precedent conflicts" if count else ""),
            f"client     {__version__}",
        ],
    )
    return 0


def _person(found: Json) -> str:
    writer, role, tenant = (
        escape.line(found.get(name, "?")) for name in ("writer", "role", "tenant")
    )
    return f"{writer} ({role}) of {tenant}"


def _counts(found: Json) -> str:
    return ", ".join(
        f"{escape.line(found[name])} {name}" for name in ("entries", "elements") if name in found
    )
