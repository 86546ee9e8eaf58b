"""Yesterday's log is read by today's code, in any order, to yesterday's digest."""

import json
import random
from pathlib import Path

import msgspec
import pytest
from precedent import canonical
from precedent.consume import open_object
from precedent.entry import GENESIS, VERSION, Arrived
from precedent.orset import digest
from precedent.ports import Pointer
from precedent.project import project
from precedent.rebuild import rebuild
from precedent.recall import show

from tests.fakes.memory import MemoryLog, MemoryProjection
from tests.golden import make
from tests.property.picture import contradictions
from tests.property.shop import SALT, SCOPE, Shop

EXPECTED = json.loads((make.V1 / "expected.json").read_text("utf-8"))
OBJECTS = {
    str(path.relative_to(make.V1)): path.read_bytes() for path in sorted(make.V1.rglob("*.jsonl"))
}
ENTRIES = [line for key, data in OBJECTS.items() for line in make.lines_of(key, data)]


@pytest.fixture
def shop():
    """The golden log with a projection that has seen none of it."""
    log = MemoryLog()
    for key, data in OBJECTS.items():
        path = Path(key)
        log.objects[path.parent.name, int(path.stem)] = data
    return Shop(log=log)


def test_every_version_ever_written_has_a_golden_log():
    folders = {path.name for path in make.V1.parent.iterdir() if path.name.startswith("v")}
    assert folders == {f"v{version}" for version in range(1, VERSION + 1)}


def test_it_has_everything_in_it():
    assert len(ENTRIES) >= 60
    assert len(EXPECTED["writers"]) == 5
    assert any(entry.entry.historical for entry in ENTRIES)
    assert {gone.why for e in ENTRIES for gone in e.entry.displaces} == {
        "supersedes",
        "overrule",
        "seen",
    }
    assert {e.entry.outcome for e in ENTRIES} == {"adopted", "rejected", "note"}
    assert any(data.count(b"\n") > 1 for data in OBJECTS.values())
    before: set[object] = set()
    early = [
        g for e in ENTRIES for g in e.entry.displaces if g.dot not in (before.add(e.dot) or before)
    ]
    assert early, "in the order of names something is displaced before it arrives"


def test_every_line_verifies_and_every_chain_holds(shop):
    assert all(isinstance(entry, Arrived) for entry in ENTRIES)
    for writer in EXPECTED["writers"]:
        assert not [b for opened in shop.objects(writer) for b in opened.chain_breaks]


def test_blocks_are_stored_as_the_canonical_bytes_that_were_hashed():
    for data in OBJECTS.values():
        for line in data.splitlines():
            for block in ("entry", "intent", "decision", "context"):
                assert canonical.dumps(msgspec.json.decode(line)[block]) in line


@pytest.mark.parametrize("seed", range(12))
def test_projected_in_any_order_it_comes_to_yesterdays_digest(seed):
    projection = MemoryProjection()
    order = random.Random(seed)
    for entry in order.sample(ENTRIES + ENTRIES[:9], len(ENTRIES) + 9):
        project(projection, entry)
    assert str(digest(projection.all_statuses())) == EXPECTED["digest"]


def test_swept_and_rebuilt_it_comes_to_yesterdays_digest(shop):
    shop.sweep()
    assert str(shop.projected_digest()) == EXPECTED["digest"]
    rebuild(SCOPE, shop.log, shop.pointers, "g2")
    rebuilt = shop.pointers.open(Pointer("projection", "g2", SALT))
    total = digest(rebuilt.all_statuses())
    assert (str(total), total.entries) == (EXPECTED["digest"], EXPECTED["entries"])


def test_the_heads_are_yesterdays():
    assert make.expected(OBJECTS) == EXPECTED


def test_what_is_contradicted_is_hinted_at(shop):
    shop.sweep()
    hints = {(row.element, row.slot) for row in shop.projection.conflicts()}
    contested = {(element, slot) for element, slot, _, _ in contradictions(shop.fold())}
    assert contested
    assert contested <= hints


def test_written_again_today_it_has_the_same_bytes():
    assert make.objects() == OBJECTS


def test_what_a_newer_writer_added_survives(shop):
    shop.sweep()
    [line] = [e for e in ENTRIES if e.intent.key == "newer"]
    assert show(shop.projection, line.entry.decision[0]).decision["confidence"] == "high"
    stored = shop.log.objects[line.dot.writer, line.first]
    assert b'"weight":2' in stored
    with_less = stored.replace(b',"weight":2', b"")
    [changed] = open_object(SCOPE, line.dot.writer, line.first, with_less, GENESIS).lines
    assert not isinstance(changed, Arrived), "an unknown field is hashed with the rest"


def test_whatever_was_recorded_is_shown(shop):
    shop.sweep()
    for entry in ENTRIES:
        assert show(shop.projection, entry.entry.decision[0]).decision == entry.content
