"""Reading a project's whole log as a consumer does, and judging it: what is broken, forked, hidden, astray."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from precedent import canonical
from precedent.consume import Object, Scope, next_object, open_object
from precedent.entry import GENESIS, Arrived, Dot
from precedent.findings import Finding, Kind
from precedent.ports import Log, Offset, StoreError
from precedent.rows import QuarantineRow

_NAME = re.compile(r"([a-z0-9][a-z0-9._-]{0,63})/([0-9]{12})\.jsonl")


@dataclass
class WriterLog:
    """One writer's log as far as it was read.

    `ends` are the offsets a consumer may stand at, `hashes` where in the log each line is.
    """

    end: Offset = field(default_factory=Offset)
    ends: dict[int, str] = field(default_factory=lambda: {0: GENESIS})
    hashes: dict[str, int] = field(default_factory=lambda: {GENESIS: 0})
    objects: set[int] = field(default_factory=set)
    unread: bool = False


@dataclass
class LogCheck:
    """The log of a project, read from its beginning to its end. `read_on` may be called again."""

    scope: Scope
    log: Log
    writers: dict[str, WriterLog] = field(default_factory=dict)
    quarantined: dict[Dot, QuarantineRow] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    entries: int = 0

    def read_on(self) -> Iterator[Arrived]:
        """Every entry not read yet. Raises StoreError where not even the writers can be listed."""
        for writer in self.log.writers():
            mine = self.writers.setdefault(writer, WriterLog())
            while not mine.unread and (opened := self._next(writer, mine)):
                yield from self._judged(mine, opened)

    def look_at_names(self) -> None:
        """Judge every name under the project's prefix, once the log is read. Raises StoreError."""
        listed: dict[str, list[int]] = defaultdict(list)
        for name, size in self.log.names():
            found = _NAME.fullmatch(name)
            if found and int(found[2]):
                listed[found[1]].append(int(found[2]))
            else:
                self._find(Kind.STRAY, name, f"{size} bytes")
        for writer, firsts in listed.items():
            mine = self.writers.get(writer, WriterLog())
            for first in sorted(set(firsts) - mine.objects):
                if first <= mine.end.seq:
                    self._hidden(writer, first)

    @property
    def complete(self) -> bool:
        """Whether everything could be read."""
        return not any(mine.unread for mine in self.writers.values())

    def holds(self, dot: Dot) -> bool:
        """Whether a dot lies where the log was read; beyond that nothing is known of it."""
        mine = self.writers.get(dot.writer)
        return mine is None or not mine.unread or dot.seq <= mine.end.seq

    def stand_in(self, dot: Dot) -> str | None:
        """The hash of a line's bytes, which stands for it with code that cannot read its version."""
        firsts = [first for first in self.writers[dot.writer].objects if first <= dot.seq]
        try:
            data = self.log.get(dot.writer, max(firsts)) if firsts else None
        except StoreError as error:
            self._find(Kind.UNREAD, _at(dot), str(error))
            return None
        lines = data.removesuffix(b"\n").split(b"\n")[dot.seq - max(firsts) :] if data else []
        return canonical.sha256(lines[0]) if lines else None

    def _next(self, writer: str, mine: WriterLog) -> Object | None:
        try:
            return next_object(self.scope, self.log, writer, mine.end)
        except StoreError as error:
            mine.unread = True
            self._find(Kind.UNREAD, writer, f"after seq {mine.end.seq}: {error}")
            return None

    def _judged(self, mine: WriterLog, opened: Object) -> Iterator[Arrived]:
        for line in opened.lines:
            match line:
                case Arrived():
                    if line.dot in opened.chain_breaks:
                        self._broken(line, mine)
                    mine.hashes[line.hash] = line.dot.seq
                    self.entries += 1
                    yield line
                case QuarantineRow():
                    self.quarantined[line.dot] = line
                    gap = line.first == line.dot.seq and line.first != opened.lines[-1].first
                    kind = Kind.GAP if gap else Kind.UNREADABLE
                    self._find(kind, _at(line.dot), line.reason, line.dot)
        mine.objects.add(opened.lines[-1].first)
        mine.hashes[opened.end.hash] = opened.end.seq
        mine.ends[opened.end.seq] = opened.end.hash
        mine.end = opened.end

    def _broken(self, line: Arrived, mine: WriterLog) -> None:
        if line.entry.prev == self.stand_in(line.dot._replace(seq=line.dot.seq - 1)):
            return
        after = mine.hashes.get(line.entry.prev)
        if after is None:
            detail = "the line it was written after is not in the log"
            self._find(Kind.CHAIN, _at(line.dot), detail, line.dot)
            return
        what = f"seq {after} was followed twice" if after else "a second log begins"
        detail = f"{what}: by seq {after + 1}, and by seq {line.dot.seq}"
        self._find(Kind.FORK, _at(line.dot), detail, line.dot)

    def _hidden(self, writer: str, first: int) -> None:
        try:
            data = self.log.get(writer, first)
        except StoreError as error:
            self._find(Kind.UNREAD, _at(Dot(writer, first)), str(error))
            return
        if data is None:
            return
        opened = open_object(self.scope, writer, first, data, GENESIS)
        entries = sum(isinstance(line, Arrived) for line in opened.lines)
        detail = f"{len(opened.lines) - opened.cut} lines, {entries} of them entries"
        self._find(Kind.HIDDEN, _at(Dot(writer, first)), detail, Dot(writer, first))

    def _find(self, kind: Kind, where: str, detail: str, dot: Dot | None = None) -> None:
        self.findings.append(Finding(kind, where, detail, dot))


def _at(dot: Dot) -> str:
    return f"{dot.writer}/{dot.seq}"
