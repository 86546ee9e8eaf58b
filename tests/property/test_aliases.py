"""Aliases are ordinary claims: projected in any order they make the same things one."""

from hypothesis import given, settings
from hypothesis import strategies as st
from precedent.element import aliased
from precedent.live import equivalents
from precedent.project import project
from precedent.verify import verify

from tests.fakes.memory import MemoryProjection
from tests.property.shop import SCOPE, Shop, adopted, alias, element, prop

NAMES = ("feature:a", "feature:b", "service:c", "team:d")
few = settings(max_examples=max(10, settings().max_examples // 4))

acts = st.one_of(
    st.tuples(st.just("alias"), st.permutations(NAMES)),
    st.tuples(st.just("set"), st.permutations(NAMES)),
    st.tuples(st.just("withdraw"), st.integers(0, 5)),
)


def played(moves):
    """A shop in which these were recorded, each by somebody who had read nothing."""
    shop, known = Shop(), []
    for number, (act, what) in enumerate(moves):
        match act:
            case "alias":
                content = adopted(f"Same {number}", alias(what[0], what[1]))
            case "set":
                content = adopted(f"Set {number}", prop(what[0], "engine", number % 2))
            case _ if what < len(known):
                content = {"title": f"Off {number}", "supersedes": [known[-1 - what]]}
            case _:
                continue
        answer = shop.send(f"writer-{number % 2}", content, on_unseen="branch")
        known.append(answer.results[0].id)
    return shop


def meant(shop, start):
    """Everything reached from an element over the live aliases of the fold."""
    ends = [
        (claim.element, other)
        for status in shop.fold().values()
        for claim in status.live
        if (other := aliased(claim.slot))
    ]
    found = {start}
    while more := {b for a, b in ends if a in found} | {a for a, b in ends if b in found}:
        if more <= found:
            break
        found |= more
    return found


@few
@given(st.lists(acts, max_size=10), st.randoms(use_true_random=False))
def test_in_any_order_the_same_elements_are_one_thing(moves, random):
    shop = played(moves)
    arrived = shop.arrived()
    random.shuffle(arrived)
    other = MemoryProjection()
    for entry in (*arrived, *arrived[:3]):
        project(other, entry)
    for name in map(element, NAMES):
        for projection in (shop.projection, other):
            assert set(equivalents(projection, name)) == meant(shop, name)


@few
@given(st.lists(acts, max_size=10))
def test_nothing_of_an_alias_is_missing_or_strange(moves):
    shop = played(moves)
    if shop.arrived():
        assert verify(SCOPE, shop.log, shop.pointers).findings == ()


@few
@given(st.lists(acts, max_size=10), st.sampled_from(NAMES), st.sampled_from([0, 1]))
def test_only_read_heads_of_the_same_thing_are_displaced(moves, name, value):
    shop = played(moves)
    before = shop.fold()
    same = meant(shop, element(name))
    heads = {
        (dot, claim.element)
        for dot, status in before.items()
        for claim in status.live
        if claim.slot == "p:engine" and claim.element in same
    }
    decisions = sorted({before[dot].decision for dot, _ in heads})
    shop.send("reader", adopted("Now", prop(name, "engine", f"new {value}")), seen=decisions)
    (written,) = [one for one in shop.arrived() if one.dot.writer == "reader"]
    assert {(gone.dot, gone.element) for gone in written.entry.displaces} == heads
