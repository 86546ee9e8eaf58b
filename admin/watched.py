"""The log as a command reads it: a few objects ahead, and counted for a progress bar."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from precedent.ports import Listed, Log, Stored, Summary
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

AHEAD = 8
"""Objects that are fetched while one is being looked at."""

_NAME = re.compile(r"([^/]+)/([0-9]{12})\.jsonl")


class WatchedLog:
    """`precedent.ports.Log`. What is listed at the start is read ahead, in order; it never changes."""

    def __init__(self, log: Log, pool: ThreadPoolExecutor, progress: Progress) -> None:
        self._log, self._pool, self._progress = log, pool, progress
        self._firsts: dict[str, list[int]] = defaultdict(list)
        self._place: dict[tuple[str, int], int] = {}
        self._fetched: dict[tuple[str, int], Future[bytes | None]] = {}
        self._task = progress.add_task("listing the log", total=None)
        self._listed = list(log.names())
        for name, _ in self._listed:
            if found := _NAME.fullmatch(name):
                self._firsts[found[1]].append(int(found[2]))
        for writer, firsts in self._firsts.items():
            firsts.sort()
            self._place |= {(writer, first): place for place, first in enumerate(firsts)}
        progress.update(self._task, total=len(self._place), description="reading the log")

    def put(self, writer: str, first: int, data: bytes) -> bool:
        return self._log.put(writer, first, data)

    def get(self, writer: str, first: int) -> bytes | None:
        place = self._place.get((writer, first))
        if place is None:
            return self._log.get(writer, first)
        for ahead in self._firsts[writer][place : place + AHEAD]:
            if (writer, ahead) not in self._fetched:
                self._fetched[writer, ahead] = self._pool.submit(self._log.get, writer, ahead)
        data = self._fetched.pop((writer, first)).result()
        if self._progress.tasks[0].finished:
            self._progress.reset(self._task)  # what is read again is counted again
        self._progress.advance(self._task)
        return data

    def get_all(self, writer: str, firsts: Iterable[int]) -> Iterator[bytes | None]:
        return self._log.get_all(writer, firsts)

    def summaries(self, writer: str, first: int, end: int) -> dict[int, Summary]:
        return self._log.summaries(writer, first, end)

    def first_after(self, writer: str, seq: int) -> int | None:
        return self._log.first_after(writer, seq)

    def last(self, writer: str, seq: int) -> Stored | None:
        return self._log.last(writer, seq)

    def writers(self) -> Iterator[str]:
        return self._log.writers()

    def names(self) -> Iterator[Listed]:
        return self._log.names()


@contextmanager
def watched(log: Log, console: Console, *, quiet: bool) -> Iterator[WatchedLog]:
    """A log with a bar on the terminal while it is read; none for a program or a pipe."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    bar = Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    )
    with bar, ThreadPoolExecutor(AHEAD) as pool:
        yield WatchedLog(log, pool, bar)
