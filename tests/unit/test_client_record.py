"""`precedent record`: what is sent, what is said of the answer, and what is tried again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.unit.client_support import (
    Client,
    Reply,
    append_like_the_service,
    decision_id,
    git,
    oldest_python,
    problem,
    recorded,
    scripted,
)  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import sending
from precedent_client import service as service_module
from precedent_client.config import Config
from precedent_client.faults import Unreachable
from precedent_client.spool import Spool

FLAGS = ("record", "--title", "Search runs on Postgres", "--rationale", "One store to operate.")
ON = ("--on", "feature:search", "--set", "engine=postgres")


@pytest.fixture(params=["this Python", "Python 3.9"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    python = sys.executable if request.param == "this Python" else oldest_python()
    if python is None:
        pytest.skip("there is no Python 3.9 here; PRECEDENT_TEST_PYTHON39 can name one")
    return Client(tmp_path, python)


def test_flags_become_a_decision(client: Client) -> None:
    with scripted(Reply(append_like_the_service, 201)) as service:
        done = client(
            *FLAGS, *ON,
            "--set", "replicas=2", "--link", "USES=service:postgres",
            "--on", "team: Search & Co. ",
            "--reject", "Elasticsearch: cluster cost", "--reject", "grep",
            "--ref", "adr=docs/adr/0007.md?x=1", "--date", "2026-11-30",
            "--supersedes", decision_id(7), "--overrule", decision_id(8), "--beside", decision_id(9),
            service=service,
        )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Recorded d_")
    sent = service.bodies[0]
    assert sent["decision"] == {
        "title": "Search runs on Postgres",
        "rationale": "One store to operate.",
        "outcome": "adopted",
        "rejected": [{"option": "Elasticsearch", "reason": "cluster cost"}, {"option": "grep"}],
        "mutations": [
            {"op": "upsert_element", "kind": "team", "name": "Search & Co."},
            {"op": "set_prop", "element": "feature:search", "key": "engine", "value": "postgres"},
            {"op": "set_prop", "element": "feature:search", "key": "replicas", "value": 2},
            {"op": "add_link", "from": "feature:search", "link": "USES", "to": "service:postgres"},
        ],
        "refs": [{"rel": "adr", "url": "docs/adr/0007.md?x=1"}],
        "date": "2026-11-30",
        "supersedes": [decision_id(7)],
    }
    assert (sent["overrule"], sent["beside"]) == ([decision_id(8)], [decision_id(9)])
    assert (service.requests[0].method, service.requests[0].path) == (
        "POST",
        "/v1/projects/demo/decisions",
    )
    assert service.requests[0].headers["authorization"] == "Bearer pct_test"
    assert service.requests[0].headers["content-type"] == "application/json"


def test_a_decision_on_stdin_is_sent_as_it_is(client: Client) -> None:
    decision = {
        "title": "Ünïcode ✓",
        "mutations": [{"op": "upsert_element", "kind": "a", "name": "b"}],
    }
    with scripted(Reply(append_like_the_service, 201)) as service:
        assert client("record", "-", stdin=json.dumps(decision), service=service).code == 0
        assert client("record", stdin=json.dumps(decision), service=service).code == 0
    assert [sent["decision"] for sent in service.bodies] == [decision, decision]


def test_a_whole_request_on_stdin_takes_verdicts_from_flags(client: Client) -> None:
    request = {
        "decision": {"title": "x", "supersedes": [decision_id(1)]},
        "overrule": [decision_id(2)],
    }
    with scripted(Reply(append_like_the_service, 201)) as service:
        done = client(
            "record", "-", "--overrule", decision_id(3), "--supersedes", decision_id(4),
            "--on-unseen", "branch", stdin=json.dumps(request), service=service,
        )  # fmt: skip
    assert done.code == 0
    sent = service.bodies[0]
    assert sent["decision"]["supersedes"] == [decision_id(1), decision_id(4)]
    assert sent["overrule"] == [decision_id(2), decision_id(3)]
    assert sent["on_unseen"] == "branch"


def test_every_record_has_a_key_of_its_own_unless_one_is_given(client: Client) -> None:
    with scripted(Reply(append_like_the_service, 201)) as service:
        for extra in ([], [], ["--key", "mine"]):
            assert client(*FLAGS, *ON, *extra, service=service).code == 0
    first, second, given = (sent["key"] for sent in service.bodies)
    assert len({first, second, given}) == 3
    assert len(first) == 26
    assert given == "mine"


@pytest.mark.parametrize(
    "trouble",
    [
        Reply({}, 503),
        Reply({"message": "Too Many Requests"}, 429),
        Reply(recorded(decision_id(1)), 201, cut=True),
        Reply(hang=True),
    ],
    ids=["5xx", "429", "cut off", "no answer"],
)
def test_what_may_have_failed_half_way_is_sent_again_with_the_same_key_and_body(
    client: Client, trouble: Reply
) -> None:
    with scripted(trouble, Reply(append_like_the_service, 201)) as service:
        done = client(*FLAGS, *ON, service=service, PRECEDENT_TIMEOUT="0.5")
    assert done.code == 0
    assert len(service.bodies) == 2
    assert service.bodies[0] == service.bodies[1]


def test_after_three_attempts_it_is_kept_and_says_so(client: Client) -> None:
    with scripted(problem("unavailable", 503)) as service:
        done = client(*FLAGS, *ON, service=service)
    assert done.code == 5
    assert len(service.requests) == 3
    assert "Nothing is lost" in done.err
    assert "A detail of the service" in done.err


def test_whoever_records_waits_for_a_service_that_hangs_once_and_not_as_long_as_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("PRECEDENT_FLUSH", "off")
    monkeypatch.setattr(service_module, "PATIENCE", 0.2)
    with scripted(Reply(hang=True)) as hanging:
        found = service_module.Service(Config(hanging.url, "pct_x", "demo", timeout=30))
        with pytest.raises(Unreachable, match=r"within 0\.2 s\n.*Nothing is lost"):
            sending.record(found, {"key": "k", "decision": {"title": "t"}})
        assert len(hanging.requests) == 1
    assert len(Spool().names()) == 1


def test_a_dry_run_prints_the_request_and_sends_nothing(client: Client) -> None:
    with scripted(Reply({}, 500)) as service:
        done = client(*FLAGS, *ON, "--dry-run", "--json", service=service)
    assert done.code == 0
    assert done.json["decision"]["title"] == "Search runs on Postgres"
    assert service.requests == []
    assert "nothing was recorded" in done.err


def test_a_dry_run_needs_no_configuration(client: Client) -> None:
    assert client(*FLAGS, *ON, "--dry-run", PRECEDENT_TOKEN=None, PRECEDENT_PROJECT=None).code == 0


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("recorded", "Recorded"),
        ("already_in_force", "in force already; nothing was written"),
        ("already_recorded", "in the history already"),
        ("already_superseded", "displaced since"),
        ("something_newer", "something_newer"),
    ],
)
def test_each_status_is_told_in_words(client: Client, status: str, said: str) -> None:
    with scripted(recorded(decision_id(1), status=status)) as service:
        done = client(*FLAGS, *ON, service=service)
    assert done.code == 0
    assert said in done.out


def test_what_was_displaced_and_what_conflicts_is_told(client: Client) -> None:
    answer = recorded(
        decision_id(1),
        overruled=[{"id": decision_id(2), "title": "On\x1b[2J Elastic", "slots": ["engine"], "by": "seen",
                    "left": ["timeout"]}],
        conflicts=[{"element": "feature:search", "slot": "engine",
                    "heads": [{"value": "a", "decision": decision_id(3)}]}],
        warnings=["A warning."],
    )  # fmt: skip
    answer["projected"] = False
    with scripted(Reply(answer, 201)) as service:
        done = client(*FLAGS, *ON, service=service)
    assert f"displaced {decision_id(2)} On\\x1b[2J Elastic on engine (seen)" in done.out
    assert "leaves undecided: timeout" in done.out
    assert "feature:search.engine is now decided in ways that differ" in done.out
    assert "warning: A warning." in done.out
    assert "not projected yet" in done.out


def test_a_note_that_was_displaced_held_nothing_but_itself(client: Client) -> None:
    lost = {"id": decision_id(2), "title": "A note", "slots": ["@"], "by": "supersedes"}
    with scripted(Reply(recorded(decision_id(1), overruled=[lost]), 201)) as service:
        done = client(*FLAGS, *ON, service=service)
    assert f"displaced {decision_id(2)} A note (supersedes)" in done.out


def test_json_is_the_answer_itself_before_or_after_the_command(client: Client) -> None:
    with scripted(Reply(recorded(decision_id(1)), 201)) as service:
        after = client(*FLAGS, *ON, "--json", service=service)
        before = client("--json", *FLAGS, *ON, service=service)
    assert after.json == before.json == recorded(decision_id(1))


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (["record"], "", "Nothing came in on stdin"),
        (["record", "-"], "{", "not JSON"),
        (["record", "-"], '{"title": "a", "title": "b"}', "names a key twice"),
        (["record", "-"], '{"title": NaN}', "not a JSON number"),
        (["record", "-"], "[1]", "must hold a decision"),
        (["record", "-"], '{"decision": 3}', "must hold a decision"),
        (["record", "-"], b"\xff\xfe", "not JSON"),
        (["record", "-"], "[" * 100_000, "not JSON"),
        (["record", "-", "--title", "x"], '{"title": "x"}', "--title has no place here"),
        (["record", "--rationale", "x"], "", "needs a --title"),
        (["record", "--title", "x", "--set", "a=b"], "", "before any --on"),
        (["record", "--title", "x", "--on", "nocolon"], "", "written kind:name"),
        (["record", "--title", "x", "--on", "a:b", "--set", "novalue"], "", "key=value"),
        (["record", "--title", "x", "--on", "a:b", "--set", "k=9007199254740992"], "", "2^53-1"),
        (["record", "--title", "x", "--on", "a:b", "--set", "k=[1]"], "", "strings only"),
        (["record", "--title", "x", "--date", "30.11.2026"], "", "--date takes"),
        (["record", "--title", "x", "--date", "2026-02-30"], "", "--date takes"),
        (["record", "--title", "x", "--ref", "x"], "", "rel=url"),
        (["record", "--title", "x", "--overrule", "nonsense"], "", "no decision id"),
        (["record", "--title", "x", "--key", "a b"], "", "A key is"),
        (["record", "--title", "x", "--outcome", "maybe"], "", "invalid choice"),
        (["record", "--title", "x", "--rationale", "y"], "", "add\n  --on KIND:NAME"),
        (["record", "--titel", "x"], "", "--titel"),
    ],
)
def test_a_mistake_is_told_before_anything_is_sent(
    client: Client, words: list[str], stdin: str | bytes, said: str
) -> None:
    with scripted(Reply({}, 500)) as service:
        done = client(*words, stdin=stdin, service=service)
    assert done.code == 2
    assert said in done.err
    assert service.requests == []


def test_circumstances_are_sent_by_themselves(client: Client, repository: Path) -> None:
    below = repository / "deep" / "er"
    below.mkdir(parents=True)
    with scripted(Reply(append_like_the_service, 201)) as service:
        done = client(*FLAGS, *ON, service=service, cwd=below, PRECEDENT_AGENT="claude-code")
    assert done.code == 0
    sent = service.bodies[0]["circumstances"]
    assert sent["repository"] == "example.com/acme/shop"
    assert sent["branch"] == "topic"
    assert len(sent["commit"]) == 40
    assert sent["agent"] == "claude-code"
    assert sent["session"] == "one"


def test_without_git_its_facts_are_left_out(client: Client) -> None:
    with scripted(Reply(append_like_the_service, 201)) as service:
        assert client(*FLAGS, *ON, service=service, PATH="/nonexistent").code == 0
    assert service.bodies[0]["circumstances"] == {"session": "one"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "topic")
    git(folder, "remote", "add", "origin", "https://someone:secret@Example.com/acme/shop.git")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder
