"""The crash matrix of packing: every port call failing before, after, or dying; no answer depends on it."""

import contextlib

import pytest
from precedent.packed import PackedLog
from precedent.packing import pack
from precedent.packs import BLOCK, FEWEST, opened
from precedent.ports import StoreError

from tests.fakes.faults import Fault, ProcessDied, matrix
from tests.fakes.memory import MemoryLog, MemoryPacks

ALICE, BOB = "alice.laptop", "bob.desk"


def a_project():
    """A pack that grows, one of a finished block that is stale, one that is corrupt, one of nobody."""
    log, packs = MemoryLog(), MemoryPacks()
    for first in (*range(BLOCK - FEWEST, BLOCK), BLOCK):
        log.objects[ALICE, first] = b"%d\n" % first
    for first in range(1, FEWEST + 1):
        log.objects[BOB, first] = b"%d\n" % first
    log.objects["gone.mac", 1] = b"x\n"
    for first in range(2, FEWEST + 2):
        log.objects["gone.mac", first] = b"y\n"
    pack(log, packs)
    log.objects = {place: data for place, data in log.objects.items() if place[0] != "gone.mac"}
    log.objects[ALICE, BLOCK - 1] = b"put right\n"
    log.objects |= {(BOB, first): b"later\n" for first in range(FEWEST + 1, 2 * FEWEST + 1)}
    [corrupt] = [place for place in packs.objects if place[0] == BOB]
    packs.objects[corrupt] = b"rubbish"
    return log, packs


def packing():
    log, packs = a_project()
    fault = Fault((log, packs), 0, "never", StoreError)
    pack(log, packs)
    return fault.calls


@pytest.mark.parametrize(("at", "when", "error"), matrix(packing))
def test_wherever_packing_dies_the_log_is_what_is_read_and_the_next_run_finishes(at, when, error):
    log, packs = a_project()
    before = dict(log.objects)
    fault = Fault((log, packs), at, when, error)
    with contextlib.suppress(StoreError, ProcessDied):
        pack(log, packs)
    fault.lift()
    reader = PackedLog(log, packs)
    assert {place: reader.get(*place) for place in before} == before
    pack(log, packs)
    assert log.objects == before
    assert sorted(writer for writer, _ in packs.objects) == [ALICE, BOB]
    for (writer, name), data in packs.objects.items():
        held = opened(name, data)
        assert {(writer, first): each for first, each in held.items()}.items() <= before.items()
        assert len(held) == (FEWEST if writer == ALICE else 2 * FEWEST)
    assert pack(log, packs).made == 0


@pytest.mark.parametrize("at", range(1, 12))
def test_a_reader_needs_no_pack_and_no_answer_about_packs(at):
    log, packs = a_project()
    pack(log, packs)
    fault = Fault((packs,), at, "before", StoreError)
    reader = PackedLog(log, packs)
    assert {place: reader.get(*place) for place in log.objects} == log.objects
    fault.lift()


def test_two_runs_at_once_leave_one_right_pack_a_block():
    log, packs = a_project()
    done = []

    def second(called):
        if called == "put" and not done:
            done.append(called)
            pack(log, packs)

    packs.before = second
    pack(log, packs)
    assert sorted(writer for writer, _ in packs.objects) == [ALICE, BOB]
    assert pack(log, packs).made == 0
