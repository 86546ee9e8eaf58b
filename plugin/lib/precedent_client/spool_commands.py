"""`precedent spool`: what this machine still owes the service, sent or given up by a person."""

from __future__ import annotations

from typing import Any

from precedent_client import escape, flusher, settings
from precedent_client.faults import NotAllowed, Refused, Unreachable, Usage
from precedent_client.flusher import Passed
from precedent_client.spool import Damaged, Spool, Waiting
from precedent_client.terminal import Terminal

Json = dict[str, Any]


def run(action: str, names: list[str], mine: bool, terminal: Terminal) -> int:
    """Carry out one of list, retry, drop and flush."""
    spool = Spool()
    if mine and (action != "retry" or not names):
        raise Usage("--mine goes with `precedent spool retry` and the names of what is yours.")
    if action in ("list", "flush") and names:
        raise Usage(f"`precedent spool {action}` takes no names.")
    if action == "list":
        return _list(spool, terminal)
    if action == "drop":
        return _drop(spool, names, terminal)
    if action == "retry":
        return _retry(spool, names, names if mine else [], terminal)
    flusher.flush(spool, flusher.sender())
    return 0


def _list(spool: Spool, terminal: Terminal) -> int:
    waiting = [_described(spool, name) for name in spool.names()]
    refused = [
        {**_described(spool, name), "refused": spool.reason(name)} for name in spool.quarantined()
    ]
    lines = [line for one in waiting for line in _waits(one)]
    for one in refused:
        lines += [
            *_lines(one, "was refused"),
            f"    {escape.line(one['refused'].get('message', '?'))}",
        ]
    terminal.answer(
        {"waiting": waiting, "quarantined": refused},
        lines or ["Nothing waits: the service has everything that was recorded here."],
    )
    return 0


def _waits(one: Json) -> list[str]:
    if not one.get("another_login"):
        return _lines(one, "waits to be sent")
    return [
        *_lines(one, "waits for another login"),
        f"    If it is yours, recorded with an older token: precedent spool retry --mine {one['name']}",
    ]


def _retry(spool: Spool, names: list[str], mine: list[str], terminal: Terminal) -> int:
    quarantined = spool.quarantined()
    _check(names, quarantined + spool.names())
    for name in names:
        if name in quarantined:
            spool.put_back(name)
    passed = flusher.flush_once(spool, flusher.sender(mine))
    terminal.answer(vars(passed), _account(spool, passed))
    if passed.set_aside:
        raise Refused("The service will not take what is named above.", "quarantined")
    if passed.another_login and len(passed.another_login) == len(passed.left):
        raise NotAllowed("What still waits was recorded by another login.", "another-login")
    if passed.left:
        raise Unreachable("What is named above still waits; nothing is lost.", "waiting")
    return 0


def _drop(spool: Spool, names: list[str], terminal: Terminal) -> int:
    if not names:
        raise Usage("Name what to give up, as `precedent spool list` prints it.")
    _check(names, spool.names() + spool.quarantined())
    dropped = []
    for name in names:
        dropped.append(_described(spool, name))
        spool.drop(name)
    terminal.answer(
        {"dropped": dropped}, [line for one in dropped for line in _lines(one, "is given up")]
    )
    return 0


def _check(names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise Usage(f"Nothing in the spool is called {escape.line(name)}: precedent spool list")


def _described(spool: Spool, name: str) -> Json:
    try:
        found = spool.read(name)
    except (Damaged, OSError) as trouble:
        return {"name": name, "trouble": str(trouble)}
    return {
        "name": name,
        "url": found.url,
        "project": found.project,
        "kept_at": found.kept_at,
        "key": found.request["key"],
        "titles": found.titles,
        "another_login": _is_anothers(found),
    }


def _is_anothers(found: Waiting) -> bool:
    token = settings.token_for(found.url)
    return bool(token) and flusher.is_another_login(found, token)


def _lines(one: Json, what: str) -> list[str]:
    if "trouble" in one:
        return [f"{one['name']} {what}: {escape.line(one['trouble'])}"]
    where = f"project {escape.line(one['project'])} at {escape.line(one['url'])}"
    lines = [f"{one['name']} {what}: {where}, kept {escape.line(one['kept_at'])}"]
    return lines + [f"    {escape.line(title)}" for title in one["titles"]]


def _account(spool: Spool, passed: Passed) -> list[str]:
    lines = [f"{name} was sent" for name in passed.sent]
    lines += [
        f"{name} was refused: {escape.line(spool.reason(name).get('message', '?'))}"
        for name in passed.set_aside
    ]
    lines += [f"{name} still waits: {escape.line(why)}" for name, why in passed.left.items()]
    return lines or ["Nothing was waiting."]
