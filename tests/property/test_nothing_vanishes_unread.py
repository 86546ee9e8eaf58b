"""Law: no sequence of requests makes a head vanish that its author had not named or seen."""

from hypothesis import given
from hypothesis import strategies as st
from precedent.decision import value_hash
from precedent.element import NOTE, PATHS
from precedent.errors import Refusal, UnseenHead
from precedent.recall import show

from tests.property.picture import claims_of, contradictions, heads_of
from tests.property.shop import SALT
from tests.property.worlds import History, histories, moves

REQUESTS = st.lists(moves(), min_size=6, max_size=16)


def recorded_by(move, history):
    """Play one move; return the request, the entries it wrote, and the states before and after."""
    shop = history.shop
    request = history.request(move)
    before, had = shop.fold(), {arrived.dot for arrived in shop.arrived()}
    if request is None:
        return None, [], before, before
    try:
        if move.unaware is None:
            shop.sweep()
            shop.appender(move.writer).append(request)
        else:
            shop.send_unaware(move.writer, history.view(move), request)
    except Refusal as refusal:
        history.refused.append(refusal)
    entries = [arrived for arrived in shop.arrived() if arrived.dot not in had]
    return request, entries, before, shop.fold()


@given(REQUESTS)
def test_what_vanishes_is_exactly_what_entries_say_they_displace(sequence):
    history = History()
    for move in sequence:
        _, entries, before, after = recorded_by(move, history)
        said = {(g.dot, g.element, g.slot) for a in entries for g in a.entry.displaces}
        gone = claims_of(before.values()) - claims_of(after.values())
        assert gone == said & claims_of(before.values())


@given(REQUESTS)
def test_whatever_is_displaced_was_named_or_seen(sequence):
    history = History()
    for move in sequence:
        request, entries, _, after = recorded_by(move, history)
        by_id = {d.id: d for d in request.decisions} if request else {}
        for arrived in entries:
            decision = by_id[arrived.entry.decision[0]]
            for gone in arrived.entry.displaces:
                head = after[gone.dot].decision
                permits = {
                    "supersedes": set(decision.supersedes),
                    "overrule": request.verdicts.overrule,
                    "seen": request.verdicts.seen,
                }
                assert head in permits[gone.why]


@given(REQUESTS)
def test_only_supersedes_reaches_beyond_the_slots_a_decision_sets(sequence):
    history = History()
    for move in sequence:
        _, entries, _, _ = recorded_by(move, history)
        for arrived in entries:
            own = {(claim.element, claim.slot) for claim in arrived.entry.claims}
            for gone in arrived.entry.displaces:
                named = gone.why == "supersedes" and gone.slot != PATHS
                assert named or (gone.element, gone.slot) in own


@given(REQUESTS)
def test_a_verdict_of_beside_and_an_equal_value_leave_a_head_standing(sequence):
    history = History()
    for move in sequence:
        request, entries, _, after = recorded_by(move, history)
        for arrived in entries:
            own = {(claim.element, claim.slot): claim.value for claim in arrived.entry.claims}
            for gone in arrived.entry.displaces:
                if gone.why == "supersedes":
                    continue
                head = after[gone.dot]
                value = next(c.value for c in head.claims if c[:2] == gone[:2])
                assert head.decision not in request.verdicts.beside
                # An address that was read is replaced by its repetition, or they would pile up.
                assert value != own[gone.element, gone.slot] or gone.slot == PATHS


@given(REQUESTS)
def test_a_request_that_is_refused_writes_nothing(sequence):
    history = History()
    for move in sequence:
        refused = len(history.refused)
        _, entries, before, after = recorded_by(move, history)
        if len(history.refused) > refused:
            assert not entries
            assert before == after


@given(st.lists(moves(on_unseen=st.just("refuse"), unaware=st.none()), min_size=6, max_size=16))
def test_where_every_author_refuses_the_unseen_only_beside_makes_a_contradiction(sequence):
    history = History()
    for move in sequence:
        request, entries, before, after = recorded_by(move, history)
        new = {arrived.dot for arrived in entries}
        known = set(contradictions(before))
        for _, slot, one, other in set(contradictions(after)) - known:
            decisions = {after[one].decision, after[other].decision}
            assert {one, other} & new
            assert decisions & request.verdicts.beside, slot


@given(st.lists(moves(on_unseen=st.just("refuse"), unaware=st.none(), max_plans=1), max_size=16))
def test_a_409_names_every_unread_head_of_every_slot_it_would_set(sequence):
    history = History()
    for move in sequence:
        refused = len(history.refused)
        request, _, before, _ = recorded_by(move, history)
        if len(history.refused) == refused or not isinstance(history.refused[-1], UnseenHead):
            continue
        decision = request.decisions[0]
        read = {*decision.supersedes, *request.verdicts.seen}
        read |= request.verdicts.overrule | request.verdicts.beside
        unread = {
            before[dot].decision
            for setting in decision.claimed
            if setting.slot not in (PATHS, NOTE)
            for dot, value in heads_of(before)[setting.element, setting.slot].items()
            if value != value_hash(SALT, decision.value(setting))
        } - {*read, decision.id}
        named = {item["decision"]["id"] for item in history.refused[-1].members["unseen"]}
        assert unread <= named
        assert not named & read


@given(histories())
def test_every_decision_ever_acknowledged_can_still_be_shown(history):
    history.shop.sweep()
    for arrived in history.shop.arrived():
        assert show(history.shop.projection, arrived.entry.decision[0]).decision == arrived.content


@given(st.lists(moves(on_unseen=st.just("branch"), unaware=st.none()), max_size=12))
def test_under_branch_no_head_vanishes_unless_named_seen_or_overruled(sequence):
    history = History()
    for move in sequence:
        request, _, before, after = recorded_by(move, history)
        if request is None:
            continue
        judged = set(request.verdicts.seen | request.verdicts.overrule)
        judged |= {name for decision in request.decisions for name in decision.supersedes}
        for dot, _, _ in claims_of(before.values()) - claims_of(after.values()):
            assert before[dot].decision in judged
