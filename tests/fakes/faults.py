"""Killing a use case at one of its port calls: counted, then failed before, after, or dead on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from precedent.ports import StoreError

from tests.fakes.steps import nothing


class ProcessDied(BaseException):
    """The end of a process: nothing catches it."""


class Fault:
    """Raises at one port call, once: before it is made, or after it was applied."""

    def __init__(
        self, ports: Iterable[Any], at: int, when: str, error: type[BaseException]
    ) -> None:
        self.at, self.when, self.error, self.calls = at, when, error, 0
        self.ports = list(ports)
        for port in self.ports:
            port.before, port.after = self._before, self._after

    def lift(self) -> None:
        """Let everything go well from here on."""
        for port in self.ports:
            port.before = port.after = nothing

    def _before(self, _name: str) -> None:
        self.calls += 1
        if self.calls == self.at and self.when == "before":
            raise self.error("before")

    def _after(self, _name: str) -> None:
        if self.calls == self.at and self.when == "after":
            self.at = 0
            raise self.error("applied but timed out")


def matrix(counted: Callable[[], int]) -> list[Any]:
    """(call, when, error) for every port call a use case makes, as pytest parameters."""
    return [
        pytest.param(at, when, error, id=f"{error.__name__} {when} call {at}")
        for at in range(1, counted() + 1)
        for when in ("before", "after")
        for error in (StoreError, ProcessDied)
    ]
