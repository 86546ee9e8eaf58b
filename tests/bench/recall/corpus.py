"""Real decision records as a project: read as `import adr` reads them, recorded by the append use case, asked about.

The questions of a set are checked in (`queries/<folder's name>.tsv`): of each record its title's words, a paraphrase,
and a question from its consequences or reasons. They were written from the records, before anything was ranked. A
folder without questions of its own is asked for the first words of its titles.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from precedent.append import Appender
from precedent.consume import Scope
from precedent.decision import parse
from precedent.ports import Pointer
from precedent.query import words
from precedent.request import AppendRequest
from precedent.resolve import Verdicts
from precedent.rows import COMPLETE

from tests.bench.store import Clock, OnePointer, PartitionedProjection
from tests.fakes.memory import MemoryLog

ROOT = Path(__file__).resolve().parents[3]
QUERIES = Path(__file__).parent / "queries"
SHARED = ROOT.parent / "shared" / "data"
KINDS = ("title words", "paraphrase", "question")

sys.path.append(str(ROOT / "plugin" / "lib"))

from precedent_client import adr_plan  # noqa: E402


@dataclass(frozen=True)
class Asked:
    """A question, of which kind, and the id of the decision that answers it."""

    kind: str
    question: str
    decision: str


@dataclass
class Corpus:
    """The decisions of a set by id, its questions, and the projection they were recorded into."""

    name: str
    contents: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    projection: PartitionedProjection = field(default_factory=PartitionedProjection)


def corpora(folder: str | None) -> Iterator[Corpus]:
    """The set in a folder, or those that lie beside this repository, if any do."""
    if folder:
        yield read(Path(folder))
    elif SHARED.is_dir():
        yield from map(read, sorted(path for path in SHARED.iterdir() if path.is_dir()))


def read(folder: Path) -> Corpus:
    """A folder of records, all of them recorded; what a record superseded stays to be found."""
    corpus = Corpus(folder.name)
    plan = adr_plan.make(str(folder), corpus.name)
    scope, pointer = Scope("acme", "shop"), Pointer("projection", "g1", "5a17" * 8)
    pointers = OnePointer(pointer=pointer, projection=corpus.projection)
    corpus.projection.put(COMPLETE)
    appender = Appender(scope, "importer", MemoryLog(), pointers, Clock())
    ids: dict[str, str] = {}
    for number, entry in enumerate(plan["entries"]):
        ids[entry["name"]] = entry["id"]
        content = adr_plan.with_ids(entry["decision"], ids)
        verdicts = Verdicts(on_unseen="branch")
        appender.append(AppendRequest((parse(content),), verdicts, f"key-{number}", {}))
        if not entry["name"].endswith("#withdrawn"):
            corpus.contents[entry["id"]] = content
    corpus.asked = list(_asked(corpus, ids))
    return corpus


def _asked(corpus: Corpus, ids: dict[str, str]) -> Iterator[Asked]:
    path = QUERIES / f"{corpus.name}.tsv"
    if not path.exists():
        for decision, content in corpus.contents.items():
            first = [each.word for each in words(content["title"]).sought[:4]]
            if first:
                yield Asked(KINDS[0], " ".join(first), decision)
        return
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            record = next(name for name in ids if name.startswith(row["record"]))
            yield from (Asked(kind, row[kind], ids[record]) for kind in KINDS if row[kind])
