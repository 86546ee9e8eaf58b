"""Laws of appending: what is acknowledged is in the log and in the projection, exactly once."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedent.entry import GENESIS
from precedent.errors import Refusal, Unavailable
from precedent.pointer import follow
from precedent.rebuild import rebuild
from precedent.request import AppendRequest

from tests.property.interleaving import Interleaving, Task, schedules
from tests.property.shop import SCOPE, Shop
from tests.property.worlds import History, moves


def assert_sound(shop: Shop) -> None:
    """The chains hold, no seq is missing, and after a sweep the projection is the log's fold."""
    for writer in {writer for writer, _ in shop.log.objects}:
        seqs, prev = [], GENESIS
        for opened in shop.objects(writer):
            assert not opened.chain_breaks
            for line in opened.lines:
                assert line.entry.prev == prev
                seqs.append(line.entry.seq)
                prev = line.hash
        assert seqs == list(range(1, len(seqs) + 1))
    shop.sweep()
    assert shop.projected_digest() == shop.log_digest()


def assert_once_each(shop: Shop) -> None:
    """No key wrote twice, and a batch is there as a whole or not at all."""
    written = [arrived.intent for arrived in shop.arrived()]
    assert max(Counter((i.writer, i.key, i.index) for i in written).values(), default=1) == 1
    objects = [
        opened.lines for writer in {i.writer for i in written} for opened in shop.objects(writer)
    ]
    for lines in objects:
        assert len({line.intent.key for line in lines}) == 1


def sent_by(history: History, sequence):
    """The requests of a sequence with their writers, each able to be sent again as it is."""
    return [
        (move.writer, request)
        for move in sequence
        if (request := history.request(move)) is not None
    ]


def sending(shop: Shop, writer: str, request: AppendRequest) -> Task:
    """A client that takes a refusal for an answer and sends again where a store did not answer."""

    def send() -> object:
        try:
            return shop.appender(writer).append(request)
        except Unavailable:
            raise
        except Refusal as refusal:
            return refusal

    return send


BRANCHING = moves(on_unseen=st.just("branch"), unaware=st.none())
FOR_ONE = BRANCHING.map(lambda move: replace(move, writer="alice.laptop"))


@pytest.mark.parametrize("sequence_of", [BRANCHING, FOR_ONE], ids=["several writers", "one writer"])
@given(data=st.data(), turns=schedules(crashes=True))
def test_parallel_appends_lose_nothing_and_record_nothing_twice(sequence_of, data, turns):
    history = History()
    requests = sent_by(history, data.draw(st.lists(sequence_of, min_size=2, max_size=5)))
    shop, scheduler = history.shop, Interleaving(turns)

    for port in (shop.log, shop.pointers):
        port.before, port.after = scheduler.before, scheduler.after
    answers = scheduler.run([sending(shop, *sent) for sent in requests])
    in_log = {arrived.dot: arrived.entry.decision[0] for arrived in shop.arrived()}
    for (writer, _), answer in zip(requests, answers, strict=True):
        for result in getattr(answer, "results", ()):
            if result.dot:
                assert in_log[writer, result.dot.seq] == result.id
    assert_once_each(shop)
    assert_sound(shop)


@given(data=st.data(), turns=schedules(crashes=True))
def test_a_rebuild_at_any_moment_comes_to_what_the_log_says(data, turns):
    history = History()
    requests = sent_by(history, data.draw(st.lists(BRANCHING, min_size=1, max_size=4)))
    shop, scheduler = history.shop, Interleaving(turns)
    generations = iter(range(2, 10_000))

    def rebuilding():
        return rebuild(SCOPE, shop.log, shop.pointers, f"g{next(generations)}")

    for port in (shop.log, shop.pointers):
        port.before, port.after = scheduler.before, scheduler.after
    tasks = [rebuilding, *(sending(shop, *sent) for sent in requests)]
    scheduler.run(data.draw(st.permutations(tasks)))
    assert_once_each(shop)
    assert_sound(shop)


@given(data=st.data(), turns=schedules(crashes=True))
def test_projectors_beside_appends_lose_nothing_though_they_die_at_any_step(data, turns):
    """Whatever an offset has passed is projected: there is no sweep here that could mend it."""
    history = History()
    requests = sent_by(history, data.draw(st.lists(FOR_ONE, min_size=2, max_size=4)))
    shop, scheduler = history.shop, Interleaving(turns)

    def projecting():
        return follow(SCOPE, shop.log, shop.pointers, "alice.laptop")

    def watch():
        offset = shop.projection.offset("alice.laptop").seq
        arrived = {status.dot.seq for status in shop.projection.all_statuses() if status.arrived}
        assert set(range(1, offset + 1)) <= arrived

    for port in (shop.log, shop.pointers):
        port.before, port.after = scheduler.before, scheduler.after
    scheduler.watch = watch
    tasks = [projecting, projecting, *(sending(shop, *sent) for sent in requests)]
    scheduler.run(data.draw(st.permutations(tasks)))
    assert_once_each(shop)
    assert_sound(shop)


@given(data=st.data(), turns=schedules(crashes=False))
def test_no_append_is_missing_from_the_generation_that_serves_once_all_have_returned(data, turns):
    """Without a sweep: between them, append and rebuild leave nothing to mend."""
    history = History()
    requests = sent_by(history, data.draw(st.lists(BRANCHING, min_size=1, max_size=3)))
    shop, scheduler = history.shop, Interleaving(turns)
    for port in (shop.log, shop.pointers):
        port.before, port.after = scheduler.before, scheduler.after
    rebuilding = [lambda: rebuild(SCOPE, shop.log, shop.pointers, "g2")]
    scheduler.run([*(sending(shop, *sent) for sent in requests), *rebuilding])
    assert shop.projected_digest() == shop.log_digest()
