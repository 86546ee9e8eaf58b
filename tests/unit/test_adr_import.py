"""`precedent import adr` as a command: what is sent, what is told, and what its exit code means."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import (
    SAMPLES,
    SHARED,
    Client,
    Reply,
    Request,
    append_like_the_service,
    git,
    oldest_python,
    problem,
    recorded,
    scripted,
)

IMPORT = ("import", "adr", str(SAMPLES), "--repository", "shop")
COUNT = 9
"""Decisions in the samples: eight records, and a note that withdraws one of them."""


@pytest.fixture(params=["this Python", "Python 3.9"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    python = sys.executable if request.param == "this Python" else oldest_python()
    if python is None:
        pytest.skip("there is no Python 3.9 here; PRECEDENT_TEST_PYTHON39 can name one")
    return Client(tmp_path, python)


EMPTY: dict[str, Any] = {"project": "demo", "state": "empty", "elements": [], "decisions": {}}
"""What recall answers where nothing came from these files before."""


class Memory:
    """As much of the service as an import meets: what is recorded, and what that displaced."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.displaced: set[str] = set()

    def __call__(self, request: Request) -> dict[str, Any]:
        from precedent_client import canonical

        if request.path.endswith("/recall"):
            return EMPTY
        results = []
        for decision in request.body["decisions"]:
            found = canonical.decision_id(decision)
            status = "recorded"
            if found in self.known:
                status = "already_superseded" if found in self.displaced else "already_in_force"
            else:
                assert set(decision.get("supersedes", [])) <= self.known, (
                    "superseded before it is known"
                )
                self.displaced |= set(decision.get("supersedes", []))
                self.known.add(found)
            results.append({"id": found, "status": status, "warnings": [], "conflicts": []})
        return {"results": results, "projected": True}


def test_the_samples_are_recorded_once_however_often_they_are_imported(client: Client) -> None:
    with scripted(Reply(Memory())) as service:
        first = client(*IMPORT, service=service)
        again = client(*IMPORT, service=service)
    assert (first.code, again.code) == (0, 0)
    assert f"{COUNT} recorded" in first.out
    assert "7 already in force" in again.out
    assert "2 recorded before and superseded since" in again.out
    sent, later = service.bodies[1::2]
    assert sent["on_unseen"] == "branch"
    assert sent["decisions"] == later["decisions"]
    # With the first run's key the service would tell what it wrote then, not what is true now.
    assert sent["key"] != later["key"]


def test_it_says_which_repository_the_records_are_of_wherever_it_is_run(
    client: Client, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    shutil.copytree(SAMPLES, shop / "adr")
    git(shop, "init", "-q", "-b", "topic")
    git(shop, "remote", "add", "origin", "https://example.com/acme/shop.git")
    git(shop, "commit", "-q", "--allow-empty", "-m", "first")
    with scripted(Reply(Memory())) as service:
        assert client("import", "adr", str(shop / "adr"), service=service, cwd=tmp_path).code == 0
    here = service.bodies[-1]["circumstances"]
    assert (here["repository"], here["branch"]) == ("example.com/acme/shop", "topic")
    assert here["commit"] == git(shop, "rev-parse", "HEAD")


def test_an_import_has_not_been_read_by_anybody(client: Client) -> None:
    with scripted(EMPTY, Reply(Memory()), Reply(append_like_the_service, 201)) as service:
        client(*IMPORT, service=service)
        client("record", "--title", "x", "--on", "a:b", service=service)
    assert "seen" not in service.bodies[1]
    assert service.bodies[2]["seen"] == []


def test_a_plan_is_printed_and_nothing_recorded(client: Client) -> None:
    with scripted(EMPTY, Reply({}, 500)) as service:
        done = client(*IMPORT, "--plan", service=service)
    assert (done.code, [request.path[-7:] for request in service.requests]) == (0, ["/recall"])
    assert "9 new, 0 changed since they were imported, 0 recorded already" in done.err
    assert done.json["counts"]["outcomes"] == {"adopted": 6, "note": 2, "rejected": 1}
    assert "Nothing was recorded" in done.err
    assert "README.md: it has neither a number nor a status nor a decision" in done.err


def test_a_plan_needs_no_configuration_and_says_what_it_lacks_then(client: Client) -> None:
    done = client(*IMPORT, "--plan", PRECEDENT_TOKEN=None)
    assert done.code == 0
    assert "Not compared with a service" in done.err


@pytest.mark.parametrize("way", ["file", "stdin"])
def test_an_edited_plan_is_recorded_as_edited(client: Client, tmp_path: Path, way: str) -> None:
    plan = client(*IMPORT, "--plan").json
    plan["entries"][1]["decision"]["title"] = "Orders in MySQL 8"
    del plan["entries"][0]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    with scripted(Reply(Memory())) as service:
        if way == "file":
            done = client("import", "adr", "--apply", str(path), service=service)
        else:
            done = client("import", "adr", "--apply", "-", stdin=path.read_text(), service=service)
    assert done.code == 0
    assert f"{COUNT - 1} recorded" in done.out
    assert service.bodies[0]["decisions"][0]["title"] == "Orders in MySQL 8"


def test_what_is_refused_is_set_apart_and_named_and_the_rest_recorded(client: Client) -> None:
    memory = Memory()

    with scripted(Reply(memory)) as service:
        give = service.give

        def choose(handler: Any, scripted_reply: Reply) -> None:
            titles = [one["title"] for one in service.requests[-1].body.get("decisions", ())]
            refused = problem("secret", 422, field="/decisions/3/rationale", rule="cloud-token")
            give(handler, refused if "A GraphQL gateway" in titles else scripted_reply)

        service.give = choose  # type: ignore[method-assign]
        done = client(*IMPORT, "--json", service=service)
    assert done.code == 3
    assert done.json["counts"] == {"recorded": COUNT - 1, "refused": 1}
    refused = [one for one in done.json["results"] if one["status"] == "refused"]
    assert [one["name"] for one in refused] == ["0004-graphql-gateway.md"]
    assert "A detail of the service" in refused[0]["reason"]
    assert len(memory.known) == COUNT - 1


@pytest.mark.parametrize(
    ("reply", "code"), [(Reply({"message": "Unauthorized"}, 401), 4), (problem("unavailable", 503), 5),
                        (Reply({"message": "Not Found"}, 404), 3)]
)  # fmt: skip
def test_what_concerns_the_whole_import_ends_it_and_says_how_to_go_on(
    client: Client, reply: Reply, code: int
) -> None:
    with scripted(reply) as service:
        done = client(*IMPORT, service=service)
    assert done.code == code
    assert f"{COUNT} NOT SENT" in done.out
    assert "nothing is recorded twice" in done.err
    assert len(service.requests) <= 3


def test_many_records_go_in_batches_the_service_takes(client: Client, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(250):
        text = f"# {number}. T{number}\n\n## Status\n\nAccepted\n\n## Decision\n\n" + "é" * 7900
        (folder / f"{number:04}-t.md").write_text(text)
    with scripted(Reply(Memory())) as service:
        done = client("import", "adr", str(folder), "--json", service=service)
    assert done.json["counts"] == {"recorded": 250}
    for request in service.requests[1:]:
        assert len(request.body["decisions"]) <= 100
        assert int(request.headers["content-length"]) < 1024 * 1024
    assert [one["name"] for one in done.json["results"]] == [f"{n:04}-t.md" for n in range(250)]


def test_what_could_not_be_read_is_counted_and_named(client: Client, tmp_path: Path) -> None:
    (tmp_path / "0001-a.md").write_text("# 1. A\n\n## Status\n\nwaiting\n\n## Decision\n\nx")
    (tmp_path / "0002-b.md").write_bytes(b"\0")
    words = ("import", "adr", str(tmp_path))
    with scripted(Reply(Memory())) as service:
        done = client(*words, service=service)
        strict = client(*words, "--strict", service=service)
    assert (done.code, strict.code) == (0, 3)
    assert "1 file could not be read:\n  0002-b.md: it is binary" in done.out
    assert "0001-a.md: its status “waiting” is not known; recorded as a note" in done.out


def test_nothing_readable_at_all_is_a_failure(client: Client, tmp_path: Path) -> None:
    (tmp_path / "0002-b.md").write_bytes(b"\0")
    done = client("import", "adr", str(tmp_path))
    assert done.code == 3
    assert "0002-b.md: it is binary" in done.err


def test_what_a_file_says_is_escaped(client: Client, tmp_path: Path) -> None:
    text = "# 1. A\n\n## Status\n\nw\x1b[2Jait\u202e\n\n## Decision\n\nx\x9b"
    (tmp_path / "0001-a.md").write_text(text)
    done = client("import", "adr", str(tmp_path), "--plan")
    for raw in ("\x1b", "\u202e", "\x9b"):
        assert raw not in done.out + done.err


def test_an_id_that_is_not_the_computed_one_is_told(client: Client) -> None:
    answer = recorded(*(f"d_{n:024x}" for n in range(COUNT)))
    with scripted(EMPTY, answer) as service:
        done = client(*IMPORT, service=service)
    assert "links to it may be missing" in done.out


def test_an_answer_with_too_few_results_is_no_success(client: Client) -> None:
    with scripted(EMPTY, recorded()) as service:
        done = client(*IMPORT, service=service)
    assert done.code == 3
    assert "what became of them is not known" in done.err


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        ([], "", "Name the folder"),
        (["x", "--apply", "y"], "", "not both"),
        (["nowhere"], "", "not a folder"),
        (["--apply", "nowhere.json"], "", "No such file"),
        (["--apply", "-"], "{", "not JSON"),
        (["--apply", "-"], "{}", "not a plan"),
        (["--apply", "-", "--plan"], "{}", "one of them"),
        (["--apply", "-"], '{"plan": "precedent-adr/1"}', "no entries"),
    ],
)
def test_a_mistake_is_told(client: Client, words: list[str], stdin: str, said: str) -> None:
    done = client("import", "adr", *words, stdin=stdin)
    assert done.code == 2
    assert said in done.err


class TestRealSets:
    """Two sets that real teams keep, where they are at hand. The figures were counted by reading them."""

    @staticmethod
    def plan(tmp_path: Path, name: str) -> Any:
        folder = SHARED / name
        if not folder.is_dir():
            pytest.skip(
                f"the set {name} is not beside this repository; samples/adr stands in for it"
            )
        done = Client(tmp_path)("import", "adr", str(folder), "--plan")
        assert done.code == 0
        return done.json

    def test_nygards_form(self, tmp_path: Path) -> None:
        plan = self.plan(tmp_path, "adr-govuk-aws")
        assert plan["counts"] == {
            "decisions": 38, "outcomes": {"adopted": 31, "note": 7}, "rejected_alternatives": 0,
            "statuses": {"adopted": 30, "note": 7, "superseded": 1}, "superseded": 1,
            "unread": 0, "skipped": 1, "warnings": 13,
        }  # fmt: skip
        dns = next(one for one in plan["entries"] if one["name"].startswith("0015"))
        assert dns["decision"]["supersedes"] == ["0004-dns-definitions-for-hosts-and-services.md"]
        assert dns["decision"]["mutations"][0]["name"] == "DNS infrastructure"
        assert plan["notes"] == ["no file has the number 34"]
        assert all(one["decision"].get("date") for one in plan["entries"])

    def test_madr(self, tmp_path: Path) -> None:
        plan = self.plan(tmp_path, "adr-madr")
        assert plan["counts"] == {
            "decisions": 19, "outcomes": {"adopted": 18, "note": 1}, "rejected_alternatives": 50,
            "statuses": {"adopted": 18, "unknown": 1}, "superseded": 0,
            "unread": 0, "skipped": 3, "warnings": 1,
        }  # fmt: skip
        licence = next(one for one in plan["entries"] if one["name"].startswith("0001"))
        options = [one["option"] for one in licence["decision"]["rejected"]]
        assert options == ["CC0", "BSD3", "MIT", "No license", "Other open source licenses"]
