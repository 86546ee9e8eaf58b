"""The client as people use it, on the service as it is deployed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import SAMPLES, SHARED

from .conftest import free_port
from .people import Team

SEARCH = "feature:product-search"
POSTGRES = (
    "--title", "Search runs on Postgres", "--rationale", "One store to operate.",
    "--reject", "Elasticsearch: cluster cost", "--on", SEARCH, "--set", "engine=postgres",
)  # fmt: skip
ELASTIC = (
    "--title", "Search runs on Elasticsearch", "--rationale", "Typo tolerance.",
    "--on", SEARCH, "--set", "engine=elastic",
)  # fmt: skip
WIDE = (*POSTGRES, "--set", "timeout=3")
"""It holds a second slot, so that what replaces it there and what replaces it everywhere differ."""


@pytest.fixture
def team(stack: Any, tmp_path: Path) -> Team:
    return Team(stack, stack.new_name("shop"), tmp_path)


def test_one_records_and_another_recalls_it(team: Team) -> None:
    alice, bob = team.join("alice"), team.join("bob")
    found = alice.recorded(*POSTGRES)
    text = bob.did("recall", "--element", "Feature: PRODUCT-search")
    for part in (
        found,
        "Search runs on Postgres",
        "One store to operate.",
        "cluster cost",
        alice.writer,
    ):
        assert part in text
    answer = bob.got("recall", "--element", SEARCH)
    assert answer["elements"][0]["slots"]["engine"] == [{"value": "postgres", "decision": found}]
    assert answer["shown"] == [found]
    assert "in force" in bob.did("show", found)


def test_recording_it_again_writes_nothing(team: Team) -> None:
    alice, bob = team.join("alice"), team.join("bob")
    found = alice.recorded(*POSTGRES)
    for person in (alice, bob):
        answer = person.got("record", *POSTGRES)
        assert answer["results"][0] | {"dot": None, "warnings": []} == {
            "id": found, "status": "already_in_force", "dot": None,
            "overruled": [], "conflicts": [], "restorable": [], "warnings": [],
        }  # fmt: skip


def test_what_is_in_the_way_is_shown_in_full_and_recorded_is_nothing(team: Team) -> None:
    alice, bob = team.join("alice"), team.join("bob")
    found = alice.recorded(*WIDE)
    before = bob.got("digest")
    done = bob("record", *ELASTIC)
    assert done.code == 3
    for part in (found, "Search runs on Postgres", "One store to operate.", "cluster cost",
                 f"{SEARCH}.engine", f"--overrule {found}", f"--supersedes {found}", f"--beside {found}",
                 "Nothing was recorded"):  # fmt: skip
        assert part in done.err
    refused = bob("record", *ELASTIC, "--json").json
    assert refused["error"]["name"] == "unseen-head"
    assert refused["error"]["problem"]["unseen"][0]["decision"]["id"] == found
    assert bob.got("digest") == before
    # What a refusal printed is answered by a verdict, it does not count as read.
    assert bob("record", *ELASTIC).code == 3


@pytest.mark.parametrize(
    ("answer", "engine", "timeout", "former_in_force"),
    [
        ("--overrule", ["elastic"], [3], True),
        ("--supersedes", ["elastic"], [], False),
        ("--beside", ["elastic", "postgres"], [3], True),
    ],
)
def test_each_answer_to_what_is_in_the_way(
    team: Team, answer: str, engine: list[str], timeout: list[int], former_in_force: bool
) -> None:
    alice, bob = team.join("alice"), team.join("bob")
    former = alice.recorded(*WIDE)
    later = bob.recorded(*ELASTIC, answer, former)
    recalled = alice.got("recall", "--element", SEARCH)
    element = recalled["elements"][0]
    slots = {
        key: sorted(head["value"] for head in heads) for key, heads in element["slots"].items()
    }
    assert slots == {"engine": engine} | ({"timeout": timeout} if timeout else {})
    assert element["conflicts"] == (["engine"] if answer == "--beside" else [])
    assert (former in element["in_force"]) is former_in_force
    assert later in element["in_force"]


def test_what_was_read_passes_and_is_told_as_overruled(team: Team) -> None:
    alice, bob = team.join("alice"), team.join("bob")
    former = alice.recorded(*POSTGRES)
    assert bob("record", *ELASTIC).code == 3
    bob.did("recall", "--element", SEARCH)
    assert bob("record", *ELASTIC, PRECEDENT_SESSION="another").code == 3
    told = bob.did("record", *ELASTIC)
    assert f"displaced {former} Search runs on Postgres on engine (seen)" in told
    assert alice.in_force(SEARCH) == bob.in_force(SEARCH)
    assert former not in bob.in_force(SEARCH)
    assert "NOT in force: displaced by" in alice.did("show", former)


def test_a_decision_is_withdrawn_by_a_note(team: Team) -> None:
    alice, bob = team.join("alice"), team.join("bob")
    former = alice.recorded(*WIDE)
    note = bob.recorded(
        "--title", "Search is left open again", "--rationale", "The trial ended.",
        "--outcome", "note", "--on", SEARCH, "--supersedes", former,
    )  # fmt: skip
    assert bob.in_force(SEARCH) == [note]
    assert bob.got("recall", "--element", SEARCH)["elements"][0]["slots"] == {}
    # It is history now: recording it once more is refused until the note was read.
    assert alice("record", *WIDE).code == 3
    alice.did("recall", "--element", SEARCH)
    assert alice.got("record", *WIDE)["results"][0]["status"] == "recorded"


def test_a_batch_is_taken_whole_from_stdin(team: Team) -> None:
    alice = team.join("alice")
    decisions = [
        {
            "title": f"Topic {n}",
            "mutations": [{"op": "upsert_element", "kind": "topic", "name": "t"}],
        }
        for n in range(3)
    ]
    text = json.dumps({"decisions": decisions})
    assert alice.did("record", "-", stdin=text).count("Recorded d_") == 3
    assert len(alice.in_force("topic:t")) == 3
    decisions[2] = {
        "title": "Bad",
        "mutations": [{"op": "set_prop", "element": "no colon", "key": "k"}],
    }
    before = alice.got("digest")
    assert alice("record", "-", stdin=json.dumps({"decisions": decisions})).code == 3
    assert alice.got("digest") == before


def test_nothing_recorded_is_said_to_be_nothing(team: Team) -> None:
    done = team.join("alice")("recall", "--element", "topic:nobody thought of")
    assert done.code == 0
    assert "The service answered." in done.out


def test_a_reader_reads_and_does_not_record(team: Team) -> None:
    alice, reader = team.join("alice"), team.join("reader", role="reader")
    found = alice.recorded(*POSTGRES)
    assert found in reader.did("recall", "--element", SEARCH)
    done = reader("record", *ELASTIC)
    assert done.code == 4
    assert "may read only" in done.err
    done = reader("import", "adr", str(SAMPLES))
    assert done.code == 4
    assert "NOT SENT" in done.out


def test_a_token_the_service_does_not_know(team: Team) -> None:
    done = team.join("alice")("whoami", PRECEDENT_TOKEN="pct_" + "x" * 43)
    assert done.code == 4
    assert "precedent" in done.err


def test_a_revoked_token_ends_what_it_may_do(team: Team) -> None:
    from local import up

    alice, bob = team.join("alice"), team.join("bob")
    up.access(team.stack.home, team.stack.deployed).revoke("team", alice.writer)
    # Never used before, so that no authorizer's answer is remembered for it.
    assert alice("whoami").code == 4
    assert bob("whoami").code == 0


def test_a_service_that_is_down(team: Team) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    alice = team.join("alice")
    for words in (("recall", "--element", SEARCH), ("record", *POSTGRES), ("whoami",)):
        done = alice(*words, PRECEDENT_URL=url)
        assert done.code == 5
        assert "is it running?" in done.err


class TestImport:
    """`import adr`, of the samples and of two real sets where they are at hand."""

    def test_whoever_imports_the_samples_again_records_nothing(self, team: Team) -> None:
        alice, bob = team.join("alice"), team.join("bob")
        words = ("import", "adr", str(SAMPLES), "--repository", "shop")
        first = alice.got(*words)
        assert (first["counts"], first["conflicts"]) == ({"recorded": 9}, [])
        digest = alice.got("digest")
        for person in (alice, bob):
            again = person.got(*words)
            assert again["counts"] == {"already_in_force": 7, "already_superseded": 2}
        assert bob.got("digest") == digest
        [orders] = bob.got("recall", "--element", "topic:orders in postgresql")["elements"]
        assert len(orders["in_force"]) == 1
        assert bob.in_force("topic:Orders in MySQL") == []
        [gateway] = bob.got("recall", "--element", "topic:A GraphQL gateway")["elements"]
        assert (gateway["in_force"], len(gateway["dead_ends"])) == ([], 1)

    @pytest.mark.parametrize(
        ("name", "count", "displaced"), [("adr-govuk-aws", 38, 1), ("adr-madr", 19, 0)]
    )
    def test_a_real_set(self, team: Team, name: str, count: int, displaced: int) -> None:
        folder = SHARED / name
        if not folder.is_dir():
            pytest.skip(
                f"the set {name} is not beside this repository; samples/adr stands in for it"
            )
        alice, bob = team.join("alice"), team.join("bob")
        assert alice.got("import", "adr", str(folder))["counts"] == {"recorded": count}
        digest = alice.got("digest")
        again = bob.got("import", "adr", str(folder))["counts"]
        assert again.pop("already_superseded", 0) == displaced
        assert again == {"already_in_force": count - displaced}
        assert bob.got("digest") == digest
        if name == "adr-govuk-aws":
            recalled = bob.did("recall", "--element", "topic:DNS infrastructure")
            assert "IN FORCE" in recalled
            assert "DNS definitions for hosts and services" not in recalled
            assert bob.in_force("topic:DNS definitions for hosts and services") == []
