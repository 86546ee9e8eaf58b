"""Verifying a project: everything derived again from its log alone, and compared with what its table holds.

Reads only. Appends may go on meanwhile: what is on its way is neither missed nor held against anybody.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from precedent.consume import Scope
from precedent.entry import Body, Dot
from precedent.errors import NotFound
from precedent.expected import Expected, fingerprint
from precedent.findings import Finding, Grade, Kind
from precedent.logcheck import LogCheck, WriterLog
from precedent.orset import Digest, Lost, Status, digest
from precedent.ports import Bookmark, Found, Item, Key, Log, Offset, Pointer, Pointers, Projection
from precedent.rows import (
    COMPLETE,
    ConflictRow,
    DirectoryRow,
    DotRow,
    Hint,
    HistoryRow,
    KeyRow,
    LiveRow,
    MarkRow,
    PathRow,
    QuarantineRow,
    Row,
    SearchRow,
    WordRow,
)
from precedent.tail import acknowledged

NONE = Pointer("", "", "")
UNSERVED = "none"
"""The generation of a log that was never projected."""


@dataclass(frozen=True)
class Report:
    """What a check found. The digests are equal where nothing moved and nothing is wrong."""

    generation: str
    writers: int
    entries: int
    log_digest: Digest
    projected_digest: Digest
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing is worse than untidy."""
        return all(finding.kind.grade is Grade.UNTIDY for finding in self.findings)

    def of(self, *kinds: Kind) -> list[Finding]:
        return [finding for finding in self.findings if finding.kind in kinds]


def verify(scope: Scope, log: Log, pointers: Pointers) -> Report:
    """Check a project, in memory: some fifteen kilobytes for each of its entries.

    Raises NotFound where there is neither a log nor a projection, StoreError where the log can't be listed or
    the table not be read.
    """
    while True:
        pointer = pointers.read()
        if pointer is None and not any(True for _ in log.writers()):
            raise NotFound(f"There is no project {scope.project} of {scope.tenant}.")
        # A log without a pointer was never projected: as if there were an empty generation.
        report = _Check(scope, log, pointers, pointer or pointers.fresh(NONE, UNSERVED)).report()
        if pointers.read() == pointer:
            return report


@dataclass
class _Check:
    """One run over one generation."""

    scope: Scope
    log: Log
    pointers: Pointers
    pointer: Pointer
    findings: list[Finding] = field(default_factory=list)
    held: dict[Dot, Status] = field(default_factory=dict)
    hinted: set[ConflictRow] = field(default_factory=set)
    quarantined: dict[Dot, QuarantineRow] = field(default_factory=dict)
    marks: set[MarkRow] = field(default_factory=set)
    seen: set[Key] = field(default_factory=set)
    seen_texts: set[str] = field(default_factory=set)
    absent: dict[Dot, str] = field(default_factory=dict)
    unmade: list[Finding] = field(default_factory=list)

    def report(self) -> Report:
        projection = self.pointers.open(self.pointer)
        inventory = self.pointers.inventory(self.pointer)
        self.logged = LogCheck(self.scope, self.log, findings=self.findings)
        offsets = {writer: offset.seq for writer, offset in projection.offsets().items()}
        self.expected = Expected(inventory, offsets)
        known = acknowledged(projection)
        self._read_log()
        read = {writer: mine.end for writer, mine in self.logged.writers.items()}
        scanned = list(inventory.scan())
        # What was appended while we looked: it may have been met in the table.
        self._read_log()
        self.logged.look_at_names()
        self.expected.hints()
        self._leftovers(scanned)
        for found in scanned:
            if found.generation == self.pointer.generation and found.item is not None:
                self._judge(found, found.item)
        if self.pointer.generation != UNSERVED and COMPLETE not in self.marks:
            self.findings.append(Finding(Kind.LOST, self.pointer.generation, "it is not whole"))
        self._strangers()
        self._missing()
        self._offsets(projection, read, known)
        self._listing(projection)
        self._quarantine(offsets)
        return Report(
            self.pointer.generation,
            len(self.logged.writers),
            self.logged.entries,
            digest(self.expected.may.values()),
            digest(self.held.values()),
            tuple(self.findings),
        )

    def _read_log(self) -> None:
        for arrived in self.logged.read_on():
            self.expected.add(arrived)

    # ----------------------------------------------------------------------- what is there

    def _judge(self, found: Found, item: Item) -> None:
        match item:
            case Status():
                self.held[item.dot] = item
                self._status(item)
            case Body():
                self._body(item)
            case Bookmark():
                pass
            case MarkRow():
                self.marks.add(item)
            case QuarantineRow():
                self.quarantined[item.dot] = item
            case _:
                self._row(found, item)

    def _status(self, held: Status) -> None:
        may = self.expected.may.get(held.dot, Status(held.dot))
        must = self.expected.must.get(held.dot, Status(held.dot))
        if held.arrived and not may.arrived and self.logged.holds(held.dot):
            self.absent[held.dot] = held.decision
            return
        lost = {gone for gone in held.lost if self.logged.holds(gone.by)}
        for gone in sorted(must.lost - held.lost):
            self._unmarked(held.dot, gone)
        if not lost <= may.lost:
            by = ", ".join(sorted({_at(gone.by) for gone in lost - may.lost}))
            self._find(Kind.DIFFERENT, held.dot, f"displaced by {by}, as the log does not say")
        elif held.arrived and may.arrived and not _same(held, may):
            self._find(Kind.DIFFERENT, held.dot, "its status is not the log's")

    def _body(self, body: Body) -> None:
        texts = self.expected.texts.get(body.id)
        if texts is None:
            if self.logged.complete:
                detail = "a text no entry of the log has"
                self.unmade.append(Finding(Kind.NOT_IN_LOG, body.id, detail, None, body))
            return
        self.seen_texts.add(body.id)
        if fingerprint(body) not in texts:
            self._found(Kind.DIFFERENT, body.id, "its text is not the log's", body)

    def _row(self, found: Found, row: Row) -> None:
        if isinstance(row, ConflictRow):
            self.hinted.add(row)
        if found.key in self.expected.rows:
            self.seen.add(found.key)
            if not self.expected.allows(found.key, row):
                self._found(Kind.DIFFERENT, _place(row), "its content is not the log's", found)
            return
        dot = None if isinstance(row, DirectoryRow | WordRow | MarkRow) else row.dot
        if not (self.logged.complete if dot is None else self.logged.holds(dot)):
            return
        if isinstance(row, Hint):
            self.unmade.append(Finding(Kind.HINT, _place(row), f"of {_at(row.dot)}", dot, found))
        else:
            detail = "no entry of the log makes it"
            self.unmade.append(Finding(Kind.NOT_IN_LOG, _place(row), detail, dot, found))

    def _strangers(self) -> None:
        """What the log does not make: an entry with all that is its own, or rows of no entry at all."""
        own = Counter(finding.dot for finding in self.unmade)
        for dot, decision in sorted(self.absent.items()):
            self._find(Kind.NOT_IN_LOG, dot, f"{decision}, and {own[dot]} rows of it")
        for finding in self.unmade:
            text = isinstance(finding.item, Body) and finding.item.id in self.absent.values()
            if finding.dot not in self.absent and not text:
                self.findings.append(finding)

    # -------------------------------------------------------------------- what is not there

    def _missing(self) -> None:
        for dot, status in self.expected.must.items():
            if dot in self.held:
                continue
            if status.arrived:
                self._find(Kind.MISSING, dot, "its status", status)
            for gone in sorted(status.lost):
                self._unmarked(dot, gone)
        for key in self.expected.required.keys() - self.seen:
            dot = self.expected.required[key]
            row = self.expected.rows[key][0]
            self.findings.append(Finding(Kind.MISSING, _place(row), f"of {_at(dot)}", dot, row))
        for decision in self.expected.recorded.keys() - self.seen_texts:
            dot = self.expected.recorded[decision]
            self._find(Kind.MISSING, dot, f"the text of {decision}")
        for row in self.expected.unhinted(self.hinted):
            self.findings.append(
                Finding(Kind.MISSING, _place(row), "a contradiction", row.dot, row)
            )

    def _unmarked(self, dot: Dot, gone: Lost) -> None:
        detail = f"it displaced {_at(dot)}, which is not marked"
        self._find(Kind.MISSING, gone.by, detail)

    def _listing(self, projection: Projection) -> None:
        """Whether the readers of all entries come upon each that is there."""
        listed = {status.dot for status in projection.all_statuses()}
        for dot in sorted(self.held.keys() - listed):
            status = self.held[dot]
            for made_by in [dot] if status.arrived else sorted({gone.by for gone in status.lost}):
                self._find(Kind.UNLISTED, made_by, f"no listing of entries comes upon {_at(dot)}")

    def _offsets(
        self, projection: Projection, read: dict[str, Offset], known: dict[str, int]
    ) -> None:
        """Each writer's offset, read last: what was under way when the log was read is done by now."""
        there = projection.offsets()
        for writer in sorted({*there, *read, *known}):
            offset, end = there.get(writer, Offset()), read.get(writer, Offset())
            mine = self.logged.writers.get(writer, WriterLog())
            if mine.unread:
                continue
            promised = max(known.get(writer, 0), offset.promised, self.expected.named(writer))
            if mine.end.seq < promised:
                detail = f"ends at {mine.end.seq}, {promised} was acknowledged"
                self._find(Kind.SHORT, Dot(writer, promised), detail)
            elif not self._may_stand(mine, Dot(writer, offset.seq), offset.hash):
                right = max(seq for seq in mine.ends if seq <= offset.seq)
                item = Bookmark(writer, Offset(right, mine.ends[right]))
                detail = "no end of an object, or of another line"
                self._find(Kind.OFFSET, Dot(writer, offset.seq), detail, item)
            elif offset.seq < end.seq:
                detail = f"{end.seq - offset.seq} seqs are not projected"
                self._find(Kind.BEHIND, Dot(writer, offset.seq), detail)

    def _may_stand(self, mine: WriterLog, dot: Dot, hash_: str) -> bool:
        """Whether an offset is one: of a consumer that could not read the line it holds its stand-in."""
        end = mine.ends.get(dot.seq)
        return end is not None and (end == hash_ or self.logged.stand_in(dot) == hash_)

    def _quarantine(self, offsets: dict[str, int]) -> None:
        for dot in sorted(self.quarantined.keys() - self.logged.quarantined.keys()):
            if self.logged.holds(dot):
                detail = "the log has no such line, or a readable one"
                self._find(Kind.FREED, dot, detail, self.quarantined[dot])
        for dot in sorted(self.logged.quarantined.keys() - self.quarantined.keys()):
            if dot.seq <= offsets.get(dot.writer, 0):
                row = self.logged.quarantined[dot]
                self._find(Kind.UNNOTED, dot, row.reason, row)

    def _leftovers(self, scanned: list[Found]) -> None:
        counts = Counter(found.generation for found in scanned)
        del counts[self.pointer.generation]
        for generation, count in sorted(counts.items()):
            self.findings.append(Finding(Kind.LEFTOVER, generation, f"{count} items"))

    def _find(self, kind: Kind, dot: Dot, detail: str, item: Item | None = None) -> None:
        self.findings.append(Finding(kind, _at(dot), detail, dot, item))

    def _found(self, kind: Kind, where: str, detail: str, item: Item | Found) -> None:
        self.findings.append(Finding(kind, where, detail, None, item))


def _same(one: Status, other: Status) -> bool:
    """Whether two statuses say the same of an entry, whatever displaced it."""
    return replace(one, lost=other.lost) == other


def _at(dot: Dot) -> str:
    return f"{dot.writer}/{dot.seq}"


def _place(row: Row) -> str:
    """A row as an operator reads it: what it is, of what."""
    match row:
        case LiveRow() | ConflictRow():
            told = f"{row.element} {row.slot}"
        case PathRow():
            told = f"{row.folder or '/'} of {row.element}"
        case HistoryRow() | DirectoryRow():
            told = row.element
        case DotRow():
            told = f"of {row.decision}"
        case KeyRow():
            told = f"of {_at(row.dot)}"
        case QuarantineRow():
            told = _at(row.dot)
        case SearchRow():
            told = f"{row.term} of {_at(row.dot)}"
        case WordRow():
            told = row.word
        case MarkRow():
            told = row.mark
    return f"{_KINDS[type(row)]} {told}"


_KINDS: dict[type[Row], str] = {
    LiveRow: "live",
    ConflictRow: "conflict",
    PathRow: "path",
    HistoryRow: "history",
    DirectoryRow: "directory",
    DotRow: "entry",
    KeyRow: "key",
    QuarantineRow: "quarantine",
    SearchRow: "search row",
    WordRow: "word",
    MarkRow: "mark",
}
