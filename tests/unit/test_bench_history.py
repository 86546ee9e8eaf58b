"""The log the rebuild's bench is run on: every line verifies, is canonical, and folds to something worth folding."""

import msgspec
from precedent import canonical
from precedent.consume import open_object
from precedent.entry import GENESIS, Arrived
from precedent.orset import fold
from precedent.packed import PackedLog

from tests.bench.folding import SCOPE, Timed, Verified
from tests.bench.history import History
from tests.bench.stored import StoredListing, StoredPacks, store


def test_it_is_a_log_as_appends_write_it():
    entries, ends = [], {}
    for written in History(SCOPE, 400):
        prev = ends.get(written.writer, GENESIS)
        opened = open_object(SCOPE, written.writer, written.first, written.data, prev)
        assert not opened.chain_breaks
        ends[written.writer] = opened.end.hash
        [line] = opened.lines
        assert isinstance(line, Arrived), line
        entries.append(line)
        blocks = msgspec.json.decode(written.data)
        for name in ("entry", "intent", "decision", "context"):
            assert canonical.dumps(blocks[name]) in written.data
    state = fold(entries)
    assert any(status.lost for status in state.values())
    assert {status.outcome for status in state.values()} == {"adopted", "rejected", "note"}


def test_the_same_number_makes_the_same_log_and_it_is_read_out_of_its_packs(tmp_path):
    written = list(History(SCOPE, 200))
    assert written == list(History(SCOPE, 200))
    store(written, tmp_path)
    reader = PackedLog(StoredListing(tmp_path), StoredPacks(tmp_path))
    assert all(reader.get(one.writer, one.first) == one.data for one in written)


def test_what_is_timed_is_the_whole_log(tmp_path):
    store(History(SCOPE, 200), tmp_path)
    assert len(fold(Verified(Timed(tmp_path)))) == 200
