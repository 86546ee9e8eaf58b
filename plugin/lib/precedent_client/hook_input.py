"""What a coding agent says of an event on a hook's stdin, believed as far as it has the right shape."""

from __future__ import annotations

import os

from precedent_client import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LIMIT = 64 * 1024 * 1024
WAIT = 2.0
"""Seconds without a byte after which stdin counts as closed: some clients never close it."""
FILE_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
PATCH_TOOLS = ("apply_patch",)
SHELL_TOOLS = ("Bash",)
PATCH = "*** Begin Patch"
"""How a patch begins. Codex applies one that comes in a shell command, too, and calls that a shell command."""
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


class Event:
    """One event. `afterwards` is done once the agent has its answer."""

    __slots__ = ("_said", "afterwards", "name")

    def __init__(self, name: str, said: dict[str, Any]) -> None:
        self.name = name
        self._said = said
        self.afterwards: list[Callable[[], None]] = []

    def text(self, name: str) -> str:
        """A member that should be a text; empty where it is not."""
        found = self._said.get(name)
        return found if isinstance(found, str) else ""

    def flag(self, name: str) -> bool:
        return self._said.get(name) is True

    @property
    def session(self) -> str:
        return self.text("session_id")

    @property
    def agent(self) -> str:
        """The subagent it happened in; empty for the main one."""
        return self.text("agent_id")

    @property
    def folder(self) -> str:
        return self.text("cwd") or os.getcwd()

    @property
    def tool(self) -> str:
        return self.text("tool_name")

    @property
    def command(self) -> str:
        """The command of a shell, or the patch."""
        return self._input("command")

    def files(self) -> list[str]:
        """The files an edit is about to touch, each once, as the agent names them."""
        if self.tool in FILE_TOOLS:
            found = [self._input("file_path") or self._input("notebook_path")]
        elif self.tool in PATCH_TOOLS or (self.tool in SHELL_TOOLS and PATCH in self.command):
            found = [
                line[len(mark) :].strip()
                for line in self.command.splitlines()
                for mark in _PATCHED
                if line.startswith(mark)
            ]
        else:
            found = []
        return [os.path.join(self.folder, path) for path in dict.fromkeys(found) if path]

    def _input(self, name: str) -> str:
        tool_input = self._said.get("tool_input")
        found = tool_input.get(name) if isinstance(tool_input, dict) else None
        return found if isinstance(found, str) else ""


def read(name: str) -> Event:
    """The event on stdin. Raises ValueError where there is none, or it does not come."""
    if os.name != "nt":
        os.set_blocking(0, False)
    raw = bytearray()
    while len(raw) <= LIMIT:
        more = _there_now()
        if more is None:
            # Parsed when nothing more is there, so that nobody waits for the end of stdin.
            found = _whole(raw)
            if found is not None:
                return Event(name, found)
            more = _there_later()
        if not more:
            break
        raw += more
    found = _whole(raw)
    if found is None:
        raise ValueError(f"{len(raw)} bytes on stdin are no JSON object")
    return Event(name, found)


def _whole(raw: bytearray) -> dict[str, Any] | None:
    """The object, if all of it is there."""
    if not raw[-64:].rstrip().endswith(b"}"):
        return None
    try:
        found = fast_json.loads(bytes(raw))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _there_now() -> bytes | None:
    """What can be read without waiting; nothing at the end of stdin, None where one would wait."""
    if os.name == "nt":
        return None
    try:
        return os.read(0, 1 << 20)
    except BlockingIOError:
        return None


def _there_later() -> bytes:
    """What comes next; nothing at the end of stdin, and where nothing comes within WAIT."""
    if os.name == "nt":  # `select` takes only sockets there
        return _read_by_a_thread()
    import select  # it takes a tenth of what the interpreter takes to start

    return os.read(0, 1 << 20) if select.select([0], [], [], WAIT)[0] else b""


def _read_by_a_thread() -> bytes:
    import _thread

    got: list[bytes] = []
    done = _thread.allocate_lock()
    done.acquire()

    def work() -> None:
        got.append(os.read(0, 1 << 20))
        done.release()

    _thread.start_new_thread(work, ())
    return got[0] if done.acquire(timeout=WAIT) else b""
