"""One reader of a session: the main agent or a subagent, and what has been put before it.

A subagent has read nothing its parent has read. The hooks know which of them acts; a command that an agent
runs in its shell knows the session only. So a hook notes who is about to run one, and `caller` reads it.
"""

from __future__ import annotations

import os
import time

from precedent_client import durable

MAIN = "main"
CALL = 600.0
"""Seconds a command of a shell may take; a note older than that was left behind."""


class Reader:
    """The reader, and the marks left for it: each an empty file, so that two hooks at once agree."""

    __slots__ = ("agent", "folder", "session")

    def __init__(self, session: str, agent: str = "") -> None:
        self.session = session
        self.agent = agent
        self.folder = folder_of(session)

    @property
    def key(self) -> str:
        """How `seen` names this reader; the commands an agent runs say the same."""
        return "named:" + (f"{self.session}/{self.agent}" if self.agent else self.session)

    def was_told(self, *what: str) -> bool:
        """Whether it has been told this already."""
        return os.path.exists(self._mark(what))

    def tell(self, *what: str) -> None:
        """Remember that it has been told. Raises OSError: then it is told again."""
        durable.mark(self._mark(what))

    def forget_told(self) -> None:
        """Its context has been cut: what it was told may be gone from it."""
        told = os.path.join(self.folder, "told", durable.named(self.agent or MAIN))
        for name in durable.listed(told, ""):
            durable.remove(os.path.join(told, name))

    def calls(self) -> None:
        """It is about to run a command of ours. Raises OSError."""
        durable.mark(os.path.join(self.folder, "callers", _file_of(self.agent)))

    def has_called(self) -> None:
        """The command has ended."""
        durable.remove(os.path.join(self.folder, "callers", _file_of(self.agent)))

    def _mark(self, what: tuple[str, ...]) -> str:
        name = durable.named(*what)
        return os.path.join(self.folder, "told", durable.named(self.agent or MAIN), name)


def folder_of(session: str) -> str:
    """Where what is known of a session lies."""
    return durable.state("sessions", durable.named(session))


def caller(session: str) -> str | None:
    """The agent that runs this command: empty for the main one, None where it may be one of several.

    Nobody noted means that no hook is at work, and then there is nobody but the main agent to know of.
    """
    folder = os.path.join(folder_of(session), "callers")
    now, found = time.time(), []
    for name in durable.listed(folder, ""):
        try:
            if abs(now - os.stat(os.path.join(folder, name)).st_mtime) < CALL:
                found.append(name)
        except OSError:
            continue
    if len(found) > 1:
        return None
    return (
        "" if not found or found == [MAIN] else bytes.fromhex(found[0]).decode("utf-8", "replace")
    )


def _file_of(agent: str) -> str:
    return agent.encode().hex()[:200] if agent else MAIN
