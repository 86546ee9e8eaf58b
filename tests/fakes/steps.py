"""Atomic steps with a hook on either side.

`before(name)` runs before a port call and `after(name)` after it, outside the lock; `name` is the method's.
A test switches greenlets, raises or kills there. Raising StoreError in `before` is a call that never
arrived, raising it in `after` one that was applied and timed out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Hook = Callable[[str], None]


def nothing(_name: str) -> None:
    """The hook that does nothing."""


@dataclass
class Stepped:
    """Atomic steps between two hooks."""

    before: Hook = field(default=nothing, kw_only=True)
    after: Hook = field(default=nothing, kw_only=True)
    _lock: threading.RLock = field(default_factory=threading.RLock, kw_only=True, repr=False)

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        self.before(name)
        with self._lock:
            yield
        self.after(name)
