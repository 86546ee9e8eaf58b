"""Reading a log with the help of its packs: two listings and a GET for a thousand objects."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator

from precedent.packs import BLOCK, Corrupt, Objects, block_named, block_of, md5, opened
from precedent.ports import Listed, Log, Packs, Stored, StoreError, Summary

_OPEN = 2
"""Blocks kept open: a reader goes through one after the other, and may be a few objects ahead."""


class PackedLog:
    """`precedent.ports.Log`: the log, whose objects come out of packs where these hold what it lists.

    `passed_over` names the packs that could not be used, and why. Safe for threads.
    """

    def __init__(self, log: Log, packs: Packs) -> None:
        self._log, self._packs = log, packs
        self._names: dict[str, dict[int, list[str]]] = {}
        self._blocks: OrderedDict[tuple[str, int], Objects] = OrderedDict()
        self._lock = threading.RLock()
        self.passed_over: dict[str, str] = {}

    def get(self, writer: str, first: int) -> bytes | None:
        found = self._block(writer, block_of(first)).get(first)
        return self._log.get(writer, first) if found is None else found

    def put(self, writer: str, first: int, data: bytes) -> bool:
        return self._log.put(writer, first, data)

    def get_all(self, writer: str, firsts: Iterable[int]) -> Iterator[bytes | None]:
        return (self.get(writer, first) for first in firsts)

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

    def _block(self, writer: str, block: int) -> Objects:
        with self._lock:
            key = (writer, block)
            if key not in self._blocks:
                self._blocks[key] = self._read(writer, block)
                if len(self._blocks) > _OPEN:
                    self._blocks.popitem(last=False)
            self._blocks.move_to_end(key)
            return self._blocks[key]

    def _read(self, writer: str, block: int) -> Objects:
        """The objects of a block that its packs hold as the log lists them."""
        names = self._packs_of(writer).get(block, [])
        if not names:
            return {}
        listed = self._log.summaries(writer, block * BLOCK, (block + 1) * BLOCK)
        found: dict[int, bytes] = {}
        for name in names:
            for first, data in self._opened(writer, name).items():
                if first in listed and first not in found and md5(data) == listed[first].etag:
                    found[first] = data
        return found

    def _opened(self, writer: str, name: str) -> Objects:
        try:
            data = self._packs.get(writer, name)
            return {} if data is None else opened(name, data)
        except (Corrupt, StoreError) as error:
            self.passed_over[f"{writer}/{name}"] = str(error)
            return {}

    def _packs_of(self, writer: str) -> dict[int, list[str]]:
        if writer not in self._names:
            try:
                self._names[writer] = by_block(self._packs.names(writer))
            except StoreError as error:
                self.passed_over[writer] = str(error)
                self._names[writer] = {}
        return self._names[writer]


def by_block(names: Iterable[str]) -> dict[int, list[str]]:
    """Pack names by the block they are of; other names are left out."""
    found: dict[int, list[str]] = defaultdict(list)
    for name in sorted(names):
        block = block_named(name)
        if block is not None:
            found[block].append(name)
    return dict(found)
