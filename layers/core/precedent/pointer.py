"""Which projection serves a project: the pointer, made on first use, read before and after projecting."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeVar

from precedent.consume import Progress, Scope, catch_up, open_object
from precedent.entry import GENESIS, Arrived
from precedent.ports import Log, Pointer, Pointers, Projection

T = TypeVar("T")


def current_pointer(scope: Scope, log: Log, pointers: Pointers) -> Pointer:
    """The project's pointer. A lost one is made again with the salt the log already uses."""
    return pointers.read() or pointers.ensure(salt_of(scope, log))


def on_current(pointers: Pointers, pointer: Pointer, act: Callable[[Projection], T]) -> T:
    """Act on the projection a pointer names, and again while the pointer has moved meanwhile."""
    while True:
        result = act(pointers.open(pointer))
        current = pointers.read() or pointer
        if current == pointer:
            return result
        pointer = current


def follow(scope: Scope, log: Log, pointers: Pointers, writer: str) -> Progress:
    """Project what a writer's log holds beyond its offset: what a wake-up does. Raises StoreError."""
    pointer = current_pointer(scope, log, pointers)
    return on_current(pointers, pointer, lambda p: catch_up(scope, log, p, writer))


def salt_of(scope: Scope, log: Log) -> str:
    """The salt a log already uses; a fresh one where nothing of it says."""
    for writer in log.writers():
        first = log.first_after(writer, 0)
        data = log.get(writer, first) if first else None
        if first and data:
            for line in open_object(scope, writer, first, data, GENESIS).lines:
                if isinstance(line, Arrived) and line.context:
                    return line.context.salt
    return secrets.token_hex(16)
