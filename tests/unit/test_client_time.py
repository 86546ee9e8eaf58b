"""The client's questions about other times, and taking a decision out of force."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.unit.client_support import (
    Client,
    Reply,
    append_like_the_service,
    decision_id,
    recalled,
    recorded,
    scripted,
)

A, B = decision_id(1), decision_id(2)
SHOWN = {
    "id": A,
    "decision": {"title": "Postgres", "rationale": "One store.", "mutations": []},
    "in_force": True,
    "holds": ["feature:search.engine"],
    "recorded": [],
    "displaced_by": [],
}


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


def asked(path: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(path).query)


def test_a_date_goes_along_and_stands_in_the_heading(client: Client) -> None:
    with scripted(recalled(A, as_of="2025-06-30")) as service:
        by_name = client("recall", "--element", "a:b", "--as-of", "2025-06-30", service=service)
        element = client("element", "a:b", "--as-of", "2025-06-30", service=service)
        assert "IN FORCE AS OF 2025-06-30" in by_name.out
        assert "IN FORCE AS OF 2025-06-30" in element.out
        text = Reply(b"text", content_type="text/markdown")
        service.replies = [text]
        client(
            "recall",
            "--element",
            "a:b",
            "--as-of",
            "2025-06-30",
            "--format",
            "text",
            service=service,
        )
    first, second, third = service.requests
    assert first.body["as_of"] == third.body["as_of"] == "2025-06-30"
    assert asked(second.path) == {"as_of": ["2025-06-30"]}


def test_nothing_was_in_force_is_not_nothing_is(client: Client) -> None:
    empty = {**recalled(as_of="2020-01-01"), "state": "empty", "elements": []}
    with scripted(empty) as service:
        done = client("recall", "--element", "a:b", "--as-of", "2020-01-01", service=service)
    assert "Nothing was in force as of 2020-01-01" in done.out


@pytest.mark.parametrize(
    "words",
    [("--element", "a:b", "--as-of", "yesterday"), ("--word", "x", "--as-of", "2020-01-01")],
)
def test_a_date_that_can_not_be_meant_is_not_sent(client: Client, words: tuple[str, ...]) -> None:
    with scripted({}) as service:
        assert client("recall", *words, service=service).code == 2
    assert service.requests == []


def test_no_copy_answers_for_another_time(client: Client) -> None:
    done = client(
        "recall", "--element", "a:b", "--as-of", "2020-01-01", PRECEDENT_URL="http://127.0.0.1:1"
    )
    assert done.code == 5
    assert "copy" not in done.out


def test_changes_of_an_interval_are_nobodys_place(client: Client) -> None:
    page = {"changes": [], "since": "p1", "more": False}
    with scripted(page) as service:
        for words in (("--since", "2026-11-01", "--until", "2026-11-30"), ("--until", "p0"), ()):
            assert client("changes", *words, service=service).code == 0
    first, second, third = (asked(request.path) for request in service.requests)
    assert first == {"since": ["2026-11-01"], "until": ["2026-11-30"]}
    assert second == {"until": ["p0"]}
    assert third == {}


def test_withdrawing_says_what_goes_and_what_could_come_back(client: Client) -> None:
    former = {"id": B, "title": "Solr", "held": ["feature:search.engine"]}
    with scripted(SHOWN, recorded(decision_id(3), restorable=[former])) as service:
        done = client("withdraw", A, "--reason", "The trial ended.", service=service)
    assert done.code == 0
    assert service.bodies[1]["decision"] == {
        "title": "Withdrawn: Postgres",
        "rationale": "The trial ended.",
        "outcome": "note",
        "supersedes": [A],
    }
    assert "One store." in done.out
    assert f"before it stood {B} Solr on feature:search.engine" in done.out
    assert f"precedent record --again {B}" in done.out


def test_what_is_not_in_force_is_not_withdrawn(client: Client) -> None:
    with scripted({**SHOWN, "in_force": False, "displaced_by": [B]}) as service:
        done = client("withdraw", A, "--reason", "Why", service=service)
    assert (done.code, len(service.requests)) == (3, 1)
    assert f"is not in force: displaced by {B}" in done.err
    assert client("withdraw", "x", "--reason", "Why").code == 2
    assert client("withdraw", A, "--reason", " ", service=service).code == 2


def test_recorded_again_it_is_sent_as_it_was(client: Client) -> None:
    with scripted(SHOWN, Reply(append_like_the_service, 201)) as service:
        done = client("record", "--again", A, "--overrule", B, service=service)
    assert done.code == 0
    sent = service.bodies[1]
    assert sent["decision"] == SHOWN["decision"]
    assert (sent["overrule"], A in sent["seen"]) == ([B], True)


@pytest.mark.parametrize("more", [("--title", "T"), ("--supersedes", B), ("-",), ("--set", "a=b")])
def test_recorded_again_nothing_of_it_can_be_changed(client: Client, more: tuple[str, ...]) -> None:
    assert client("record", "--again", A, *more).code == 2


def test_what_was_redacted_can_not_be_recorded_again(client: Client) -> None:
    with scripted({**SHOWN, "decision": {}}) as service:
        done = client("record", "--again", A, service=service)
    assert (done.code, len(service.requests)) == (3, 1)
