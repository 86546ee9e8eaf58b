"""Which session this is: whose reading counts when something is recorded.

A session is one reader. The rule, first that applies:

1. `PRECEDENT_SESSION`: whoever starts agents says which is which.
2. The session id a coding agent puts into its environment (`AGENT_VARIABLES`), with the subagent beside it:
   a subagent has read nothing its parent has read. `PRECEDENT_AGENT_ID` names it, else Codex's own
   `CODEX_THREAD_ID`, else the hook that saw the command coming. Where two agents run a command at once
   nobody can tell whose this is, and it counts as a reader who has read nothing.
3. On a terminal: the terminal's session leader. A person's shell reads once for all its scripts.
4. Otherwise: the parent process. An agent that runs each command in a shell of its own and names no
   session so has read nothing, and is asked for a verdict: the safe side.

A process is named by its id *and* its start time, because ids are used again. Where the start time cannot
be had the day stands in for it.
"""

from __future__ import annotations

import os
import sys

from precedent_client import reader

AGENT_VARIABLES = ("CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID")


def stated() -> str | None:
    """The session somebody named in the environment, if any; only this is ever sent to the service."""
    found = session_id()
    if found is None:
        return None
    agent = os.environ.get("PRECEDENT_AGENT_ID", "").strip()
    if not agent and not os.environ.get("PRECEDENT_SESSION", "").strip():
        agent = _own_agent(found)
    return f"{found}/{agent}" if agent else found


def _own_agent(found: str) -> str:
    """The subagent this command runs in; empty for the main one."""
    thread = os.environ.get("CODEX_THREAD_ID", "").strip()
    if thread and found == os.environ.get("CODEX_SESSION_ID", "").strip():
        return thread if thread != found else ""
    noted = reader.caller(found)
    return f"one-of-several-{os.getpid()}" if noted is None else noted


def session_id() -> str | None:
    """The session without the subagent: whose turn this is."""
    for name in ("PRECEDENT_SESSION", *AGENT_VARIABLES):
        found = os.environ.get(name, "").strip()
        if found:
            return found
    return None


def key() -> str:
    """A text that is the same for every command of this session and for no other."""
    named = stated()
    if named is not None:
        return f"named:{named}"
    process = _terminal_leader() or os.getppid()
    return f"process:{process}:{_started(process)}"


def _terminal_leader() -> int | None:
    if not hasattr(os, "getsid"):  # Windows
        return None
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        try:
            if stream is not None and stream.isatty():
                return os.getsid(0)
        except (OSError, ValueError):
            continue
    return None


def _started(process: int) -> str:
    try:
        with open(f"/proc/{process}/stat", "rb") as stat:
            # The name in brackets may hold anything; the start time is the 20th field after it.
            ticks = stat.read().rpartition(b")")[2].split()[19].decode()
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as boot:
            return f"{boot.read().strip()}:{ticks}"
    except (OSError, IndexError, ValueError):
        return _started_by_ps(["ps", "-o", "lstart=", "-p", str(process)])


def _started_by_ps(command: list[str]) -> str:
    import datetime as dt
    import subprocess

    try:
        found = subprocess.run(
            command, capture_output=True, timeout=2, check=True, env={**os.environ, "LC_ALL": "C"}
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        found = b""
    if found:
        return found.decode("ascii", "replace")
    return dt.datetime.now(dt.timezone.utc).date().isoformat()
