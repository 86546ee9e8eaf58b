"""A lock on an open file that goes with the process, however it ends.

Where there is none (Windows, some network disks) everybody gets it: a decision sent twice is written once,
by its `key`.
"""

from __future__ import annotations

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]


THERE_ARE = fcntl is not None
"""Where there are none, Windows also renames and removes no file that is open: nobody keeps one open."""


def taken(handle: int) -> bool:
    """Take the lock without waiting; False while somebody else holds it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # this disk has no locks
        return True
    return True
