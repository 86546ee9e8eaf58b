"""Processes that go on in turns: each rests before every port call, where it may be killed or its store fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from greenlet import GreenletExit, getcurrent, greenlet
from precedent.ports import StoreError

Fate = Literal["goes on", "killed", "failed", "applied but timed out"]
FATES: tuple[Fate, ...] = ("killed", "failed", "applied but timed out")


@dataclass(eq=False)
class Task:
    """A function run call by call. `done` is given what it returned, `died` that it did not get so far."""

    name: str
    run: Callable[[], Any]
    done: Callable[[Any], None]
    died: Callable[[BaseException | None], None]
    life: greenlet = field(init=False)
    timing_out: bool = False


@dataclass
class Tasks:
    """Every process that is under way. Pass `before` and `after` as the hooks of the ports."""

    running: list[Task] = field(default_factory=list)

    def before(self, _name: str) -> None:
        if self._current():
            getcurrent().parent.switch()

    def after(self, _name: str) -> None:
        task = self._current()
        if task and task.timing_out:
            task.timing_out = False
            raise StoreError("applied, but timed out")

    def start(self, task: Task) -> None:
        def life() -> None:
            getcurrent().parent.switch()
            task.done(task.run())

        task.life = greenlet(life)
        self.running.append(task)
        task.life.switch()

    def step(self, task: Task, fate: Fate) -> None:
        """Let a task make its next call and go on to the one after it."""
        error: BaseException | None = None
        task.timing_out = fate == "applied but timed out"
        try:
            match fate:
                case "killed":
                    task.life.throw(GreenletExit)
                    error = GreenletExit()
                case "failed":
                    task.life.throw(StoreError("never arrived"))
                case _:
                    task.life.switch()
        except StoreError as failed:
            error = failed
        if task.life.dead:
            self.running.remove(task)
            if error:
                task.died(error)

    def end(self) -> None:
        """Kill whatever is still under way."""
        for task in self.running:
            task.life.throw(GreenletExit)
        self.running.clear()

    def _current(self) -> Task | None:
        here = getcurrent()
        return next((task for task in self.running if task.life is here), None)
