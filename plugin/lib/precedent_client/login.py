"""`precedent login`, `logout` and `config`: who this machine is to which service."""

from __future__ import annotations

import json
import os
import sys

from precedent_client import config, durable, escape, settings
from precedent_client.faults import Usage
from precedent_client.service import Service
from precedent_client.terminal import Terminal

_TOKEN_LIMIT = 4096


def login(url: str, project: str | None, terminal: Terminal) -> int:
    """Check a token with the service, and only then store it."""
    token = _token()
    known = project or settings.find().project
    # Who somebody is does not depend on the project; a name is needed to ask at all.
    service = Service(config.checked(settings.bare(url), token, known or "any"))
    if service.config.warning:
        terminal.warn(service.config.warning)
    person = service.get("/whoami").body
    stored = {
        "url": service.config.url,
        "token": token,
        **({"project": project} if project else {}),
    }
    durable.write(settings.stored_path(), json.dumps(stored).encode())
    who = f"{escape.line(person.get('writer', '?'))} ({escape.line(person.get('role', '?'))})"
    terminal.answer(
        {"url": service.config.url, **person},
        [
            f"You are {who} at {escape.line(service.config.url)}. Stored in {settings.stored_path()}."
        ],
    )
    return 0


def logout(terminal: Terminal) -> int:
    """Forget the token on this machine. (Whoever runs the service revokes it.)"""
    paths = [
        path for path in (settings.stored_path(), settings.handed_path()) if os.path.exists(path)
    ]
    for path in paths:
        durable.remove(path)
    left = [path for path in paths if os.path.exists(path)]
    if left:
        raise Usage(f"This could not be removed: {', '.join(left)}")
    terminal.answer(
        {"removed": paths}, [f"Removed {path}." for path in paths] or ["Nothing was stored."]
    )
    return 0


def show(terminal: Terminal) -> int:
    """Print what is set and where, never the token."""
    found = settings.find()
    values = {
        "url": [found.url, found.url_from],
        "token": ["set" if found.token else "", ""],
        "project": [found.project, found.project_from],
    }
    lines = [
        f"{name:<8} {escape.line(value) or 'not set'}"
        + (f"  (from the {source})" if source else "")
        for name, (value, source) in values.items()
    ]
    terminal.answer(
        {
            "url": found.url,
            "url_from": found.url_from,
            "token": bool(found.token),
            "project": found.project,
            "project_from": found.project_from,
        },
        lines,
    )
    return 0


def _token() -> str:
    """From the keyboard without showing it, or from stdin; never from the arguments."""
    if sys.stdin.isatty():
        import getpass

        token = getpass.getpass("Token: ")
    else:
        token = sys.stdin.read(_TOKEN_LIMIT)
    if not token.strip():
        raise Usage("No token came in. Type it when asked, or pipe it: precedent login URL < file")
    return token.strip()
