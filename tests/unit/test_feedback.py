"""Feedback: who may say what, how often it counts, and how little it moves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedent.feedback import KINDS, SPAN, Tally, factor

from tests.unit.served import CALLER, PROJECT, Service, service

UNKNOWN = "d_" + "0" * 24


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


@pytest.fixture
def decision(served: Service) -> str:
    attach = {"op": "upsert_element", "kind": "a", "name": "b"}
    found: str = served.record({"title": "T", "mutations": [attach]}).body["results"][0]["id"]
    return found


def say(served: Service, writer: str = "alice.laptop", role: str = "writer", **said: Any) -> Any:
    caller = {**CALLER, "writer": writer, "role": role}
    return served.ask("feedback", "POST", PROJECT + "/feedback", body=said, authorizer=caller)


def counts(served: Service, *decisions: str) -> Any:
    asked = {"decision": list(decisions)}
    return served.ask("feedback", "GET", PROJECT + "/feedback", query=asked)


def test_it_counts_once_a_session_and_names_what_nobody_knows(served, decision):
    said = {"session": "s1", "used": [decision, UNKNOWN, decision], "contradicted": [decision]}
    assert say(served, **said).body == {"counted": 2, "before": 0, "unknown": [UNKNOWN]}
    assert say(served, **said).body == {"counted": 0, "before": 2, "unknown": [UNKNOWN]}
    assert say(served, "bob.desk", session="s1", used=[decision]).body["counted"] == 1
    assert counts(served, decision, UNKNOWN).body == {
        "feedback": {
            decision: {
                "used": {"sessions": 2, "writers": 2},
                "contradicted": {"sessions": 1, "writers": 1},
            }
        }
    }


def test_who_says_it_is_whose_token_it_is(served, decision):
    assert say(served, role="reader", used=[decision]).status == 403
    assert say(served, used=[decision], writer_name="bob").status == 422
    assert counts(served, decision).body == {"feedback": {}}


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"session": "s"},
        {"used": ["x"]},
        {"used": [UNKNOWN] * 101},
        {"used": [UNKNOWN] * 60, "rejected": [UNKNOWN] * 60},
        {"session": "s" * 201, "used": [UNKNOWN]},
        {"liked": [UNKNOWN]},
    ],
)
def test_bad_input(served, said):
    assert say(served, **said).status == 422
    assert served.said == {}


tallies = st.builds(Tally, sessions=st.integers(1, 10**6), writers=st.integers(1, 10**4))
some_counts = st.dictionaries(st.sampled_from(KINDS), tallies)


@given(some_counts)
def test_it_moves_a_score_by_a_tenth_at_most_and_hides_nothing(found):
    assert 1 - SPAN <= factor(found) <= 1 + SPAN


@given(some_counts, st.integers(1, 10**6))
def test_no_number_of_sessions_of_one_writer_moves_it(found, sessions):
    more = {kind: Tally(sessions, tally.writers) for kind, tally in found.items()}
    assert factor(more) == factor(found)


@given(some_counts)
def test_being_used_never_harms_and_being_contradicted_never_helps(found):
    for kind, better in (("used", True), ("rejected", False), ("contradicted", False)):
        said = found.get(kind, Tally())
        more = {**found, kind: Tally(said.sessions + 1, said.writers + 1)}
        assert (factor(more) >= factor(found)) == better or factor(more) == factor(found)


def test_nothing_said_moves_nothing():
    assert factor({}) == 1.0


def test_in_a_search_it_orders_what_is_near_and_hides_nothing(served):
    ids = [
        served.record(
            {
                "title": f"Search engine {n}",
                "date": f"2026-01-0{n + 1}",
                "mutations": [{"op": "upsert_element", "kind": "a", "name": f"n{n}"}],
            }
        ).body["results"][0]["id"]
        for n in range(3)
    ]
    say(served, used=[ids[0]])
    say(served, contradicted=[ids[2]])

    def found(**asked: Any) -> list[tuple[str, float]]:
        query = {"q": "search engine", **asked}
        hits = served.ask("recall", "GET", PROJECT + "/search", query=query).body["hits"]
        return [(hit["id"], hit["feedback"]) for hit in hits]

    assert [one for one, _ in found()] == ids
    assert [one for one, _ in found(feedback="false")] == ids[::-1]
    assert {by for _, by in found(feedback="false")} == {1.0}
    assert 0.9 <= found()[2][1] < 1 < found()[0][1] <= 1.1
