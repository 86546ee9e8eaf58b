"""The command these hooks belong to: where it lies, and how an agent's shell calls it.

Hooks import this module: it loads nothing.
"""

from __future__ import annotations

import os

NAME = "precedent"


def path() -> str:
    """The command beside this package."""
    here = os.path.dirname(os.path.realpath(__file__))
    return os.path.normpath(os.path.join(here, "..", "..", "bin", NAME))


def note() -> str:
    """How to call it, where its name alone is not enough; else nothing.

    Claude Code puts a plugin's `bin` on its shell's PATH. Codex does not, and is known by `PLUGIN_ROOT`, which only
    its hooks are given.
    """
    if not os.environ.get("PLUGIN_ROOT") or _is_on_path():
        return ""
    return f" (`{NAME}` is not on the PATH here: call it as {_quoted(path())}.)"


def _is_on_path() -> bool:
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return any(os.access(os.path.join(folder, NAME), os.X_OK) for folder in folders if folder)


def _quoted(text: str) -> str:
    """As one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
