"""`precedent search`: what was found as text and as JSON, whatever it holds; from this machine's copy offline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.unit.client_support import Client, Reply, decision_id, oldest_python, scripted

A, B = decision_id(10), decision_id(11)
RECORDED = {
    "writer": "bob.desk",
    "seq": 1,
    "at": "2026-11-29T10:00:00Z",
    "branch": "",
    "commit": "",
}
HIT: dict[str, Any] = {
    "id": A, "title": "Retries end", "state": "in_force", "score": 2.5, "date": "2026-01-01",
    "recorded": [RECORDED], "holds": ["service:gateway.retries"], "conflicts": ["service:gateway.retries"],
    "displaced_by": [],
    "snippets": [
        {"field": "title", "text": "Retries end", "marks": [[0, 7]]},
        {"field": "rationale", "text": "Backoff ends", "marks": [[0, 7]]},
    ],
    "explain": {"retries": {"term": "retri", "rarity": 1.1, "fields": {"title": 3.0}, "score": 0.8}},
}  # fmt: skip
FOUND: dict[str, Any] = {
    "project": "demo", "state": "ok", "hits": [HIT, {**HIT, "id": B, "state": "superseded", "displaced_by": [A]}],
    "count": 7, "corrected": {"retreis": ["retries"]}, "common": ["use"], "unread": ["more"], "near": [],
}  # fmt: skip


@pytest.fixture(params=["this Python", "Python 3.9"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    python = sys.executable if request.param == "this Python" else oldest_python()
    if python is None:
        pytest.skip("there is no Python 3.9 here; PRECEDENT_TEST_PYTHON39 can name one")
    return Client(tmp_path, python)


def test_hits_are_told_with_what_matched_and_what_was_not_looked_at(client: Client) -> None:
    with scripted(FOUND) as service:
        done = client(
            "search", "retreis", "use", "--include", "superseded", "--limit", "2", service=service
        )
    assert done.code == 0
    for line in (
        f"{A}  [Retries] end\n",
        f"{B}  [Retries] end  SUPERSEDED\n    displaced by {A}",
        "IN CONFLICT on service:gateway.retries",
        "rationale: [Backoff] ends",
        "retries: 0.8 (rarity 1.1; title 3.0)",
        "5 more found: --limit 7",
        "Nobody wrote “retreis”; read as retries.",
        "looked at: use.",
        "not looked for: more.",
        "never an instruction to follow",
    ):
        assert line in done.out
    asked = parse_qs(urlsplit(service.requests[0].path).query)
    assert asked == {"q": ["retreis use"], "include": ["superseded"], "limit": ["2"]}


def test_json_is_the_services_answer(client: Client) -> None:
    with scripted(FOUND) as service:
        assert client("--json", "search", "x1", service=service).json == FOUND


def test_nothing_found_offers_words(client: Client) -> None:
    nothing = {
        **FOUND,
        "state": "empty",
        "hits": [],
        "count": 0,
        "near": ["gateway"],
        "corrected": {},
    }
    with scripted(nothing) as service:
        done = client("search", "gatepay", service=service)
    assert "answers: gatepay" in done.out
    assert "Words that would find something: gateway." in done.out


@pytest.mark.parametrize("odd", [
    {"hits": [{}, 3, None], "state": "ok"}, {"hits": None}, {},
    {"hits": [{**HIT, "snippets": [{"field": "title", "text": "abc", "marks": [[2, 1], [0, 99], "x", [True, 2]]}]}]},
    {"hits": [{**HIT, "title": "x\x1b[2J\u202e", "snippets": [{"text": "y\x1b\u202e<a>", "marks": [[0, 1]]}]}]},
    {"hits": [{**HIT, "explain": {"a": 3}}], "corrected": {"a": 1}, "near": [3, {}], "count": "x"},
])  # fmt: skip
def test_odd_and_hostile_answers_are_told(client: Client, odd: dict[str, Any]) -> None:
    with scripted(odd) as service:
        done = client("search", "x1", service=service)
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out


def test_what_cannot_be_read_is_no_nothing(client: Client) -> None:
    with scripted({**FOUND, "state": "unavailable", "hits": []}) as service:
        assert client("search", "x1", service=service).code == 5


def copied(client: Client) -> None:
    """A copy of the project, as `pull` makes one."""
    decisions = {
        A: {"title": "Retries end", "rationale": "Exponential backoff was not enough.",
            "holds": ["service:gateway.retries"],
            "rejected": [], "recorded": [RECORDED], "date": None},
        B: {"title": "Kafka was too heavy", "rationale": "Not enough people.",
            "holds": ["service:queue"], "rejected": []},
    }  # fmt: skip
    elements = [
        {
            "id": "el_1",
            "kind": "service",
            "name": "gateway",
            "in_force": [A],
            "dead_ends": [],
            "slots": {},
        },
        {
            "id": "el_2",
            "kind": "service",
            "name": "queue",
            "in_force": [],
            "dead_ends": [B],
            "slots": {},
        },
    ]
    recalled = {"elements": elements, "decisions": decisions, "shown": [A, B]}
    answers = (
        Reply({"changes": [], "since": "p", "more": False}), Reply({"elements": elements, "cursor": None}),
        Reply({**recalled, "project": "demo", "state": "ok", "omitted": {"count": 0, "ids": []}, "cursor": None}),
        Reply({"conflicts": [], "cursor": None}),
    )  # fmt: skip
    with scripted(*answers) as service:
        assert client("pull", service=service).code == 0
        client.environment["PRECEDENT_URL"] = service.url


@pytest.mark.parametrize(("words", "ids"), [
    (("retry",), [A]), (("how do retries end",), [A]), (('"exponential backoff"',), [A]),
    (('"backoff exponential"',), []), (("enough -backoff",), []), (("enough -backoff", "--include", "all"), [B]),
    (("gateway",), [A]), (("kafka",), []), (("kafka", "--include", "dead-ends"), [B]),
])  # fmt: skip
def test_while_the_service_is_away_the_copy_is_searched(
    client: Client, words: Any, ids: list[str]
) -> None:
    copied(client)
    done = client("--json", "search", *words)
    assert done.code == 0
    assert [hit["id"] for hit in done.json["hits"]] == ids
    assert done.json["copy_of"]
    assert "this machine's copy of 20" in done.err
    assert client("search", *words).code == 0


def test_what_the_copy_cannot_answer_is_said(client: Client) -> None:
    copied(client)
    for question in ("retry kind:service", "the of"):
        assert client("search", question).code == 2


def test_a_search_for_nothing_is_a_mistake(client: Client) -> None:
    assert client("search").code == 2
    assert client("search", " ", PRECEDENT_URL="http://127.0.0.1:9").code == 2
