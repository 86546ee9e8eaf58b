"""The client's reads and `resolve`, on the service as it is deployed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import git

from .people import Person, Team

SEARCH = "feature:product-search"
POSTGRES = (
    "--title", "Search runs on Postgres", "--rationale", "One store to operate.",
    "--on", SEARCH, "--set", "engine=postgres",
)  # fmt: skip
ELASTIC = (
    "--title", "Search runs on Elasticsearch", "--rationale", "Typo tolerance.",
    "--on", SEARCH, "--set", "engine=elastic",
)  # fmt: skip
BRANCH = ("--on-unseen", "branch")


@pytest.fixture
def team(stack: Any, tmp_path: Path) -> Team:
    return Team(stack, stack.new_name("shop"), tmp_path)


@pytest.fixture
def alice(team: Team) -> Person:
    return team.join("alice")


@pytest.fixture
def bob(team: Team) -> Person:
    return team.join("bob")


def test_recall_by_path_from_a_folder_of_the_repository(alice: Person, bob: Person) -> None:
    shop = bob.client.home / "shop"
    (shop / "search" / "index").mkdir(parents=True)
    git(shop, "init", "-q")
    found = alice.recorded(*POSTGRES, "--set", 'paths=["search/**", "!search/index/**"]')
    recalled = bob.did("recall", "--path", "api.py", cwd=shop / "search")
    assert f"{SEARCH}  (path search/** covers search/api.py)" in recalled
    assert found in recalled
    for elsewhere in ("search/index/x.py", "research/api.py"):
        assert "Nothing is in force" in bob.did("recall", "--path", elsewhere, cwd=shop)


def test_the_agents_text_counts_as_read_as_far_as_it_went(alice: Person, bob: Person) -> None:
    former = alice.recorded(*POSTGRES)
    long = alice.recorded("--title", "Long", "--rationale", "word " * 1500, "--on", SEARCH)
    answer = bob.got("recall", "--element", SEARCH, "--format", "text", "--budget", "2000")
    assert (answer["shown"], answer["omitted"]) == ([former], [long])
    assert len(answer["text"]) <= 2000
    text = bob.did("recall", "--element", SEARCH, "--format", "text", "--budget", "2000")
    assert "<recalled-" in text
    assert f"precedent show {long}" not in text
    assert long in text
    bob.recorded(*ELASTIC)


def test_a_budget_the_service_does_not_take_is_refused(bob: Person) -> None:
    done = bob("recall", "--element", SEARCH, "--format", "text", "--budget", "1")
    assert done.code == 3
    assert "Nothing was recorded" not in done.err


def test_an_element_by_name_and_by_id(alice: Person, bob: Person) -> None:
    found = alice.recorded(*POSTGRES)
    identity = bob.got("element", "FEATURE:Product-Search")["elements"][0]["id"]
    assert found in bob.did("element", identity)
    assert bob.got("history", identity)["events"][0]["id"] == found
    bob.recorded(*ELASTIC)  # what `element` printed was read
    for command in ("element", "history"):
        done = bob(command, "feature:nobody")
        assert done.code == 3
        assert "Check its kind and its name" in done.err
        assert bob(command, "no colon").code == 2


def test_history_says_what_replaced_what(alice: Person, bob: Person) -> None:
    former = alice.recorded(*POSTGRES)
    later = bob.recorded(*ELASTIC, "--overrule", former)
    told = alice.did("history", SEARCH)
    assert told.index(later) < told.index("\n    decided engine\n") < told.rindex(former)
    assert f"displaced {former} Search runs on Postgres on engine (overrule)" in told
    assert f"NOT in force here: displaced by {later}" in told


def test_elements_are_listed_by_kind_through_every_page(alice: Person, bob: Person) -> None:
    topics = [
        {"op": "upsert_element", "kind": "topic", "name": f"t{number:03}"} for number in range(100)
    ]
    decisions = [
        {
            "title": f"Many {n}",
            "mutations": [{**one, "name": one["name"] + f"-{n}"} for one in topics],
        }
        for n in range(3)
    ]
    alice.did("record", "-", stdin=json.dumps({"decisions": decisions}))
    alice.recorded(*POSTGRES)
    found = bob.got("elements")["elements"]
    assert len({one["id"] for one in found}) == len(found) == 301
    only = bob.did("elements", "--kind", "Feature")
    assert SEARCH in only
    assert only.endswith("\n1 element of kind Feature\n")


def test_changes_go_on_from_where_they_ended(alice: Person, bob: Person) -> None:
    first = alice.recorded(*POSTGRES)
    assert first in bob.did("changes")
    assert bob.did("changes").startswith("Nothing since you asked last")
    second = alice.recorded("--title", "Another", "--on", "topic:x")
    since = bob.got("changes", "--all")["since"]
    told = bob.did("changes")  # --all has moved nothing
    assert second in told
    assert first not in told
    assert bob.got("changes", "--since", since)["changes"] == []
    third = alice.recorded("--title", "A third", "--on", "topic:x")
    assert [one["id"] for one in bob.got("changes", "--since", since)["changes"]] == [third]
    assert [one["id"] for one in bob.got("changes")["changes"]] == [third]


def test_changes_of_a_service_that_forgot_begin_anew(alice: Person, bob: Person) -> None:
    found = alice.recorded(*POSTGRES)
    bob.did("changes")
    [kept] = (bob.client.home / "state" / "precedent" / "changes").iterdir()
    kept.write_text("of another service\n")
    done = bob("changes")
    assert done.code == 0
    assert found in done.out
    assert "does not know the point" in done.err
    assert bob("changes", "--since", "nonsense").code == 3


def test_status_says_who_where_and_how_it_stands(alice: Person, bob: Person) -> None:
    found = alice.got("status")
    assert (found["writer"], found["entries"], found["conflicts"]) == (alice.writer, 0, 0)
    alice.recorded(*POSTGRES)
    bob.recorded(*ELASTIC, *BRANCH)
    told = bob.did("status")
    assert "2 entries, 1 elements" in told
    assert "1 open: precedent conflicts" in told


class TestResolve:
    def conflict(self, alice: Person, bob: Person, *more: str) -> tuple[str, str]:
        return alice.recorded(*POSTGRES, *more), bob.recorded(*ELASTIC, *BRANCH)

    def engine(self, person: Person) -> list[Any]:
        [element] = person.got("recall", "--element", SEARCH)["elements"]
        return [head["value"] for head in element["slots"]["engine"]]

    def test_both_sides_are_shown_in_full_and_nothing_is_recorded(
        self, alice: Person, bob: Person
    ) -> None:
        sides = self.conflict(alice, bob)
        before = alice.got("digest")
        told = alice.did("resolve")
        for part in (*sides, "One store to operate.", "Typo tolerance.", "Nothing was recorded",
                     f"precedent resolve {SEARCH} engine --keep {sides[0]}"):  # fmt: skip
            assert part in told
        assert alice.got("digest") == before

    @pytest.mark.parametrize("side", [0, 1])
    def test_one_decision_supersedes_both(self, alice: Person, bob: Person, side: int) -> None:
        sides = self.conflict(alice, bob)
        words = ("resolve", SEARCH, "ENGINE", "--keep", sides[side], "--rationale", "Measured.")
        answer = alice.got(*words)["recorded"]
        [result] = answer["results"]
        assert bob.in_force(SEARCH) == [result["id"]]
        assert bob.got("show", result["id"])["decision"]["supersedes"] == sorted(sides)
        assert self.engine(bob) == [["postgres", "elastic"][side]]
        assert bob.did("conflicts").startswith("No conflicts")
        assert bob("resolve", SEARCH, "engine").code == 3

    def test_a_side_that_holds_more_keeps_the_rest(self, alice: Person, bob: Person) -> None:
        wide, narrow = self.conflict(alice, bob, "--set", "timeout=3")
        told = bob.did("resolve", SEARCH, "engine", "--value", "sqlite", "--rationale", "Smaller.")
        assert f"{wide} is overruled on this slot; it still holds {SEARCH}.timeout" in told
        assert f"{narrow} holds nothing else: superseded" in told
        assert self.engine(alice) == ["sqlite"]
        assert wide in alice.in_force(SEARCH)
        assert narrow not in alice.in_force(SEARCH)

    def test_a_side_that_agrees_and_holds_more_stands(self, alice: Person, bob: Person) -> None:
        wide, _ = self.conflict(alice, bob, "--set", "timeout=3")
        told = bob.did("resolve", "--keep", wide, "--rationale", "It is.")
        assert f"{wide} agrees, and stands" in told
        assert set(self.engine(alice)) == {"postgres"}
        assert alice.did("conflicts").startswith("No conflicts")

    def test_a_link(self, alice: Person, bob: Person) -> None:
        link = ("--on", SEARCH, "--link", "USES=service:postgres")
        alice.recorded("--title", "Uses it", "--rationale", "r", *link)
        unlink = ("--on", SEARCH, "--unlink", "uses=service:Postgres")
        bob.recorded("--title", "Does not", "--rationale", "r", *unlink, *BRANCH)
        [conflict] = bob.got("conflicts")["conflicts"]
        words = ("resolve", SEARCH, conflict["slot"], "--rationale", "r", "--value")
        assert bob(*words, "perhaps").code == 2
        bob.did(*words, "false")
        [element] = alice.got("recall", "--element", SEARCH)["elements"]
        assert [found["value"] for found in element["links"]] == [False]
        assert element["conflicts"] == []

    def test_several_conflicts_are_named(self, alice: Person, bob: Person) -> None:
        self.conflict(alice, bob)
        for person, value in ((alice, "1"), (bob, "2")):
            words = ("--title", f"Size {value}", "--on", "team:big one", "--set", f"size={value}")
            person.recorded(*words, *BRANCH)
        done = bob("resolve")
        assert done.code == 2
        assert "precedent resolve 'team:big one' size" in done.err

    @pytest.mark.parametrize(
        "words", [["x:y"], ["x:y", "z", "--keep", "d_1"], ["--title", "t"], ["no colon", "z"],
                  ["--keep", "d_1", "--value", "x", "--rationale", "r"]]
    )  # fmt: skip
    def test_what_cannot_be_meant_is_told_before_anything_is_asked(
        self, alice: Person, words: list[str]
    ) -> None:
        assert alice("resolve", *words, PRECEDENT_URL="http://127.0.0.1:9").code == 2

    def test_nobody_settles_it_for_a_third_side(
        self, team: Team, alice: Person, bob: Person
    ) -> None:
        sides = self.conflict(alice, bob)
        done = alice("resolve", "--keep", "d_" + "0" * 24, "--rationale", "r")
        assert done.code == 2
        assert all(side in done.err for side in sides)
        reader = team.join("reader", role="reader")
        assert reader("resolve").code == 0
        assert reader("resolve", "--keep", sides[0], "--rationale", "r").code == 4
