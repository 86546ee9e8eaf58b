"""The world that is simulated: one project, its clients, what wakes the projectors, and who harms the log.

Every choice comes from a `Dice`, so that a seed, or hypothesis, decides everything. `watch` asserts what holds
at every moment, `rest` what holds once all is quiet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol, TypeVar
from unittest.mock import patch

from precedent import packing, packs
from precedent.answers import Appended
from precedent.entry import Dot
from precedent.errors import LogTruncated, Refusal, Unavailable
from precedent.findings import Grade, Kind
from precedent.packed import PackedLog
from precedent.pointer import follow
from precedent.ports import Offset, Pointer
from precedent.rebuild import Rebuilt, rebuild
from precedent.repair import repair
from precedent.request import AppendRequest
from precedent.retire import retire
from precedent.verify import verify

from tests.fakes.memory import MemoryPacks
from tests.fakes.steps import nothing
from tests.property.shop import SCOPE, Shop
from tests.simulation import oracle
from tests.simulation.attacker import Attacker
from tests.simulation.clients import requests
from tests.simulation.tasks import FATES, Fate, Task, Tasks

T = TypeVar("T")
WRITERS = ("alice.laptop", "bob.desk", "ci.main")
AT_ONCE = 5
"""Processes under way at which nobody sends anything new."""


class Dice(Protocol):
    """Where every choice comes from."""

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1."""


def pick(dice: Dice, things: Sequence[T]) -> T:
    return things[dice.below(len(things))]


@dataclass(frozen=True)
class Acknowledged:
    """What a 2xx said, and the object that was there when it was said."""

    decision: str
    place: tuple[str, int]
    data: bytes
    projected: bool


@dataclass
class World:
    """One project with everything that happens to it."""

    shop: Shop = field(default_factory=Shop)
    packs: MemoryPacks = field(default_factory=MemoryPacks)
    tasks: Tasks = field(default_factory=Tasks)
    told: dict[Dot, Acknowledged] = field(default_factory=dict)
    answered: dict[str, tuple[str, AppendRequest, list[Dot | None]]] = field(default_factory=dict)
    held_back: list[tuple[str, AppendRequest]] = field(default_factory=list)
    woken: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    generations: int = 1
    left: list[tuple[Pointer, list[Task]]] = field(default_factory=list)
    unswept: bool = False

    def __post_init__(self) -> None:
        self.attacker = Attacker(self.shop.log)
        self._served = self.shop.pointers.pointer
        # Logs are short here, and a pack of two is as much a pack as one of a thousand.
        self._fewest = patch.object(packing, "FEWEST", 2)
        self._fewest.start()
        for port in (self.shop.log, self.shop.pointers, self.packs):
            port.before, port.after = self.tasks.before, self.tasks.after
        put = self.shop.log.put

        def put_and_tell(writer: str, first: int, data: bytes) -> bool:
            written = put(writer, first, data)
            if written:
                self.woken.append(writer)
            return written

        self.shop.log.put = put_and_tell  # type: ignore[method-assign]

    # ------------------------------------------------------------------------------- what happens

    def record(self, dice: Dice) -> None:
        """A client sends something new. Two at once of one writer are two installs of it."""
        if len(self.tasks.running) >= AT_ONCE:
            return
        self.shop.sent += 1
        writer = pick(dice, WRITERS)
        request = requests(
            dice, f"key-{self.shop.sent}", sorted({a.decision for a in self.told.values()})
        )
        self._send(writer, request)

    def repeat(self, dice: Dice) -> None:
        """A client that missed an answer sends the same again, or is let go on after it was held."""
        if self.held_back:
            self._send(*self.held_back.pop(dice.below(len(self.held_back))))
        elif self.answered:
            writer, request, _ = self.answered[pick(dice, [*self.answered])]
            self._send(writer, request)

    def wake(self, dice: Dice) -> None:
        """An event arrives: any of those under way, perhaps not for the last time, perhaps at nobody's."""
        if not self.woken:
            return
        number = dice.below(len(self.woken))
        writer = self.woken[number]
        if dice.below(4):
            del self.woken[number]
        if dice.below(4):
            self._begin(
                f"project {writer}",
                lambda: follow(SCOPE, self.shop.log, self.shop.pointers, writer),
                died=lambda _: self.woken.append(writer),
            )

    def sweep(self, dice: Dice) -> None:
        served = self.shop.pointers.pointer

        def swept(_: object) -> None:
            self.unswept = self.unswept and self.shop.pointers.pointer != served

        self._begin("sweep", self.shop.sweep, swept)

    def rebuild(self, dice: Dice) -> None:
        self.generations += 1
        name, accept_loss = f"g{self.generations}", dice.below(3) == 0

        def run() -> Rebuilt:
            log = PackedLog(self.shop.log, self.packs)
            return rebuild(SCOPE, log, self.shop.pointers, name, accept_loss=accept_loss)

        def rebuilt(done: Rebuilt) -> None:
            if done.flipped and self.shop.pointers.pointer.generation == name:
                self.unswept = False

        self._begin(f"rebuild {name}", run, rebuilt)

    def pack(self, dice: Dice) -> None:
        self._begin("pack", lambda: packing.pack(self.shop.log, self.packs))

    def harm_pack(self, dice: Dice) -> None:
        """A pack goes wrong, or says what the log never said."""
        if not self.packs.objects:
            return
        place = pick(dice, sorted(self.packs.objects))
        match dice.below(3):
            case 0:
                del self.packs.objects[place]
            case 1:
                self.packs.objects[place] = self.packs.objects[place][:-1]
            case _:
                name, data = packs.seal(0, {1 + dice.below(9): b"forged\n"})
                self.packs.objects[place[0], name] = data
        self.trace.append(f"harmed a pack of {place[0]}")

    def retire(self, dice: Dice) -> None:
        """A generation that served is taken away, once whoever may still read it has come to an end."""
        gone = [
            pointer
            for pointer, readers in self.left
            if pointer != self.shop.pointers.pointer and not set(readers) & set(self.tasks.running)
        ]
        if gone:
            old = pick(dice, gone)
            log, pointers = self.shop.log, self.shop.pointers
            self._begin(f"retire {old.generation}", lambda: retire(SCOPE, log, pointers, old))

    def attack(self, dice: Dice) -> None:
        """Somebody harms the log."""
        names = [task.name.split() for task in self.tasks.running]
        busy = {name[1] for name in names if name[0] == "append"}
        offsets = self.shop.projection.keys.offset("").pk
        passed = {
            key.sk: item.seq
            for key, item in self.shop.pointers.table.items()
            if key.pk == offsets and isinstance(item, Offset) and key.sk not in busy
        }
        rebuilding = any(name[0] == "rebuild" for name in names)
        if done := self.attacker.attack(dice, {} if rebuilding else passed):
            self.trace.append(done)

    def mend(self, dice: Dice) -> None:
        """An operator puts something back."""
        self.trace.append(self.attacker.mend(dice))

    def jump(self, dice: Dice) -> None:
        """The clock goes wrong, either way."""
        self.shop.clock += timedelta(hours=dice.below(2000) - 1000)

    def go_on(self, dice: Dice) -> None:
        """Some process makes its next calls; now and then it dies there or its store fails."""
        if not self.tasks.running:
            return
        task = pick(dice, self.tasks.running)
        fate: Fate = pick(dice, FATES) if dice.below(12) == 0 else "goes on"
        self.trace.append(f"{task.name}: {fate}")
        for step in range(1 + dice.below(6)):
            if task in self.tasks.running:
                self.tasks.step(task, "goes on" if step else fate)
                self.watch()

    def finish(self, dice: Dice) -> None:
        """Some process comes to its end undisturbed."""
        if self.tasks.running:
            task = pick(dice, self.tasks.running)
            self.trace.append(f"finish {task.name}")
            while task in self.tasks.running:
                self.tasks.step(task, "goes on")
                self.watch()

    # ----------------------------------------------------------------------------- what must hold

    def watch(self) -> None:
        """What holds at every moment."""
        if self.shop.pointers.pointer != self._served:
            self.left.append((self._served, list(self.tasks.running)))
            self._served, self.unswept = self.shop.pointers.pointer, True
        arrived = {status.dot: status for status in self._statuses() if status.arrived}
        for dot, told in self.told.items():
            harmed = told.place in self.attacker.harmed
            there = self.shop.log.objects.get(told.place)
            assert harmed or there == told.data, f"{dot} was acknowledged and is not what it was"
            if dot in arrived:
                assert arrived[dot].decision == told.decision, f"{dot} is another decision"
            elif told.projected and not self.unswept:
                assert harmed or told.place in self.attacker.ever, f"{dot} vanished"

    def rest(self) -> None:
        """What holds once every process has come to its end, and one sweep has run."""
        while self.tasks.running:
            self.tasks.step(self.tasks.running[0], "goes on")
            self.watch()
        for port in (self.shop.log, self.shop.pointers, self.packs):
            port.before = port.after = nothing
        if not self.shop.log.objects:
            return
        self._packs_are_the_log()
        if self.attacker.harmed:
            rebuild(SCOPE, self.shop.log, self.shop.pointers, "as it is", accept_loss=True)
            self._compare("rebuilt as it is")
            self.attacker.mend_all()
        self.shop.sweep()
        self._compare("after one sweep")
        held_back, self.held_back = self.held_back, []
        for writer, request in held_back:
            self._acknowledge(writer, request, self._answer(writer, request))
        assert not self.held_back, "a client is held though nothing is missing any more"
        for writer, request, dots in [*self.answered.values()]:
            again = self._answer(writer, request)
            # Where nothing was written nothing is known of the key: it is judged again.
            known = any(dots) and not self.attacker.harmed_key(request.key)
            if known and isinstance(again, Appended):
                assert [r.dot and Dot(r.dot.writer, r.dot.seq) for r in again.results] == dots
        self.shop.sweep()
        self._compare("everything sent again")
        self._nothing_twice()
        self._healthy()

    def end(self) -> None:
        """Kill whatever is still under way."""
        self.tasks.end()
        self._fewest.stop()

    def _packs_are_the_log(self) -> None:
        """Read with whatever packs there are, the log is what it is; packed anew, they hold nothing else."""
        for _ in ("as they were left", "made anew"):
            reader = PackedLog(self.shop.log, self.packs)
            read = {place: reader.get(*place) for place in self.shop.log.objects}
            assert read == self.shop.log.objects
            packing.pack(self.shop.log, self.packs)
        for (writer, name), data in self.packs.objects.items():
            for first, packed in packs.opened(name, data).items():
                assert self.shop.log.objects.get((writer, first)) == packed

    def _compare(self, when: str) -> None:
        projected = self.shop.projected_digest()
        assert (projected.total, projected.entries) == oracle.digest(self.shop.log.objects), when

    def _nothing_twice(self) -> None:
        """Every 2xx is there exactly once: no key wrote twice, no acknowledged entry is missing."""
        keys = [
            (a.intent.writer, a.intent.key, a.intent.index)
            for a in self.shop.arrived()
            if not self.attacker.harmed_key(a.intent.key)
        ]
        assert len(keys) == len(set(keys)), "a key wrote twice"
        arrived = {status.dot: status.decision for status in self._statuses() if status.arrived}
        assert {dot: told.decision for dot, told in self.told.items()}.items() <= arrived.items()

    def _healthy(self) -> None:
        for name in range(1, self.generations + 1):
            old = self.shop.pointers.fresh(self.shop.pointers.pointer, f"g{name}")
            if old != self.shop.pointers.pointer:
                retire(SCOPE, self.shop.log, self.shop.pointers, old)
        report = verify(SCOPE, self.shop.log, self.shop.pointers)
        wrong = {f.kind for f in report.findings if f.kind.grade in (Grade.WRONG, Grade.UNREAD)}
        # What was harmed, or rubbish that was written over, may have been passed as the end of a log: the
        # offset keeps the hash of what lay there then. And rubbish may have been read inside the numbers of an
        # object that was harmed: once that is put back nobody comes upon it again, nor upon the gap
        # that rubbish of more lines has left behind it. `repair` sets all three right.
        allowed = {Kind.OFFSET, Kind.UNNOTED} if self.attacker.own or self.attacker.ever else set()
        assert wrong <= allowed | ({Kind.FREED} if self.attacker.own else set()), report.findings
        report = repair(SCOPE, self.shop.log, self.shop.pointers).left
        assert not [f for f in report.findings if f.kind.grade in (Grade.WRONG, Grade.UNREAD)]
        assert report.log_digest == report.projected_digest

    # -------------------------------------------------------------------------------------- inside

    def _send(self, writer: str, request: AppendRequest) -> None:
        self._begin(
            f"append {writer} {request.key}",
            lambda: self._answer(writer, request),
            lambda answer: self._acknowledge(writer, request, answer),
            died=lambda _: self.held_back.append((writer, request)),
        )

    def _answer(self, writer: str, request: AppendRequest) -> Appended | Refusal:
        try:
            return self.shop.appender(writer).append(request)
        except Refusal as refusal:
            return refusal

    def _acknowledge(self, writer: str, request: AppendRequest, answer: Appended | Refusal) -> None:
        if isinstance(answer, Unavailable | LogTruncated):
            self.held_back.append((writer, request))
        if not isinstance(answer, Appended):
            self.trace.append(f"{request.key}: {answer.name}")
            return
        dots = [r.dot and Dot(r.dot.writer, r.dot.seq) for r in answer.results]
        self.trace.append(f"{request.key}: {[r.status for r in answer.results]} {dots}")
        _, _, before = self.answered.setdefault(request.key, (writer, request, dots))
        written = [dot for dot in dots if dot]
        if any(before) and not self.attacker.harmed_key(request.key):
            assert dots == before, f"{request.key} was answered otherwise before"
        elif written:
            self.answered[request.key] = (writer, request, dots)
        for result, dot in zip(answer.results, dots, strict=True):
            if dot and dot not in self.told:
                place = (writer, min(written).seq)
                data = self.shop.log.objects.get(place, b"")
                self.told[dot] = Acknowledged(result.id, place, data, answer.projected)
            elif dot:
                assert self.told[dot].decision == result.id, f"{dot} was given out twice"

    def _begin(
        self,
        name: str,
        run: Callable[[], Any],
        done: Callable[[Any], None] = lambda _: None,
        died: Callable[[BaseException | None], None] = lambda _: None,
    ) -> None:
        self.trace.append(f"begin {name}")
        self.tasks.start(Task(name, run, done, died))

    def _statuses(self) -> list[Any]:
        """What the serving generation holds, looked at from outside: no process notices."""
        projection = self.shop.projection
        return projection._statuses()
