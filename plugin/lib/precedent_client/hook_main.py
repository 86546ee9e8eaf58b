"""A hook, from its stdin to its exit code, which is 0 whatever happened.

What every hook is held to: one process, at most one request, bounded in time, and nothing imported that it
does not use. That is why these modules (`hook_*` and what they import) do without `json`, `re`, `typing`,
`dataclasses` and `subprocess`: each takes as long to load as the interpreter takes to start.
"""

from __future__ import annotations

import os

from precedent_client import hook_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from precedent_client.hook_input import Event


def main(words: list[str]) -> NoReturn:
    """Carry out one event and end the process."""
    event_name = words[0] if words else ""
    try:
        _be_quiet()
        event = hook_input.read(event_name)
        told = answer(event)
        if told:
            _print(told)
        afterwards = event.afterwards
    except BaseException as trouble:  # noqa: BLE001  a hook never breaks the agent
        _note(event_name, trouble)
        afterwards = []
    for after in afterwards:
        try:
            after()
        except BaseException as trouble:  # noqa: BLE001  and what cannot be remembered stops nothing else
            _note(event_name, trouble)
    # Without the interpreter's tidying up, which takes longer than most hooks, and without waiting for
    # a request that nobody waits for any more.
    os._exit(0)


def answer(event: Event) -> str:
    """What the agent is told, which is nothing most of the time."""
    if event.name in ("PreToolUse", "PostToolUse") and event.tool in hook_input.SHELL_TOOLS:
        from precedent_client import hook_shell

        hook_shell.around(event)
    if event.name == "PreToolUse" and event.files():
        from precedent_client import hook_recall

        return hook_recall.before(event)
    if event.name == "SessionEnd":
        from precedent_client import background

        background.flush()
        return ""
    if event.name in ("SessionStart", "PreCompact"):
        from precedent_client import hook_session

        return hook_session.answer(event)
    if event.name in ("UserPromptSubmit", "Stop"):
        from precedent_client import hook_turn

        return hook_turn.answer(event)
    return ""


def _be_quiet() -> None:
    """What is written to stderr is shown as an error, even a warning of Python's about somebody's file."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    os.close(silence)


def _print(text: str) -> None:
    rest = memoryview(text.encode())
    while rest:
        rest = rest[os.write(1, rest) :]


def _note(event_name: str, trouble: BaseException) -> None:
    try:
        from precedent_client import client_log

        client_log.note(event_name, trouble)
    except BaseException:  # noqa: BLE001, S110  there is nobody left to tell
        pass
