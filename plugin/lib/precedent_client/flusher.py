"""Sending what waits in the spool, in the background, for as long as it takes and no longer."""

from __future__ import annotations

import random
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Callable

from precedent_client import background
from precedent_client.faults import AnotherLogin, Fault, Forbidden, NotAllowed, Refused, Unreachable
from precedent_client.spool import Damaged, Spool, Waiting, login_of

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
PASSES = 20
"""Then it is left to the next command or session: a quarter of an hour in all."""

_LATER = ("unknown-decision",)
"""Refusals that time may cure: what is superseded may be on its way from another machine."""

Send = Callable[[Waiting], Any]
"""Send one request, or raise a Fault."""


@dataclass
class Passed:
    """What became of what waited, each named."""

    sent: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    """By name, why."""
    another_login: list[str] = field(default_factory=list)
    """Those of the left that are somebody else's."""


def is_final(fault: Fault) -> bool:
    """Whether the service will never take this request, however often it is asked.

    Only a refusal that names its reason is: a bare 404 or 301 says that the address is wrong.
    """
    if isinstance(fault, Forbidden):
        return True
    if not isinstance(fault, Refused) or fault.name in _LATER:
        return False
    return not fault.name.startswith("http-") or fault.name == "http-413"


def flush_once(spool: Spool, send: Send) -> Passed:
    """Send each waiting request that nobody else has in hand, and none to a service that is not to be had."""
    passed = Passed()
    away: dict[str, str] = {}  # by service, why
    for name in spool.names():
        held = spool.hold(name)
        if held is None:
            continue  # in somebody else's hands
        try:
            waiting = spool.read(name)
            if waiting.url in away:
                passed.left[name] = away[waiting.url]
                continue
            send(waiting)
        except (Damaged, Refused, Forbidden) as trouble:
            if isinstance(trouble, Fault) and not is_final(trouble):
                passed.left[name] = trouble.message
                continue
            spool.set_aside(name, _reason(trouble))
            passed.set_aside.append(name)
        except Fault as fault:
            passed.left[name] = fault.message
            if isinstance(fault, AnotherLogin):
                passed.another_login.append(name)
            if isinstance(fault, (Unreachable, NotAllowed)):
                away[waiting.url] = fault.message
        else:
            held.done()
            passed.sent.append(name)
        finally:
            held.leave()
    return passed


def flush(spool: Spool, send: Send, pause: Callable[[float], None] = time.sleep) -> None:
    """Send until nothing waits that is this login's. Returns at once if another flusher is at work."""
    attempt = 0
    others: set[str] = set()
    while not others.issuperset(spool.names()) and attempt < PASSES:
        mine = spool.flushing()
        if mine is None:
            return
        try:
            while attempt < PASSES:
                others.update(flush_once(spool, send).another_login)
                if others.issuperset(spool.names()):
                    break
                pause(backoff(attempt))
                attempt += 1
        finally:
            mine.leave()
        # Asked again only now that the right to flush is given back: a record that came in before found
        # it taken and relies on us, one that comes in later starts a flusher of its own.


def backoff(attempt: int) -> float:
    """Seconds before the next attempt: twice as long each time, at random within the upper half."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt, 16))
    return longest * (0.5 + random.random() / 2)


def is_another_login(waiting: Waiting, token: str) -> bool:
    """Whether somebody else recorded it than the one whose token this is."""
    return waiting.login != login_of(waiting.url, token)


def sender(mine: Collection[str] = ()) -> Send:
    """Sends with what this machine knows of the service a request was meant for.

    Only what was recorded with the same token, and what a person says is theirs.
    """
    from precedent_client import config
    from precedent_client.service import Service

    def send(waiting: Waiting) -> None:
        settings = config.of(waiting.url, waiting.project)
        if waiting.name not in mine and is_another_login(waiting, settings.token):
            raise AnotherLogin(
                f"it waits for another login. If it is yours: precedent spool retry --mine {waiting.name}"
            )
        Service(settings).record(in_background(waiting.request))

    return send


def in_background(request: dict[str, Any]) -> dict[str, Any]:
    """The request as it is sent while nobody is there to read a 409: what was not read stands beside it."""
    if request.get("on_unseen", "refuse") == "refuse":
        return {**request, "on_unseen": "branch"}
    return request


def start() -> None:
    """Start a flusher that outlives this process. That there is one is as good: the second sees it and ends."""
    background.start(["spool", "flush"])


def _reason(trouble: Exception) -> dict[str, Any]:
    if isinstance(trouble, Fault):
        return {"name": trouble.name, "message": trouble.message}
    return {"name": "damaged", "message": str(trouble)}
