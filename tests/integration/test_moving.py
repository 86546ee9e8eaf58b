"""Moving a project with the real client and the operator's program: out of a deployment, and into another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Stack
from .people import Team
from .test_admin_project import Project, elsewhere

SEARCH = ("--on", "feature:search", "--set")


@pytest.fixture
def team(stack: Stack, tmp_path: Path) -> Team:
    team = Team(stack, stack.new_name("shop"), tmp_path)
    alice, bob = team.join("alice"), team.join("bob")
    alice.recorded("--title", "Postgres", "--rationale", "R", *SEARCH, "engine=postgres")
    alice.did("recall", "--element", "feature:search")
    alice.recorded("--title", "Elastic", "--rationale", "R", *SEARCH, "engine=elastic")
    words = ("--on-unseen", "branch", *SEARCH, "engine=sqlite")
    bob.recorded("--title", "SQLite", "--rationale", "R", *words)
    return team


def test_an_operator_brings_it_back_as_it_was(team: Team, tmp_path: Path) -> None:
    reader = team.join("carol", "reader")
    told = reader.got("export", "shop.jsonl")
    assert told["digest"] == reader.got("digest")["digest"]
    project = Project(team.stack, tenant="team", name=team.project)
    code, out, err = project.admin(
        "import", str(reader.client.home / "shop.jsonl"), "--json", env=elsewhere(team.stack)
    )
    assert code == 0, err
    assert json.loads(out)["digest"] == told["digest"]


def test_anybody_moves_it_to_another_project(team: Team) -> None:
    alice = team.join("alice")
    alice.did("export", "shop.jsonl")
    there = Team(team.stack, team.stack.new_name("moved"), team.folder / "there")
    there.folder.mkdir()
    carol = there.join("carol")
    words = ("import", "jsonl", str(alice.client.home / "shop.jsonl"))
    assert carol.got(*words)["counts"] == {"recorded": 3}
    before = carol.got("digest")
    assert there.join("dave").got(*words)["counts"] == {"already_recorded": 3}
    assert carol.got("digest") == before
    (conflict,) = carol.got("conflicts")["conflicts"]
    assert {head["title"] for head in conflict["heads"]} == {"Elastic", "SQLite"}
    refused = alice(*words)
    assert (refused.code, "this very project" in refused.err) == (3, True)
