"""Reading, verifying and folding a stored log, in a process of its own: `python -m tests.bench.folding FOLDER`."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from precedent.consume import Scope, next_object
from precedent.entry import Arrived
from precedent.orset import fold
from precedent.packed import PackedLog
from precedent.ports import Offset
from precedent.shares import collecting_seldom

from tests.bench.stored import StoredListing, StoredPacks

SCOPE = Scope("bench", "shop")


class Timed(PackedLog):
    """A packed log that knows how long it took to give what it gave."""

    def __init__(self, folder: Path) -> None:
        super().__init__(StoredListing(folder), StoredPacks(folder))
        self.seconds = 0.0

    def get(self, writer: str, first: int) -> bytes | None:
        began = time.process_time()
        data = super().get(writer, first)
        self.seconds += time.process_time() - began
        return data


@dataclass
class Verified:
    """The entries of a log, and how long it took to verify them."""

    log: Timed
    seconds: float = 0.0

    def __iter__(self) -> Iterator[Arrived]:
        for writer in self.log.writers():
            offset = Offset()
            while True:
                began, read = time.process_time(), self.log.seconds
                opened = next_object(SCOPE, self.log, writer, offset)
                self.seconds += time.process_time() - began - (self.log.seconds - read)
                if opened is None:
                    break
                for line in opened.lines:
                    assert isinstance(line, Arrived), line
                    yield line
                offset = opened.end


def main(folder: Path) -> None:
    entries = Verified(Timed(folder))
    began = time.process_time()
    with collecting_seldom():
        state = fold(entries)
    seconds = time.process_time() - began
    reading, verifying = entries.log.seconds, entries.seconds
    print(
        json.dumps(
            {
                "entries": len(state),
                "reading": reading,
                "verifying": verifying,
                "folding": seconds - reading - verifying,
                "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
