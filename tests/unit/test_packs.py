"""Packs: what is worth packing is packed, and nothing that is read depends on any pack."""

import hashlib

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st
from precedent.packed import PackedLog
from precedent.packing import pack
from precedent.packs import BLOCK, FEWEST, LIMIT, SMALL, Corrupt, opened, seal
from precedent.ports import StoreError, Summary

from tests.fakes.memory import MemoryLog, MemoryPacks

ALICE, BOB = "alice.laptop", "bob.desk"


def line(first):
    return f'{{"seq":{first}}}\n'.encode()


def a_log(objects=FEWEST, writer=ALICE, start=1):
    log = MemoryLog()
    for first in range(start, start + objects):
        log.put(writer, first, line(first))
    return log


def counting(port):
    """The names of the calls a port gets from now on."""
    calls = []
    port.before = calls.append
    return calls


def held(packs):
    """Everything the packs hold, by writer and name."""
    return [
        (writer, first, data)
        for (writer, name), pack in packs.objects.items()
        for first, data in opened(name, pack).items()
    ]


def reads_as_the_log(log, packs):
    reader = PackedLog(log, packs)
    for (writer, first), data in log.objects.items():
        assert reader.get(writer, first) == data
    for writer, first, _ in held_if_sound(packs):
        assert reader.get(writer, first) == log.objects.get((writer, first))


def held_if_sound(packs):
    for (writer, name), data in packs.objects.items():
        try:
            objects = opened(name, data)
        except Corrupt:
            continue
        yield from ((writer, first, each) for first, each in objects.items())


# ---------------------------------------------------------------------------------- the format


@given(st.dictionaries(st.integers(0, BLOCK - 1), st.binary(max_size=200)))
def test_what_is_sealed_is_opened_again(objects):
    assert opened(*seal(7, objects)) == objects


@pytest.mark.parametrize(
    "harm", [lambda d: d[:-1], lambda d: d + b"\0", lambda _: b"", bytes.upper]
)
def test_other_bytes_than_the_name_says_are_no_pack(harm):
    name, data = seal(0, {1: b"aa\n"})
    with pytest.raises(Corrupt):
        opened(name, harm(data))


def named(data):
    return f"{0:09d}-{hashlib.sha256(data).hexdigest()}.zst", data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no frame",
        zstd.compress(b"no index"),
        zstd.compress(b"[[1]]\nx"),
        zstd.compress(b"[]\n") * 2,
        zstd.compress(bytes(LIMIT + 1)),
    ],
)
def test_whatever_has_a_packs_name_and_is_none_is_told(data):
    with pytest.raises(Corrupt):
        opened(*named(data))


# ------------------------------------------------------------------------------------- packing


def test_a_log_that_grows_is_packed_when_that_doubles_what_its_pack_holds():
    log, packs = a_log(FEWEST - 1), MemoryPacks()
    assert pack(log, packs).made == 0
    sizes = []
    for first in range(FEWEST, 5 * FEWEST):
        log.put(ALICE, first, line(first))
        sizes.append(pack(log, packs).objects)
        assert len(packs.objects) == 1
    assert sorted(set(sizes)) == [FEWEST, 2 * FEWEST, 4 * FEWEST]


def test_a_block_the_log_has_gone_beyond_is_packed_whole_and_left_alone():
    log, packs = a_log(3, start=BLOCK), MemoryPacks()
    for first in range(BLOCK - 2 * FEWEST + 3, BLOCK):
        log.put(ALICE, first, line(first))
    assert pack(log, packs).objects == 2 * FEWEST - 3
    calls = counting(packs)
    again = pack(log, packs)
    assert (again.made, again.deleted, again.packs) == (0, 0, 1)
    assert "put" not in calls


def test_a_large_object_stays_in_the_log_alone():
    log, packs = a_log(), MemoryPacks()
    log.put(ALICE, FEWEST + 1, bytes(SMALL + 1))
    assert pack(log, packs).objects == FEWEST
    reads_as_the_log(log, packs)


def test_an_object_that_comes_late_into_a_block_that_is_full_is_packed_too():
    log, packs = a_log(2, start=BLOCK - 1), MemoryPacks()
    for first in range(1, FEWEST):
        log.put(ALICE, first, line(first))
    assert pack(log, packs).objects == FEWEST
    log.put(ALICE, 500, line(500))
    assert pack(log, packs).objects == FEWEST + 1
    assert len(packs.objects) == 1


@pytest.mark.parametrize("gone", ["taken out", "redacted"])
def test_bytes_that_left_the_log_leave_the_packs(gone):
    log, packs = a_log(2 * FEWEST), MemoryPacks()
    pack(log, packs)
    text = log.objects.pop((ALICE, 3))
    if gone == "redacted":
        log.objects[ALICE, 3] = b"{}\n"
    pack(log, packs)
    assert text not in [data for _, _, data in held(packs)]
    reads_as_the_log(log, packs)


def test_packs_of_what_is_not_there_any_more_are_deleted():
    log, packs = a_log(), MemoryPacks()
    pack(log, packs)
    for place in [place for place in log.objects if place != (ALICE, 1)]:
        del log.objects[place]
    packs.objects[BOB, seal(0, {1: b"x"})[0]] = seal(0, {1: b"x"})[1]
    assert pack(log, packs).deleted == 2
    assert packs.objects == {}


def test_a_corrupt_pack_is_counted_and_made_again():
    log, packs = a_log(), MemoryPacks()
    pack(log, packs)
    sound = dict(packs.objects)
    packs.objects = {place: data[:-3] for place, data in sound.items()}
    packed = pack(log, packs)
    assert (packed.corrupt, packed.made) == (1, 1)
    assert packs.objects == sound


def test_what_does_not_come_back_as_it_was_put_is_not_kept():
    log, packs = a_log(), MemoryPacks()
    put = packs.put
    packs.put = lambda writer, name, data: put(writer, name, data[:-1])
    packed = pack(log, packs)
    assert (packed.made, packed.packs, packs.objects) == (0, 0, {})


def test_where_no_etag_is_an_md5_nothing_is_packed_and_that_is_told():
    log, packs = a_log(3 * FEWEST), MemoryPacks()
    log.summaries = lambda *_: {n: Summary(9, "aws-kms") for n in range(1, 3 * FEWEST)}
    calls = counting(log)
    with pytest.raises(StoreError, match="is not the MD5"):
        pack(log, packs)
    assert packs.objects == {}
    assert calls.count("get") == 1


def test_one_writer_that_cannot_be_packed_does_not_stop_the_others():
    log, packs = a_log(), MemoryPacks()
    for first in range(1, FEWEST + 1):
        log.put(BOB, first, line(first))
    names = packs.names
    packs.names = lambda writer: names(writer) if writer == BOB else refuse()
    with pytest.raises(StoreError, match="1 writers not packed"):
        pack(log, packs)
    assert {writer for writer, _ in packs.objects} == {BOB}


def refuse():
    raise StoreError("AccessDenied")


def test_a_run_that_has_had_enough_is_gone_on_with():
    log, packs = a_log(2 * BLOCK), MemoryPacks()
    moments = iter([False, True])
    assert not pack(log, packs, lambda: next(moments)).complete
    assert len(packs.objects) == 1
    assert pack(log, packs).complete
    assert len(packs.objects) == 2


# ------------------------------------------------------------------------------------- reading


def test_a_packed_log_is_read_with_a_fraction_of_the_requests():
    log, packs = a_log(2 * BLOCK), MemoryPacks()
    pack(log, packs)
    to_log, to_packs = counting(log), counting(packs)
    reader = PackedLog(log, packs)
    assert all(reader.get(*place) == data for place, data in log.objects.items())
    assert sorted(to_log) == ["get", "summaries", "summaries"]
    assert sorted(to_packs) == ["get", "get", "names"]


def test_packs_that_cannot_be_read_are_passed_over_and_named():
    log, packs = a_log(), MemoryPacks()
    pack(log, packs)
    [(_, name)] = packs.objects
    packs.objects[ALICE, name] = b"rubbish"
    reader = PackedLog(log, packs)
    assert reader.get(ALICE, 1) == line(1)
    assert list(reader.passed_over) == [f"{ALICE}/{name}"]
    packs.names = lambda writer: refuse()
    reader = PackedLog(log, packs)
    assert reader.get(ALICE, 1) == line(1)
    assert reader.passed_over == {ALICE: "AccessDenied"}


def test_a_forged_pack_is_not_believed():
    log, packs = a_log(), MemoryPacks()
    name, data = seal(0, {1: b"forged\n", 99: b"never recorded\n"})
    packs.put(ALICE, name, data)
    reader = PackedLog(log, packs)
    assert reader.get(ALICE, 1) == line(1)
    assert reader.get(ALICE, 99) is None


@st.composite
def events(draw):
    first = st.integers(1, 3 * FEWEST).map(lambda n: n if n < 2 * FEWEST else BLOCK + n)
    return draw(
        st.lists(
            st.one_of(
                st.tuples(st.just("write"), first, st.binary(min_size=1, max_size=9)),
                st.tuples(st.just("write many"), first, st.binary(min_size=1, max_size=9)),
                st.tuples(st.just("delete"), first),
                st.tuples(st.just("harm a pack"), st.integers(0, 9), st.binary(max_size=3)),
                st.tuples(st.just("pack")),
            ),
            max_size=30,
        )
    )


@given(events())
def test_whatever_happens_to_log_and_packs_the_log_is_what_is_read(happened):
    log, packs = MemoryLog(), MemoryPacks()
    for event in happened:
        match event:
            case ("write", first, data):
                log.objects[ALICE, first] = data
            case ("write many", first, data):
                log.objects |= {(ALICE, n): data for n in range(first, first + FEWEST)}
            case ("delete", first):
                log.objects.pop((ALICE, first), None)
            case ("harm a pack", number, data) if packs.objects:
                packs.objects[[*packs.objects][number % len(packs.objects)]] = data
            case ("pack",):
                pack(log, packs)
                for writer, first, data in held(packs):
                    assert log.objects[writer, first] == data
        reads_as_the_log(log, packs)
