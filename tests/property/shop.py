"""A project in memory: its log, its projection and a clock, driven through the real use cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from precedent.answers import Appended
from precedent.append import Appender
from precedent.consume import Object, Scope, open_object
from precedent.decision import parse
from precedent.element import parse_name
from precedent.entry import GENESIS, Arrived, Dot
from precedent.orset import Digest, Status, digest, fold
from precedent.ports import Offset, Pointer
from precedent.request import AppendRequest
from precedent.resolve import OnUnseen, Resolution, Verdicts, Working, resolve
from precedent.rows import COMPLETE
from precedent.sealing import seal_object
from precedent.sweep import Swept, sweep

from tests.fakes.memory import MemoryLog, MemoryPointers, MemoryProjection

SCOPE = Scope("acme", "shop")
SALT = "5a17" * 8
EMPTY = Pointer("projection", "g1", SALT)


def element(name: str) -> str:
    """The id of `kind:name`."""
    return parse_name(name, "").id


def adopted(title: str, *mutations: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A decision as a client sends it."""
    return {"title": title, "rationale": "Because.", "mutations": list(mutations), **fields}


def prop(name: str, key: str, value: Any) -> dict[str, Any]:
    return {"op": "set_prop", "element": name, "key": key, "value": value}


def attach(name: str) -> dict[str, Any]:
    kind, _, rest = name.partition(":")
    return {"op": "upsert_element", "kind": kind, "name": rest}


def link(start: str, kind: str, end: str) -> dict[str, Any]:
    return {"op": "add_link", "from": start, "link": kind, "to": end}


def unlink(start: str, kind: str, end: str) -> dict[str, Any]:
    return {"op": "retire_link", "from": start, "link": kind, "to": end}


def alias(former: str, current: str) -> dict[str, Any]:
    return {"op": "alias", "element": former, "to": current}


def id_of(content: dict[str, Any]) -> str:
    return parse(content).id


def request_of(
    *decisions: dict[str, Any],
    key: str,
    seen: Iterable[str] = (),
    overrule: Iterable[str] = (),
    beside: Iterable[str] = (),
    on_unseen: OnUnseen = "refuse",
    circumstances: dict[str, Any] | None = None,
) -> AppendRequest:
    verdicts = Verdicts(frozenset(seen), frozenset(overrule), frozenset(beside), on_unseen)
    return AppendRequest(tuple(map(parse, decisions)), verdicts, key, circumstances or {})


def begun() -> MemoryPointers:
    """The pointers of a project that has begun."""
    pointers = MemoryPointers(pointer=EMPTY)
    pointers.open(EMPTY).put(COMPLETE)
    return pointers


@dataclass
class Shop:
    """One project. The clock moves on by a second whenever it is asked."""

    log: MemoryLog = field(default_factory=MemoryLog)
    pointers: MemoryPointers = field(default_factory=begun)
    clock: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    sent: int = 0

    def now(self) -> str:
        self.clock += timedelta(seconds=1)
        return self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def appender(self, writer: str) -> Appender:
        return Appender(SCOPE, writer, self.log, self.pointers, self.now)

    def send(self, writer: str, *decisions: dict[str, Any], **verdicts: Any) -> Appended:
        """Record decisions through the append use case, under a fresh key unless one is given."""
        self.sent += 1
        verdicts.setdefault("key", f"key-{self.sent}")
        return self.appender(writer).append(request_of(*decisions, **verdicts))

    def send_unaware(self, writer: str, view: Iterable[Arrived], request: AppendRequest) -> bool:
        """Append what a writer resolves who knows these entries only; whether anything was written.

        This is what a second region, a stalled projection or a rebuilt table look like from the log.
        """
        tail = self.tail(writer)
        resolution = self._resolve(writer, tail, view, request)
        if resolution.unseen or not resolution.drafts:
            return False
        data = seal_object(SCOPE, writer, request, resolution, tail.hash, SALT, self.now())
        assert self.log.put(writer, tail.seq + 1, data)
        return True

    def _resolve(
        self, writer: str, tail: Offset, view: Iterable[Arrived], request: AppendRequest
    ) -> Resolution:
        statuses = [status for status in fold(view).values() if status.arrived]
        return resolve(
            request.decisions,
            request.verdicts,
            Working(statuses),
            writer=writer,
            seq=tail.seq + 1,
            now=self.now(),
            salt=SALT,
        )

    @property
    def projection(self) -> MemoryProjection:
        """The projection that serves now."""
        assert self.pointers.pointer
        return self.pointers.open(self.pointers.pointer)

    def sweep(self) -> Swept:
        return sweep(SCOPE, self.log, self.pointers)

    def objects(self, writer: str) -> Iterator[Object]:
        """A writer's objects as a reader who trusts the log alone reads them."""
        prev = GENESIS
        for owner, first in sorted(self.log.objects):
            if owner == writer:
                opened = open_object(SCOPE, writer, first, self.log.objects[owner, first], prev)
                prev = opened.end.hash
                yield opened

    def tail(self, writer: str) -> Offset:
        return next((o.end for o in reversed(list(self.objects(writer)))), Offset())

    def arrived(self) -> list[Arrived]:
        """Every entry of the log that can be read."""
        return [
            line
            for writer in sorted({writer for writer, _ in self.log.objects})
            for opened in self.objects(writer)
            for line in opened.lines
            if isinstance(line, Arrived)
        ]

    def fold(self) -> dict[Dot, Status]:
        """What the log means."""
        return fold(self.arrived())

    def log_digest(self) -> Digest:
        return digest(self.fold().values())

    def projected_digest(self) -> Digest:
        return digest(self.projection.all_statuses())
