"""Displacing: nobody overrules what they have not read. Section 4 of the design, branch by branch."""

import pytest
from precedent.dates import is_later
from precedent.errors import KeyReused, SlotSetTwice, UnknownDecision, UnseenHead

from tests.property.picture import contradictions
from tests.property.shop import Shop, adopted, attach, element, id_of, link, prop, unlink

SEARCH, DB = "feature:search", "service:db"


def engine(value, title=None, **fields):
    return adopted(title or f"Engine {value}", prop(SEARCH, "engine", value), **fields)


ELASTIC, POSTGRES, SOLR = engine("elastic"), engine("postgres"), engine("solr")


@pytest.fixture
def shop():
    shop = Shop()
    shop.send("alice.laptop", ELASTIC)
    return shop


def in_force(shop):
    return {status.decision for status in shop.fold().values() if status.holding}


def holding(shop, content):
    """The slots a decision holds, over all its entries."""
    return {
        claim.slot
        for status in shop.fold().values()
        if status.decision == id_of(content)
        for claim in status.live
    }


def status_of(answer):
    return [result.status for result in answer.results]


def reasons(shop):
    return {gone.why for arrived in shop.arrived() for gone in arrived.entry.displaces}


class TestTheFiveRules:
    def test_named_in_supersedes_is_displaced(self, shop):
        shop.send("bob.desk", engine("postgres", supersedes=[id_of(ELASTIC)]))
        assert reasons(shop) == {"supersedes"}
        assert id_of(ELASTIC) not in in_force(shop)

    def test_beside_stands_knowingly(self, shop):
        shop.send("bob.desk", POSTGRES, beside=[id_of(ELASTIC)])
        assert in_force(shop) == {id_of(ELASTIC), id_of(POSTGRES)}
        assert len(list(contradictions(shop.fold()))) == 1

    def test_beside_comes_before_seen(self, shop):
        shop.send("bob.desk", POSTGRES, beside=[id_of(ELASTIC)], seen=[id_of(ELASTIC)])
        assert id_of(ELASTIC) in in_force(shop)

    def test_of_equal_value_stands_and_is_no_conflict(self, shop):
        shop.send("bob.desk", engine("elastic", "We agree"), seen=[id_of(ELASTIC)])
        assert len(in_force(shop)) == 2
        assert not list(contradictions(shop.fold()))

    @pytest.mark.parametrize("verdict", ["overrule", "seen"])
    def test_overruled_or_seen_is_displaced_on_this_slot(self, shop, verdict):
        answer = shop.send("bob.desk", POSTGRES, **{verdict: [id_of(ELASTIC)]})
        assert [(o.id, o.slots, o.by) for o in answer.results[0].overruled] == [
            (id_of(ELASTIC), ["engine"], verdict)
        ]

    def test_an_unseen_head_refuses_by_default_and_is_told_in_full(self, shop):
        with pytest.raises(UnseenHead) as refused:
            shop.send("bob.desk", POSTGRES)
        [met] = refused.value.members["unseen"]
        assert (met["element"], met["slot"], met["value"]) == (SEARCH, "engine", "elastic")
        assert met["decision"]["rationale"] == "Because."
        assert met["recorded"]["writer"] == "alice.laptop"
        assert in_force(shop) == {id_of(ELASTIC)}

    def test_a_409_puts_nothing_into_seen(self, shop):
        for _ in range(2):
            with pytest.raises(UnseenHead):
                shop.send("bob.desk", POSTGRES)

    def test_under_branch_both_stand_and_the_answer_says_so(self, shop):
        answer = shop.send("bob.desk", POSTGRES, on_unseen="branch")
        [conflict] = answer.results[0].conflicts
        assert {head.value for head in conflict.heads} == {"elastic", "postgres"}


class TestWhatIsOverruledAndWhatStays:
    def test_overruled_on_one_of_two_elements_it_stays_in_force_on_the_other(self):
        shop, both = Shop(), adopted("Both", prop(SEARCH, "engine", "a"), prop(DB, "engine", "a"))
        shop.send("alice.laptop", both)
        shop.send("bob.desk", POSTGRES, overrule=[id_of(both)])
        state = shop.fold()
        [status] = [s for s in state.values() if s.decision == id_of(both)]
        assert [claim.element for claim in status.live] == [element(DB)]

    def test_superseded_by_name_it_leaves_everywhere_but_its_paths_stay(self):
        shop = Shop()
        both = adopted(
            "Both",
            prop(SEARCH, "engine", "a"),
            prop(DB, "engine", "a"),
            prop(SEARCH, "paths", ["x/*"]),
        )
        shop.send("alice.laptop", both)
        shop.send("bob.desk", adopted("Off", supersedes=[id_of(both)], mutations=[]))
        assert holding(shop, both) == {"p:paths"}
        assert not {status.decision for status in shop.fold().values() if status.holding}
        shop.send(
            "bob.desk", adopted("P", prop(SEARCH, "paths", ["y/*"]), supersedes=[id_of(both)])
        )
        assert holding(shop, both) == set()

    def test_paths_never_refuse_and_never_conflict(self):
        shop = Shop()
        shop.send("alice.laptop", adopted("A", prop(SEARCH, "paths", ["a/*"])))
        shop.send("bob.desk", adopted("B", prop(SEARCH, "paths", ["b/*"])))
        assert not list(contradictions(shop.fold()))
        assert not list(shop.projection.conflicts())

    def test_a_then_b_then_a_again_as_often_as_one_likes(self, shop):
        now = ELASTIC
        for value in ["postgres", "elastic"] * 3:
            then, now = now, engine(value)
            answer = shop.send("bob.desk", now, seen=[id_of(then)])
            assert status_of(answer) == ["recorded"]
            assert in_force(shop) == {id_of(now)}

    def test_both_ends_of_a_link_show_its_retirement_and_its_being_added_again(self):
        shop = Shop()
        there = adopted("On", link(SEARCH, "USES", DB))
        gone = adopted("Off", unlink(SEARCH, "uses", DB))
        shop.send("alice.laptop", there)
        for then, now in [(there, gone), (gone, there), (there, gone)]:
            shop.send("bob.desk", now, seen=[id_of(then)])
            for end in (SEARCH, DB):
                rows = shop.projection.live(element(end))
                assert {row.decision for row in rows} == {id_of(now)}

    def test_what_is_left_undecided_is_said(self, shop):
        off = adopted("No engine", attach(SEARCH), supersedes=[id_of(ELASTIC)])
        [overruled] = shop.send("bob.desk", off).results[0].overruled
        assert overruled.left == ["engine"]

    def test_null_is_a_value_and_holds_its_slot(self, shop):
        unset = engine(None)
        shop.send("bob.desk", unset, seen=[id_of(ELASTIC)])
        assert holding(shop, unset) == {"p:engine"}
        with pytest.raises(UnseenHead):
            shop.send("ci.main", POSTGRES)

    def test_values_of_different_types_differ(self):
        shop = Shop()
        for value in (1, True, "1", ["1"], None):
            shop.send("alice.laptop", engine(value, repr(value)), on_unseen="branch")
        assert len(list(contradictions(shop.fold()))) == 10


class TestNotesAndDeadEnds:
    @pytest.mark.parametrize("outcome", ["rejected", "note"])
    def test_they_claim_no_slot_and_are_never_in_the_way(self, shop, outcome):
        aside = engine("mongo", outcome=outcome)
        assert status_of(shop.send("bob.desk", aside)) == ["recorded"]
        assert holding(shop, aside) == {"@"}
        shop.send("ci.main", engine("postgres"), seen=[id_of(ELASTIC)])
        assert id_of(aside) in in_force(shop)

    def test_an_adopted_decision_that_sets_nothing_holds_a_note(self):
        shop, told = Shop(), adopted("Told", attach(SEARCH))
        shop.send("alice.laptop", told)
        assert holding(shop, told) == {"@"}

    def test_a_mention_is_in_force_only_while_a_claim_lives(self):
        shop, told = Shop(), adopted("Told", attach(DB), prop(SEARCH, "engine", "a"))
        shop.send("alice.laptop", told)
        assert [row.slot for row in shop.projection.live(element(DB))] == ["~"]
        shop.send("bob.desk", POSTGRES, overrule=[id_of(told)])
        assert shop.projection.live(element(DB)) == []


class TestRecordingAgain:
    def test_wholly_in_force_nothing_is_written(self, shop):
        assert status_of(shop.send("bob.desk", ELASTIC)) == ["already_in_force"]
        assert len(shop.arrived()) == 1

    def test_displaced_since_its_displacers_are_unseen_heads(self, shop):
        shop.send("bob.desk", POSTGRES, overrule=[id_of(ELASTIC)])
        with pytest.raises(UnseenHead) as refused:
            shop.send("ci.main", ELASTIC)
        assert [m["decision"]["id"] for m in refused.value.members["unseen"]] == [id_of(POSTGRES)]

    def test_displaced_since_and_seen_it_gets_a_new_dot(self, shop):
        shop.send("bob.desk", POSTGRES, overrule=[id_of(ELASTIC)])
        assert status_of(shop.send("ci.main", ELASTIC, seen=[id_of(POSTGRES)])) == ["recorded"]
        assert in_force(shop) == {id_of(ELASTIC)}

    @pytest.mark.parametrize("on_unseen", ["branch", "historical"])
    def test_displaced_since_an_import_leaves_it_so(self, shop, on_unseen):
        shop.send("bob.desk", POSTGRES, overrule=[id_of(ELASTIC)])
        answer = shop.send("ci.main", ELASTIC, on_unseen=on_unseen)
        assert status_of(answer) == ["already_superseded"]
        assert len(shop.arrived()) == 2

    def test_the_same_holds_of_notes(self):
        shop, note = Shop(), adopted("Note", attach(SEARCH), outcome="note")
        shop.send("alice.laptop", note)
        off = adopted("Off", supersedes=[id_of(note)], mutations=[])
        shop.send("bob.desk", off)
        with pytest.raises(UnseenHead):
            shop.send("alice.laptop", note)
        assert status_of(shop.send("alice.laptop", note, on_unseen="branch")) == [
            "already_superseded"
        ]
        assert status_of(shop.send("alice.laptop", note, seen=[id_of(off)])) == ["recorded"]
        assert in_force(shop) >= {id_of(note)}

    def test_a_withdrawal_takes_back_what_was_recorded_again(self, shop):
        off = adopted("Off", supersedes=[id_of(ELASTIC)], mutations=[])
        shop.send("bob.desk", off)
        shop.send("alice.laptop", ELASTIC, seen=[id_of(off)])
        assert status_of(shop.send("bob.desk", off)) == ["recorded"]
        assert in_force(shop) == set()
        assert status_of(shop.send("bob.desk", off)) == ["already_in_force"]


class TestHistorical:
    LATER, EARLIER = engine("new", date="2026-06-01"), engine("old", date="2020-01-01")

    def test_behind_a_later_unseen_head_a_slot_is_history_and_claims_nothing(self):
        shop = Shop()
        shop.send("alice.laptop", self.LATER)
        answer = shop.send("ci.main", self.EARLIER, on_unseen="historical")
        assert status_of(answer) == ["recorded"]
        assert holding(shop, self.EARLIER) == set()
        assert in_force(shop) == {id_of(self.LATER)}
        [past] = [status.historical for status in shop.fold().values() if status.historical]
        assert [claim.slot for claim in past] == ["p:engine"]
        again = shop.send("bob.desk", self.EARLIER, on_unseen="historical")
        assert status_of(again) == ["already_recorded"]

    def test_history_stays_history_when_what_was_later_is_gone(self):
        shop = Shop()
        shop.send("alice.laptop", self.LATER)
        shop.send("ci.main", self.EARLIER, on_unseen="historical")
        shop.send("bob.desk", adopted("Off", supersedes=[id_of(self.LATER)], mutations=[]))
        again = shop.send("ci.main", self.EARLIER, on_unseen="historical")
        assert status_of(again) == ["already_recorded"]

    def test_after_an_earlier_unseen_head_both_stand(self):
        shop = Shop()
        shop.send("alice.laptop", self.EARLIER)
        shop.send("ci.main", self.LATER, on_unseen="historical")
        assert len(in_force(shop)) == 2

    def test_of_the_same_day_is_not_later(self):
        shop = Shop()
        shop.send("alice.laptop", engine("a", date="2026-06-01T23:00:00Z"))
        shop.send("ci.main", engine("b", date="2026-06-01"), on_unseen="historical")
        assert len(in_force(shop)) == 2


@pytest.mark.parametrize(
    ("one", "other", "later"),
    [
        ("2026-01-02", "2026-01-01", True),
        ("2026-01-01", "2026-01-01", False),
        ("2026-01-01T23:59:59Z", "2026-01-01", False),
        ("2026-01-01", "2026-01-01T00:00:00Z", False),
        ("2026-01-02", "2026-01-01T23:59:59Z", True),
        ("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", False),
        ("2026-01-01T00:00:00.50Z", "2026-01-01T00:00:00.5Z", False),
        ("2026-01-01T00:00:00.000001Z", "2026-01-01T00:00:00Z", True),
    ],
)
def test_later_compares_instants_and_days_where_one_is_a_day(one, other, later):
    assert is_later(one, other) is later


class TestBatches:
    def test_in_order_on_one_working_copy(self):
        shop = Shop()
        answer = shop.send("alice.laptop", ELASTIC, engine("postgres", supersedes=[id_of(ELASTIC)]))
        assert status_of(answer) == ["recorded", "recorded"]
        assert id_of(ELASTIC) not in in_force(shop)

    def test_a_slot_set_twice_is_refused_unless_the_later_supersedes(self):
        shop = Shop()
        with pytest.raises(SlotSetTwice):
            shop.send("alice.laptop", ELASTIC, POSTGRES, on_unseen="branch")
        assert not shop.log.objects

    @pytest.mark.parametrize("on_unseen", ["refuse", "branch", "historical"])
    def test_one_that_is_refused_refuses_all(self, shop, on_unseen):
        fine = adopted("Fine", prop(DB, "engine", "x"))
        lost = adopted("Lost", attach(DB), supersedes=["d_" + "0" * 24])
        with pytest.raises(UnknownDecision) as refused:
            shop.send("bob.desk", fine, lost, on_unseen=on_unseen)
        assert refused.value.members["unknown"] == ["d_" + "0" * 24]
        assert len(shop.arrived()) == 1

    def test_one_unseen_head_refuses_all(self, shop):
        with pytest.raises(UnseenHead) as refused:
            shop.send("bob.desk", adopted("Fine", prop(DB, "engine", "x")), POSTGRES)
        assert [met["index"] for met in refused.value.members["unseen"]] == [1]
        assert len(shop.arrived()) == 1

    def test_the_same_decision_twice_is_recorded_once(self):
        shop = Shop()
        answer = shop.send("alice.laptop", ELASTIC, ELASTIC)
        assert status_of(answer) == ["recorded", "already_in_force"]
        assert len(shop.arrived()) == 1

    def test_supersedes_looks_back_only(self):
        shop = Shop()
        with pytest.raises(UnknownDecision):
            shop.send("alice.laptop", engine("postgres", supersedes=[id_of(ELASTIC)]), ELASTIC)


class TestKeys:
    def test_the_same_request_gets_the_same_answer(self, shop):
        first = shop.send("bob.desk", POSTGRES, key="k", overrule=[id_of(ELASTIC)])
        again = shop.send("bob.desk", POSTGRES, key="k", overrule=[id_of(ELASTIC)])
        assert first == again
        assert len(shop.arrived()) == 2

    def test_the_answer_stays_after_the_decision_was_displaced(self, shop):
        first = shop.send("bob.desk", POSTGRES, key="k", overrule=[id_of(ELASTIC)])
        shop.send("ci.main", SOLR, overrule=[id_of(POSTGRES)])
        again = shop.send("bob.desk", POSTGRES, key="k")
        assert [r.dot for r in again.results] == [r.dot for r in first.results]
        assert status_of(again) == ["recorded"]

    def test_sent_again_by_a_spool_under_branch_it_is_the_same_request(self, shop):
        first = shop.send("bob.desk", POSTGRES, key="k", overrule=[id_of(ELASTIC)])
        again = shop.send("bob.desk", POSTGRES, key="k", on_unseen="branch")
        assert [r.dot for r in again.results] == [r.dot for r in first.results]

    def test_for_other_decisions_it_is_refused(self, shop):
        shop.send("bob.desk", POSTGRES, key="k", overrule=[id_of(ELASTIC)])
        with pytest.raises(KeyReused):
            shop.send("bob.desk", SOLR, key="k")

    def test_keys_of_two_writers_have_nothing_to_do_with_each_other(self, shop):
        shop.send("bob.desk", adopted("B", attach(DB)), key="k")
        assert status_of(shop.send("ci.main", adopted("C", attach(DB)), key="k")) == ["recorded"]

    def test_it_is_looked_up_again_after_catching_up(self, shop):
        """The first try reached the log and nothing else: its projection is still to come."""
        request = {"key": "k", "overrule": [id_of(ELASTIC)]}
        first = shop.send("bob.desk", POSTGRES, **request)
        forgotten = Shop(log=shop.log, clock=shop.clock)
        again = forgotten.send("bob.desk", POSTGRES, key="k", on_unseen="branch")
        assert [r.dot for r in again.results] == [r.dot for r in first.results]
        assert len(shop.arrived()) == 2


class TestPutBackInForce:
    def test_an_import_run_again_does_not_take_out_what_was_put_back_since(self):
        shop = Shop()
        old = adopted("Old", prop(SEARCH, "engine", "elastic"))
        new = adopted("New", prop(SEARCH, "timeout", 5), supersedes=[id_of(old)])
        shop.send("ci.main", old, new, on_unseen="branch")
        shop.send("alice.laptop", old, seen=[id_of(new)])
        assert in_force(shop) == {id_of(old), id_of(new)}
        again = shop.send("ci.main", old, new, on_unseen="branch")
        assert status_of(again) == ["already_in_force", "already_in_force"]
        assert in_force(shop) == {id_of(old), id_of(new)}

    def test_whoever_names_it_anew_still_takes_it_out(self):
        shop = Shop()
        old = adopted("Old", prop(SEARCH, "engine", "elastic"))
        new = adopted("New", prop(SEARCH, "timeout", 5), supersedes=[id_of(old)])
        shop.send("ci.main", old, new, on_unseen="branch")
        shop.send("alice.laptop", old, seen=[id_of(new)])
        shop.send("bob.desk", new)
        assert in_force(shop) == {id_of(new)}

    def test_what_it_displaced_when_it_came_back_need_not_be_read_again(self, shop):
        shop.send("bob.desk", SOLR, seen=[id_of(ELASTIC)])
        shop.send("alice.laptop", ELASTIC, seen=[id_of(SOLR)])
        shop.send("bob.desk", POSTGRES, seen=[id_of(ELASTIC)])
        shop.send("carol.pc", ELASTIC, seen=[id_of(POSTGRES)])
        assert in_force(shop) == {id_of(ELASTIC)}
