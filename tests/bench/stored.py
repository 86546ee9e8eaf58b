"""A log on disk as its packs and its listing: what a reader of packs asks for, and no object of the log itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from precedent.packs import BLOCK, block_of, md5, seal
from precedent.ports import Listed, Stored, Summary

from tests.bench.history import Written


def store(history: Iterable[Written], folder: Path) -> int:
    """Pack a log into a folder, block by block; return the bytes of its objects."""
    size, open_blocks = 0, dict[str, tuple[int, dict[int, bytes]]]()
    for written in history:
        size += len(written.data)
        block, objects = open_blocks.setdefault(written.writer, (block_of(written.first), {}))
        if block != block_of(written.first):
            _keep(folder, written.writer, block, objects)
            block, objects = open_blocks[written.writer] = block_of(written.first), {}
        objects[written.first] = written.data
    for writer, (block, objects) in open_blocks.items():
        _keep(folder, writer, block, objects)
    return size


def _keep(folder: Path, writer: str, block: int, objects: dict[int, bytes]) -> None:
    place = folder / writer
    place.mkdir(exist_ok=True)
    name, data = seal(block, objects)
    (place / name).write_bytes(data)
    listed = {first: (len(each), md5(each)) for first, each in objects.items()}
    (place / f"{block}.json").write_text(json.dumps(listed), "ascii")


@dataclass(frozen=True)
class StoredPacks:
    """`precedent.ports.Packs`, to be read."""

    folder: Path

    def writers(self) -> Iterator[str]:
        return iter(sorted(path.name for path in self.folder.iterdir()))

    def names(self, writer: str) -> list[str]:
        return sorted(path.name for path in (self.folder / writer).glob("*.zst"))

    def get(self, writer: str, name: str) -> bytes | None:
        return (self.folder / writer / name).read_bytes()

    def put(self, writer: str, name: str, data: bytes) -> None:
        raise NotImplementedError

    def delete(self, writer: str, name: str) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class StoredListing:
    """`precedent.ports.Log` of which only the listing is there: every object has to come out of a pack."""

    folder: Path

    def put(self, writer: str, first: int, data: bytes) -> bool:
        raise NotImplementedError

    def get(self, writer: str, first: int) -> bytes | None:
        return None

    def get_all(self, writer: str, firsts: Iterable[int]) -> Iterator[bytes | None]:
        return (None for _ in firsts)

    def summaries(self, writer: str, first: int, end: int) -> dict[int, Summary]:
        listed = json.loads((self.folder / writer / f"{block_of(first)}.json").read_text("ascii"))
        return {int(name): Summary(*each) for name, each in listed.items()}

    def first_after(self, writer: str, seq: int) -> int | None:
        return None

    def last(self, writer: str, seq: int) -> Stored | None:
        block = max(int(path.stem) for path in (self.folder / writer).glob("*.json"))
        return Stored(max(self.summaries(writer, block * BLOCK, 0)), b"")

    def writers(self) -> Iterator[str]:
        return StoredPacks(self.folder).writers()

    def names(self) -> Iterator[Listed]:
        return iter(())
