"""Recording decisions: look up the key, resolve, put once, project, answer.

A 2xx means the object is durable and will never change. Projecting in the same call lets a writer read its
own write; if that fails the answer stands with `projected: false` and the S3 event repairs it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from precedent.answers import Appended
from precedent.complete import refuse_if_lost
from precedent.composing import Composer, Written
from precedent.consume import Object, Progress, Scope, catch_up, open_object, project_object
from precedent.entry import GENESIS, OBJECT_LIMIT, Arrived
from precedent.errors import KeyReused, LogTruncated, Refusal, TooLarge, Unavailable
from precedent.loading import load
from precedent.paths import check_room
from precedent.pointer import current_pointer, on_current, salt_of
from precedent.ports import Log, Offset, Pointer, Pointers, Projection, StoreError
from precedent.request import AppendRequest
from precedent.resolve import Resolution, resolve
from precedent.rows import COMPLETE
from precedent.sealing import seal_object

ATTEMPTS = 20
"""How often an append starts over because another one of the same writer came first."""

CATCH_UP = 50
"""Objects one append projects on the way; a writer whose projection lags further is told to wait."""


@dataclass(frozen=True, slots=True)
class Appender:
    """The use case with its ports, for one writer. `now` answers ISO 8601 UTC with milliseconds."""

    scope: Scope
    writer: str
    log: Log
    pointers: Pointers
    now: Callable[[], str]

    def append(self, request: AppendRequest) -> Appended:
        """Record the decisions of a request, all or nothing.

        Raises UnseenHead, UnknownDecision, SlotSetTwice, KeyReused; Unavailable where a store did not
        answer or the log kept moving: sending the same request again is safe then. LogTruncated where
        entries of this writer are gone that were acknowledged: nobody can go on before they are back.
        """
        try:
            there = self.pointers.read()
            if there is None and any(True for _ in self.log.writers()):
                there = current_pointer(self.scope, self.log, self.pointers)
            # A project begins with its first entry, not with a request that is refused.
            pointer = there or self.pointers.proposed(salt_of(self.scope, self.log))
            return self._append(request, pointer, is_made=there is not None)
        except StoreError as error:
            raise Unavailable(
                "A store did not answer. Send the same request with the same `key` again."
            ) from error

    def _append(self, request: AppendRequest, pointer: Pointer, *, is_made: bool) -> Appended:
        projection = self.pointers.open(pointer)
        if is_made:
            refuse_if_lost(projection)
        composer = Composer(projection)
        for _ in range(ATTEMPTS):
            tail, known = self._look(request, projection)
            if known:
                return self._repeated(request, composer, known)
            resolution = self._judged(request, projection, tail, pointer)
            if resolution is None:
                continue
            if resolution.unseen or not resolution.drafts:
                return self._standing(request, composer, resolution)
            if not is_made and (made := self._begun(projection, pointer)) != pointer:
                return self._append(request, made, is_made=True)
            data = seal_object(
                self.scope, self.writer, request, resolution, tail.hash, pointer.salt, self.now()
            )
            opened = self._verified(tail, data)
            if self._has_room(tail, opened) and self._put(tail.seq + 1, data):
                written = Written(opened, self._project(pointer, tail, opened))
                try:
                    return composer.appended(request, resolution, written)
                except StoreError:
                    return composer.durable(resolution, written)
            if not catch_up(self.scope, self.log, projection, self.writer, CATCH_UP).complete:
                raise Unavailable(
                    "This writer's log is being projected anew, and what is not projected can be neither "
                    "judged nor known again. Send the same request with the same `key` again."
                )
        raise Unavailable("This writer's log kept moving. Send the same request again.")

    def _begun(self, projection: Projection, pointer: Pointer) -> Pointer:
        """Make the pointer of a project that begins with this entry; another one, if somebody was faster."""
        projection.put(COMPLETE)
        return self.pointers.ensure(pointer.salt)

    def _look(self, request: AppendRequest, projection: Projection) -> tuple[Offset, list[Arrived]]:
        """Where this writer's log ends, and what the key has written already.

        The offset is read before the key is: what it has passed, the key rows tell of.
        """
        tail = projection.offset(self.writer)
        if tail.short:
            # What was missing may be back since the sweep looked.
            catch_up(self.scope, self.log, projection, self.writer)
            tail = projection.offset(self.writer)
        known = self._recorded_before(request, projection)
        if tail.short and not known:
            raise LogTruncated(self.writer, tail.seq + 1, tail.promised)
        return tail, known

    def _judged(
        self, request: AppendRequest, projection: Projection, tail: Offset, pointer: Pointer
    ) -> Resolution | None:
        """What a request comes to; None where it has to be judged again, since the log goes on."""
        try:
            resolution = self._resolve(request, projection, tail, pointer)
        except Refusal:
            if self._went_on(tail, projection):
                return None
            raise
        if resolution.drafts and not resolution.unseen:
            return resolution
        return None if self._went_on(tail, projection) else resolution

    def _went_on(self, tail: Offset, projection: Projection) -> bool:
        """Whether this writer's log goes on after what was judged; that is projected then.

        What is refused may be recorded already, by a process that died before its key row was written.
        """
        if self.log.get(self.writer, tail.seq + 1) is None:
            return False
        catch_up(self.scope, self.log, projection, self.writer, CATCH_UP)
        return True

    def _standing(
        self, request: AppendRequest, composer: Composer, resolution: Resolution
    ) -> Appended:
        """The answer where nothing has to be written, or nothing may. Raises UnseenHead."""
        if resolution.unseen:
            raise composer.unseen_head(resolution)
        return composer.appended(request, resolution, Written())

    def _repeated(
        self, request: AppendRequest, composer: Composer, known: list[Arrived]
    ) -> Appended:
        """The answer to a key that is known; whoever sent it first may have died over its projection."""
        projected = self._shown(composer.projection, known)
        return composer.repeated(request, known, projected=projected)

    def _recorded_before(self, request: AppendRequest, projection: Projection) -> list[Arrived]:
        """The entries this key wrote, from the log: the answer is what was written then."""
        rows = projection.results(self.writer, request.key)
        if not rows:
            return []
        first = rows[0].first
        data = self.log.get(self.writer, first)
        if data is None:
            raise LogTruncated(self.writer, first, max(row.dot.seq for row in rows))
        known = _of_key(request, open_object(self.scope, self.writer, first, data, GENESIS))
        if not known:
            raise LogTruncated(self.writer, first, max(row.dot.seq for row in rows))
        return known

    def _shown(self, projection: Projection, known: list[Arrived]) -> bool:
        """Whether what a key wrote is projected to the end; it is now, unless that fails."""
        last = max(line.dot.seq for line in known)
        try:
            if projection.offset(self.writer).seq < last:
                catch_up(self.scope, self.log, projection, self.writer, CATCH_UP)
            return projection.offset(self.writer).seq >= last
        except StoreError:
            return False

    def _resolve(
        self, request: AppendRequest, projection: Projection, tail: Offset, pointer: Pointer
    ) -> Resolution:
        check_room(projection, request.decisions)
        return resolve(
            request.decisions,
            request.verdicts,
            load(projection, request.decisions),
            writer=self.writer,
            seq=tail.seq + 1,
            now=self.now(),
            salt=pointer.salt,
        )

    def _verified(self, tail: Offset, data: bytes) -> Object:
        """Read what is about to be written as every later reader will. Raises TooLarge."""
        if len(data) > OBJECT_LIMIT:
            raise TooLarge("", OBJECT_LIMIT, len(data), "bytes as a log object")
        opened = open_object(self.scope, self.writer, tail.seq + 1, data, tail.hash)
        if opened.chain_breaks or not all(isinstance(line, Arrived) for line in opened.lines):
            raise AssertionError("sealed an object that does not verify")
        return opened

    def _has_room(self, tail: Offset, opened: Object) -> bool:
        """Whether a batch lies over nothing: the name of its first line alone does not say so.

        Objects lie beyond the end only where the log was harmed. One listing, and for batches only.
        """
        return len(opened.lines) == 1 or self.log.first_after(self.writer, tail.seq) is None

    def _put(self, first: int, data: bytes) -> bool:
        """Whether the object is ours: put now, or by a try whose outcome we never learned."""
        return self.log.put(self.writer, first, data) or self.log.get(self.writer, first) == data

    def _project(self, pointer: Pointer, tail: Offset, opened: Object) -> Progress | None:
        """Project what was written, again if the pointer moved meanwhile; None if that failed."""

        def act(projection: Projection) -> Progress:
            progress = Progress()
            project_object(projection, opened, progress)
            projection.move_offset(self.writer, tail, opened.end)
            return progress

        try:
            return on_current(self.pointers, pointer, act)
        except StoreError:
            return None


def _of_key(request: AppendRequest, opened: Object) -> list[Arrived]:
    """The entries of an object that a request's key wrote. Raises KeyReused for another request."""
    arrived = (line for line in opened.lines if isinstance(line, Arrived))
    found = [line for line in arrived if line.intent.key == request.key]
    if any(line.intent.request != request.sha256 for line in found):
        raise KeyReused(request.key)
    return found
