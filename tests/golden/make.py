"""Writes the golden log: `PYTHONPATH=layers/core python -m tests.golden.make`.

A golden log is never written again once a version is released: what it holds is what a customer's bucket
holds. A change of the format gets a folder of its own beside it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from precedent import canonical
from precedent.consume import open_object
from precedent.entry import GENESIS, Dot
from precedent.orset import Status, digest, fold

from tests.golden.story import CAROL, tell
from tests.property.picture import heads_of
from tests.property.shop import SCOPE, Shop

V1 = Path(__file__).parent / "v1"


def objects() -> dict[str, bytes]:
    """The objects of the golden log by their key in the bucket."""
    shop = tell()
    _from_a_newer_writer(shop)
    return {
        f"t/{SCOPE.tenant}/{SCOPE.project}/log/{writer}/{first:012d}.jsonl": data
        for (writer, first), data in sorted(shop.log.objects.items())
    }


def _from_a_newer_writer(shop: Shop) -> None:
    """One more line, with fields and an act this version does not know."""
    tail = shop.tail(CAROL)
    line: dict[str, Any] = msgspec.json.decode(
        next(
            data for (writer, _), data in shop.log.objects.items() if writer == CAROL
        ).splitlines()[0]
    )
    line["decision"] |= {"title": "From a newer writer", "confidence": "high"}
    line["context"]["clock"] = {"drift-ms": 12}
    line["intent"] |= {"key": "newer", "purpose": "test"}
    sha256 = {
        name: canonical.sha256(canonical.dumps(line[name]))
        for name in ("intent", "decision", "context")
    }
    line["entry"] |= {
        "act": "endorse",
        "seq": tail.seq + 1,
        "prev": tail.hash,
        "recorded_at": shop.now(),
        "intent": sha256["intent"],
        "decision": ["d_" + sha256["decision"][:24], sha256["decision"]],
        "context": sha256["context"],
        "displaces": [],
        "weight": 2,
    }
    line["hash"] = canonical.sha256(canonical.dumps(line["entry"]))
    assert shop.log.put(CAROL, tail.seq + 1, canonical.dumps(line) + b"\n")


def expected(shop_objects: dict[str, bytes]) -> dict[str, Any]:
    """What the log means: its digest, and the heads of every slot."""
    state = fold(line for key, data in shop_objects.items() for line in lines_of(key, data))
    total = digest(state.values())
    return {
        "digest": str(total),
        "entries": total.entries,
        "writers": sorted({dot.writer for dot in state}),
        "heads": _heads(state),
    }


def lines_of(key: str, data: bytes) -> tuple[Any, ...]:
    """The lines of one object, verified."""
    *_, writer, name = key.split("/")
    return open_object(SCOPE, writer, int(name.removesuffix(".jsonl")), data, GENESIS).lines


def _heads(state: dict[Dot, Status]) -> dict[str, list[list[Any]]]:
    return {
        f"{element} {slot}": sorted([*dot, value] for dot, value in heads.items())
        for (element, slot), heads in sorted(heads_of(state).items())
    }


def main() -> None:
    found = objects()
    for key, data in found.items():
        path = V1 / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    text = json.dumps(expected(found), indent=1, ensure_ascii=False)
    (V1 / "expected.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
