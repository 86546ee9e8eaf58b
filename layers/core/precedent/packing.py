"""Packing a project's log: each block of each writer into one pack, and every pack checked again.

The log is only read. What is put is read back and compared before anything it replaces is deleted; whatever
dies in between leaves packs that are right or that no reader believes, and the next run tidies up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from precedent.packed import by_block
from precedent.packs import BLOCK, FEWEST, SMALL, Corrupt, Objects, block_of, md5, opened, seal
from precedent.ports import Log, Packs, StoreError, Summary

NO_MD5 = (
    "its ETag is not the MD5 of its bytes, so it can't be packed. "
    "Is the bucket encrypted with other keys than S3's own?"
)


@dataclass(slots=True)
class Packed:
    """What a run did.

    `packs` stand when it ends and hold `objects`; `corrupt` were not what their name says and are gone.
    `complete` is False if it ended early; the next run goes on where something is left to do.
    """

    writers: int = 0
    packs: int = 0
    objects: int = 0
    made: int = 0
    deleted: int = 0
    corrupt: int = 0
    complete: bool = True

    def add(self, other: Packed) -> None:
        """Count another project's with this one's."""
        self.writers += other.writers
        self.packs += other.packs
        self.objects += other.objects
        self.made += other.made
        self.deleted += other.deleted
        self.corrupt += other.corrupt
        self.complete = self.complete and other.complete


def pack(log: Log, packs: Packs, enough: Callable[[], bool] = lambda: False) -> Packed:
    """Pack what is worth packing, make again what is not right, delete what is not needed.

    Ends early once `enough` says so. Raises StoreError, but only after every writer had its turn.
    """
    run = _Run(log, packs, enough)
    for writer in sorted({*log.writers(), *packs.writers()}):
        run.pack_writer(writer)
    if run.failed:
        writer, first = next(iter(run.failed.items()))
        raise StoreError(f"{len(run.failed)} writers not packed, {writer} first: {first}")
    return run.packed


@dataclass
class _Run:
    log: Log
    packs: Packs
    enough: Callable[[], bool]
    packed: Packed = field(default_factory=Packed)
    failed: dict[str, StoreError] = field(default_factory=dict)

    def pack_writer(self, writer: str) -> None:
        try:
            self._blocks_of(writer)
        except StoreError as error:
            self.failed[writer] = error

    def _blocks_of(self, writer: str) -> None:
        there = by_block(self.packs.names(writer))
        first = self.log.first_after(writer, 0)
        while first is not None:
            if self.enough():
                self.packed.complete = False
                return
            block = block_of(first)
            first = self.log.first_after(writer, (block + 1) * BLOCK - 1)
            self._block(writer, block, there.pop(block, []), closed=first is not None)
        for names in there.values():
            self._delete(writer, names)
        self.packed.writers += 1

    def _block(self, writer: str, block: int, names: list[str], *, closed: bool) -> None:
        summaries = self.log.summaries(writer, block * BLOCK, (block + 1) * BLOCK)
        listed = {first: each for first, each in summaries.items() if each.size <= SMALL}
        good, held = self._best(writer, names, listed)
        missing = sorted(listed.keys() - held.keys())
        # The block that still grows is packed anew when that at least doubles what its pack holds.
        if missing and len(listed) >= FEWEST and (closed or len(missing) >= len(held)):
            objects = {**held, **self._fetched(writer, missing, listed)}
            if len(objects) > max(len(held), FEWEST - 1) and (
                made := self._make(writer, block, objects)
            ):
                good, held = made, objects
        self._delete(writer, [name for name in names if name != good])
        self.packed.packs += good is not None
        self.packed.objects += len(held)

    def _best(
        self, writer: str, names: list[str], listed: dict[int, Summary]
    ) -> tuple[str | None, Objects]:
        """The pack that holds most, of those in which everything is as the log lists it."""
        best: tuple[str | None, Objects] = (None, {})
        for name in names:
            objects = self._opened(writer, name)
            if len(objects) > len(best[1]) and all(
                first in listed and md5(data) == listed[first].etag
                for first, data in objects.items()
            ):
                best = name, objects
        return best

    def _opened(self, writer: str, name: str) -> Objects:
        data = self.packs.get(writer, name)
        try:
            return {} if data is None else opened(name, data)
        except Corrupt:
            self.packed.corrupt += 1
            return {}

    def _fetched(self, writer: str, firsts: list[int], listed: dict[int, Summary]) -> Objects:
        """The objects as the log lists them; one that is not, no reader would take from a pack.

        Raises StoreError where the first is not: then probably none is, and asking for all of them is no use.
        """
        fetched = {}
        for first, data in zip(firsts, self.log.get_all(writer, firsts), strict=True):
            if data is not None and md5(data) == listed[first].etag:
                fetched[first] = data
            elif not fetched:
                raise StoreError(f"log: {writer}/{first}: {NO_MD5}")
        return fetched

    def _make(self, writer: str, block: int, objects: Objects) -> str | None:
        """Put a pack and read it back; None if what came back is not what was put."""
        name, data = seal(block, objects)
        self.packs.put(writer, name, data)
        if self._opened(writer, name) != objects:
            self._delete(writer, [name])
            return None
        self.packed.made += 1
        return name

    def _delete(self, writer: str, names: list[str]) -> None:
        for name in names:
            self.packs.delete(writer, name)
            self.packed.deleted += 1
