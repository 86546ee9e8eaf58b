"""Every way a request can fail: the exit code, and a sentence that says what to do."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.client_support import COMMAND, Client, Reply, decision_id, problem, scripted

A, B = decision_id(10), decision_id(11)
RECORD = ("record", "--title", "x", "--on", "feature:search", "--set", "engine=postgres")


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (Reply({"message": "Unauthorized"}, 401), 4, "does not know this token"),
        (Reply({"Message": "Forbidden"}, 403), 4, "does not accept this token"),
        (problem("forbidden", 403), 4, "A detail of the service"),
        (problem("unauthenticated", 401), 4, "does not know this token"),
        (Reply({"message": "Not Found"}, 404), 3, "no such address"),
        (Reply({"message": "Request Too Long"}, 413), 3, "too large"),
        (Reply({}, 301, headers={"location": "http://elsewhere/"}), 3, "points somewhere else"),
        (Reply({"odd": 1}, 418), 3, "refused the request (418)"),
        (problem("invalid", 422, field="/decision/title"), 3, "Correct it and run the command again"),
        (problem("too-large", 422), 3, "A detail of the service"),
        (problem("secret", 422, rule="aws-key"), 3, "read by everybody on the project"),
        (problem("slot-set-twice", 422), 3, "A detail of the service"),
        (problem("key-reused", 409), 3, "Leave out --key"),
        (problem("unknown-decision", 409, unknown=[A]), 3, f"Not known: {A}"),
        (problem("of-the-future", 422), 3, "A detail of the service"),
        (Reply({"message": "Too Many Requests"}, 429, headers={"retry-after": "60"}), 5, "no more requests"),
        (problem("unavailable", 503), 5, "A detail of the service"),
        (Reply(b"<html>oops</html>", 502, "text/html"), 5, "failed (502)"),
        (Reply(b"<html>hello</html>", 200, "text/html"), 5, "a Precedent service does not answer"),
        (Reply(b"[1]", 200), 5, "a Precedent service does not answer"),
        (Reply(b"\xff", 200), 5, "a Precedent service does not answer"),
    ],
)  # fmt: skip
def test_a_failure_has_its_exit_code_and_says_what_to_do(
    client: Client, reply: Reply, code: int, said: str
) -> None:
    with scripted(reply) as service:
        done = client(*RECORD, service=service)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert done.err.startswith("precedent: ")


def test_under_json_a_failure_is_json_with_the_problem_in_it(client: Client) -> None:
    with scripted(problem("invalid", 422, field="/decision/title")) as service:
        done = client(*RECORD, "--json", service=service)
    error = done.json["error"]
    assert (done.code, error["exit"], error["name"]) == (3, 3, "invalid")
    assert error["problem"]["field"] == "/decision/title"


def test_what_the_service_says_is_escaped(client: Client) -> None:
    with scripted(problem("invalid", 422, detail="a\x1b[2Jb\u202ec")) as service:
        err = client(*RECORD, service=service).err
    assert "a\\x1b[2Jb\\u202ec" in err


def test_a_refused_connection_is_told_at_once(client: Client) -> None:
    with scripted({}) as service:
        url = service.url
    done = client(*RECORD, PRECEDENT_URL=url)
    assert done.code == 5
    assert "refuses connections" in done.err


def test_a_host_that_does_not_exist(client: Client) -> None:
    done = client("whoami", PRECEDENT_URL="http://nowhere.invalid")
    assert done.code == 5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PRECEDENT_TOKEN", None),
        ("PRECEDENT_PROJECT", None),
        ("PRECEDENT_URL", None),
        ("PRECEDENT_URL", "file:///etc/passwd"),
        ("PRECEDENT_URL", "http://user:secret@host"),
        ("PRECEDENT_URL", "http://host/?x=1"),
        ("PRECEDENT_URL", "http://host:notaport"),
        ("PRECEDENT_PROJECT", "../other"),
        ("PRECEDENT_PROJECT", "Upper"),
        ("PRECEDENT_TOKEN", "a\nX-Injected: 1"),
        ("PRECEDENT_TIMEOUT", "soon"),
        ("PRECEDENT_TIMEOUT", "-1"),
    ],
)
def test_a_configuration_that_cannot_work_is_told(
    client: Client, name: str, value: str | None
) -> None:
    settings: dict[str, str | None] = {"PRECEDENT_URL": "http://127.0.0.1:9", name: value}
    done = client("whoami", **settings)
    assert done.code == 2
    assert name in done.err
    assert "secret" not in done.err


def test_what_is_missing_comes_with_the_way_to_get_it(client: Client) -> None:
    assert ". .precedent/env" in client("whoami").err


class TestUnseenHead:
    """A 409 prints what stands in the way in full, and the exact ways to answer."""

    UNSEEN = (
        {
            "index": 0, "element": "feature:search", "slot": "engine", "value": "elastic",
            "decision": {"id": A, "title": "Search runs on Elastic", "rationale": "Fast\nand known.",
                         "rejected": [{"option": "Postgres", "reason": "Slow joins"}]},
            "recorded": {"writer": "bob.desk", "at": "2026-11-29T10:00:00Z"},
            "holds": ["feature:search.timeout"],
        },
        {"index": 0, "element": "feature:search", "slot": "replicas", "value": 3,
         "decision": {"id": A, "title": "Search runs on Elastic", "rationale": "Fast\nand known."},
         "recorded": {"writer": "bob.desk", "at": "2026-11-29T10:00:00Z"}},
        {"index": 0, "element": "feature:search", "slot": "owner", "value": None, "decision": {"id": B}},
    )  # fmt: skip

    @pytest.fixture
    def done(self, client: Client) -> str:
        with scripted(problem("unseen-head", 409, unseen=list(self.UNSEEN))) as service:
            done = client(*RECORD, service=service)
        assert (done.code, done.out) == (3, "")
        return done.err

    def test_everything_needed_to_judge_is_there(self, done: str) -> None:
        for text in (
            "Nothing was recorded", "Search runs on Elastic", "      Fast\n      and known.",
            "rejected: Postgres", "Slow joins", "by bob.desk at 2026-11-29T10:00:00Z",
            'feature:search.engine = "elastic"', "feature:search.replicas = 3",
            "holds feature:search.timeout", "never an instruction",
        ):  # fmt: skip
            assert text in done

    def test_each_decision_is_printed_once(self, done: str) -> None:
        assert done.count("Search runs on Elastic") == 1

    def test_the_three_answers_are_spelt_out_for_each(self, done: str) -> None:
        for found in (A, B):
            for flag in ("--supersedes", "--overrule", "--beside"):
                assert f"{flag} {found}" in done
        assert "feature:search.engine, feature:search.replicas only" in done
        assert "or drop the change" in done

    def test_one_whose_text_did_not_fit_says_how_to_read_it(self, done: str) -> None:
        assert f"precedent show {B}" in done


class TestCommandLine:
    def test_help_teaches_with_examples(self, client: Client) -> None:
        for words in (["--help"], ["help"], ["record", "--help"], ["help", "record"]):
            done = client(*words)
            assert done.code == 0
            assert "--on feature:product-search --set engine=postgres" in done.out
        assert "import adr docs/adr --plan" in client("import", "--help").out

    @pytest.mark.parametrize(
        "words", [[], ["nonsense"], ["show"], ["recall"], ["import", "csv", "x"]]
    )
    def test_a_command_line_that_says_nothing_is_a_usage_error(
        self, client: Client, words: list[str]
    ) -> None:
        done = client(*words)
        assert done.code == 2
        assert "--help" in done.err or "precedent help" in done.err

    def test_a_usage_error_is_json_under_json(self, client: Client) -> None:
        assert client("--json", "nonsense").json["error"]["exit"] == 2

    def test_the_version(self, client: Client) -> None:
        assert re.match(r"precedent \d+\.\d+\.\d+\n$", client("version").out)
        assert client("version", "--json").json.keys() == {"version"}

    def test_it_runs_through_a_link_and_without_a_home(
        self, client: Client, tmp_path: Path
    ) -> None:
        link = tmp_path / "p"
        link.symlink_to(COMMAND)
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(link), "version"],
            env={},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")

    def test_an_interrupt_is_130_and_quiet(self, client: Client) -> None:
        with scripted(Reply(hang=True)) as service:
            running = subprocess.Popen(
                [sys.executable, str(COMMAND), "whoami"],
                env={**client.environment, "PRECEDENT_URL": service.url},
                stderr=subprocess.PIPE,
            )
            while not service.requests:
                assert running.poll() is None
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=30)
        assert (running.returncode, err) == (130, b"")
