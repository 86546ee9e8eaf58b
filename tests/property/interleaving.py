"""A deterministic scheduler: every port call is a place where another task goes on, dies or fails.

A task is a function run in a greenlet; it rests before each call of a port. The schedule is a list of turns
drawn by hypothesis: which of the resting tasks goes on, and what befalls the call it was about to make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from greenlet import GreenletExit, getcurrent, greenlet
from hypothesis import strategies as st
from precedent.ports import StoreError

Fate = Literal["goes on", "killed", "failed", "applied but timed out"]
Task = Callable[[], object]

BURSTS = (1, 1, 2, 8)
FATES: dict[int, Fate] = {0: "killed", 1: "failed", 2: "applied but timed out"}


class Turn(NamedTuple):
    """Which of the resting tasks goes on, for how many steps, and what befalls its call."""

    choice: int
    burst: int
    fate: Fate


def schedules(*, crashes: bool, size: int = 160) -> st.SearchStrategy[list[Turn]]:
    """Turns to be taken; once they are used up the first task goes on, and nothing fails any more.

    Drawn as bytes: a list of hypothesis' own would hold five turns on average, and no two tasks would meet.
    """

    def turns(data: bytes) -> list[Turn]:
        return [
            Turn(
                low & 7, BURSTS[low >> 6], FATES.get(high & 31, "goes on") if crashes else "goes on"
            )
            for low, high in zip(data[::2], data[1::2], strict=True)
        ]

    return st.binary(min_size=2 * size, max_size=2 * size).map(turns)


@dataclass
class Interleaving:
    """Runs tasks step by step. Pass `before` and `after` as the hooks of the ports.

    A task that is killed or meets a store that failed is started anew, as a redelivered event or a client
    that tries again would: `done` ends up true of every task. `watch` runs after every step.
    """

    turns: Sequence[Turn]
    watch: Callable[[], None] = lambda: None
    restarts: int = 0
    _timing_out: set[greenlet] = field(default_factory=set)
    _running: dict[greenlet, int] = field(default_factory=dict)

    def before(self, _name: str) -> None:
        here = getcurrent()
        if here in self._running:
            here.parent.switch()

    def after(self, _name: str) -> None:
        here = getcurrent()
        if here in self._timing_out:
            self._timing_out.discard(here)
            raise StoreError("applied, but timed out")

    def run(self, tasks: Iterable[Task]) -> list[object]:
        """Run the tasks to their ends; return what they returned, in their order."""
        tasks = list(tasks)
        self._results: dict[int, object] = {}
        self._tasks = tasks
        for number in range(len(tasks)):
            self._start(number)
        turns = iter(self.turns)
        while self._running:
            choice, burst, fate = next(turns, Turn(0, 1, "goes on"))
            resting = list(self._running)
            task = resting[choice % len(resting)]
            for step in range(burst):
                if task in self._running:
                    self._step(task, "goes on" if step else fate)
                    self.watch()
        return [self._results[number] for number in range(len(tasks))]

    def returned(self, number: int) -> bool:
        """Whether a task has come to its end."""
        return number in self._results

    def _start(self, number: int) -> None:
        def life() -> None:
            getcurrent().parent.switch()
            self._results[number] = self._tasks[number]()

        task = greenlet(life)
        self._running[task] = number
        task.switch()

    def _step(self, task: greenlet, fate: Fate) -> None:
        number = self._running[task]
        try:
            match fate:
                case "goes on":
                    task.switch()
                case "killed":
                    task.throw(GreenletExit)
                case "failed":
                    task.throw(StoreError("never arrived"))
                case "applied but timed out":
                    self._timing_out.add(task)
                    task.switch()
        except Exception as error:
            if not _is_retried(error):
                raise
        if task.dead:
            self._timing_out.discard(task)
            del self._running[task]
            if number not in self._results:
                self.restarts += 1
                self._start(number)


def _is_retried(error: BaseException) -> bool:
    """A store that did not answer, told as such or in the words of the append use case."""
    return isinstance(error, StoreError) or isinstance(error.__cause__, StoreError)
