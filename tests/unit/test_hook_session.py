"""A session's start and end, and what survives a compaction."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import (
    COMMAND,
    Client,
    Reply,
    Request,
    decision_id,
    problem,
    recalled,
    scripted,
)
from tests.unit.hook_support import HOOK, Agent, markdown

from precedent_client import canonical  # isort: skip

A, B = decision_id(10), decision_id(11)
CONFLICT = {"element": "feature:search", "slot": "engine", "heads": []}


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def change(number: int, title: str = "Search runs on Postgres", **members: Any) -> dict[str, Any]:
    return {
        "id": decision_id(number), "title": title, "outcome": "adopted", "date": "2026-11-30", "claims": [],
        "recorded": {"writer": "bob.desk", "seq": 1, "at": "2026-11-30T10:00:00Z"}, "in_force": True, **members,
    }  # fmt: skip


class Project:
    """A service with conflicts, and changes after each point."""

    def __init__(self, *conflicts: dict[str, Any], **changes: list[dict[str, Any]]) -> None:
        self.conflicts = list(conflicts)
        self.changes = changes
        self.now = "p1"

    def __call__(self, request: Request) -> Any:
        path = request.path.partition("?")[0].rpartition("/")[2]
        since = request.path.partition("since=")[2]
        return {
            "conflicts": {"conflicts": self.conflicts, "cursor": None},
            "changes": {"changes": self.changes.get(since, []), "since": self.now, "more": False},
            "elements": {
                "elements": [{"id": "el_" + "0" * 20, "kind": "feature", "name": "search"}],
                "cursor": None,
            },
            "recall": recalled(A),
            "whoami": {"writer": "alice.laptop", "role": "writer", "tenant": "team"},
            "health": {"status": "ok"},
        }[path]


class TestStart:
    def test_the_first_time_it_says_what_the_memory_is_and_what_conflicts(
        self, agent: Agent
    ) -> None:
        with scripted(Reply(Project(CONFLICT))) as service:
            told = agent.start(service).context
        assert "decision memory; here: project demo" in told
        assert "precedent record" in told
        assert "Open conflicts: 1\n- feature:search.engine" in told
        assert [request.path for request in service.requests] == ["/v1/projects/demo/conflicts"]

    def test_later_it_says_what_was_recorded_since_the_last_session(self, agent: Agent) -> None:
        project = Project(CONFLICT, p1=[change(1)], p2=[change(2, "Later")])
        with scripted(Reply(project)) as service:
            agent.client("pull", service=service)
            project.now = "p2"
            told = agent.start(service).context
            assert "Search runs on Postgres (by bob.desk)" in told
            assert "Open conflicts: 1" in told
            project.now = "p3"
            assert "Later" in agent.start(service, session_id="s-2").context
            assert "Recorded since" not in agent.start(service, session_id="s-3").context

    def test_after_a_compaction_it_says_the_same_again(self, agent: Agent) -> None:
        project = Project(p1=[change(1)])
        with scripted(Reply(project)) as service:
            agent.client("pull", service=service)
            project.now = "p2"
            agent.start(service)
            assert "Search runs on Postgres" in agent.start(service, source="compact").context

    def test_it_makes_one_request(self, agent: Agent) -> None:
        project = Project(p1=[change(1)])
        with scripted(Reply(project)) as service:
            agent.client("pull", service=service)
            before = len(service.requests)
            agent.start(service)
            assert len(service.requests) == before + 1

    @pytest.mark.parametrize("titles", ["x" * 200, "it's\n</told>\x1b[2J\u202e", "日本" * 100])
    def test_it_is_at_most_2000_characters_and_counts_what_did_not_fit(
        self, agent: Agent, titles: str
    ) -> None:
        project = Project(*[CONFLICT] * 50, p1=[change(number, titles) for number in range(100)])
        with scripted(Reply(project)) as service:
            agent.client("pull", service=service)
            told = agent.start(service).context
        assert len(told) <= 2000
        assert "Open conflicts: 50" in told
        assert re.search(r"and \d+ more: `precedent conflicts`", told)
        assert re.search(r"and \d+ more: `precedent changes`", told)
        assert "\x1b" not in told
        assert "\u202e" not in told

    def test_what_others_wrote_is_fenced_by_a_tag_nobody_could_know(self, agent: Agent) -> None:
        with scripted(Reply(Project(CONFLICT))) as service:
            tags = [
                re.search(r"<(told-[0-9a-f]{12})>", agent.start(service).context).group(1)  # type: ignore[union-attr]
                for _ in range(2)
            ]
        assert tags[0] != tags[1]

    @pytest.mark.parametrize(
        "reply", [Reply(hang=True), Reply({}, 500), Reply(b"<html>")], ids=["hangs", "500", "odd"]
    )
    def test_without_an_answer_it_says_so_and_tells_what_is_known(
        self, agent: Agent, reply: Reply
    ) -> None:
        with scripted(Reply(Project(CONFLICT))) as service:
            agent.client("pull", service=service)
            service.replies = [reply]
            told = agent.start(service).context
        assert "did not answer" in told
        assert "feature:search.engine" in told
        assert "copy of 20" in told

    def test_where_nothing_is_set_up_nothing_is_said(self, agent: Agent) -> None:
        nothing = dict.fromkeys(("PRECEDENT_URL", "PRECEDENT_TOKEN", "PRECEDENT_PROJECT"))
        assert agent.start(environment=nothing).out == ""

    def test_half_a_set_up_is_told(self, agent: Agent) -> None:
        assert "precedent doctor" in agent.start(environment={"PRECEDENT_TOKEN": None}).context

    def test_a_refused_record_is_told_once_and_a_waiting_one_never(self, agent: Agent) -> None:
        record = ("record", "--title", "x", "--rationale", "y", "--on", "a:b")
        with scripted(problem("unavailable", 503)) as service:
            agent.run(*record, service=service)
            service.replies = [Reply(Project())]
            assert "refused" not in agent.start(service).context
            service.replies = [problem("invalid", 422)]
            agent.client("spool", "retry", service=service)
            service.replies = [Reply(Project())]
            assert "1 record(s) kept on this machine were refused" in agent.start(service).context
            assert "refused" not in agent.start(service).context


class TestWhereTheCommandIs:
    """Claude Code puts a plugin's commands on its shell's PATH; Codex, which alone sets PLUGIN_ROOT, does not."""

    def test_it_is_named_in_full_where_its_name_is_not_enough(self, agent: Agent) -> None:
        codex: dict[str, str | None] = {"PLUGIN_ROOT": "/somewhere"}
        told = agent.start(environment=codex).context
        assert f"call it as '{COMMAND}'" in told
        agent.write("a.py")
        assert f"call it as '{COMMAND}'" in agent.stop(environment=codex).question

    def test_and_not_where_it_is(self, agent: Agent, tmp_path: Path) -> None:
        assert "call it as" not in agent.start().context
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "precedent").symlink_to(COMMAND)
        path = f"{agent.client.environment['PATH']}{os.pathsep}{tmp_path / 'bin'}"
        told = agent.start(environment={"PLUGIN_ROOT": "/somewhere", "PATH": path}).context
        assert "call it as" not in told


class TestOptions:
    """What a person sets in the plugin's options."""

    def options(self, url: str) -> dict[str, str | None]:
        return {
            "PRECEDENT_URL": None, "PRECEDENT_TOKEN": None, "PRECEDENT_PROJECT": None,
            "CLAUDE_PLUGIN_OPTION_URL": url, "CLAUDE_PLUGIN_OPTION_TOKEN": "pct_option",
            "CLAUDE_PLUGIN_OPTION_PROJECT": "optional",
        }  # fmt: skip

    def test_they_reach_the_hooks_and_the_commands_an_agent_runs(self, agent: Agent) -> None:
        with scripted(Reply(Project())) as service:
            agent.start(environment=self.options(service.url))
            assert service.requests[0].headers["authorization"] == "Bearer pct_option"
            unset = dict.fromkeys(("PRECEDENT_URL", "PRECEDENT_TOKEN", "PRECEDENT_PROJECT"))
            assert agent.client("whoami", **unset).code == 0
            assert service.requests[1].headers["authorization"] == "Bearer pct_option"

    def test_the_token_is_kept_where_only_this_person_can_read_it(self, agent: Agent) -> None:
        with scripted(Reply(Project())) as service:
            agent.start(environment=self.options(service.url))
        holding = [
            file
            for file in agent.state.rglob("*")
            if file.is_file() and b"pct_option" in file.read_bytes()
        ]
        assert [file.name for file in holding] == ["plugin.json"]
        assert holding[0].stat().st_mode & 0o077 == 0


class TestTheRest:
    def test_a_compaction_keeps_the_ids_of_what_was_read(self, agent: Agent) -> None:
        with scripted(markdown(A)) as service:
            agent.edit("a.py", service)
            told = agent.hook("PreCompact", service, trigger="auto")
        assert A in told.out
        assert not told.out.startswith("{")

    def test_the_end_of_a_session_says_and_asks_nothing(self, agent: Agent) -> None:
        with scripted(Reply(Project())) as service:
            assert agent.hook("SessionEnd", service, reason="other").out == ""
        assert service.requests == []

    @pytest.mark.parametrize("event", ["", "Nonsense", "Notification"])
    def test_an_event_nobody_knows_is_none(self, agent: Agent, event: str) -> None:
        assert agent.hook(event).out == ""


class TestPull:
    def test_what_is_in_force_is_recalled_without_the_service(self, agent: Agent) -> None:
        answer = recalled(A)
        answer["elements"][0]["id"] = canonical.element_id("feature", "search")
        answer["elements"][0]["slots"]["paths"] = [{"value": ["search/**"], "decision": A}]
        project = Project()
        with scripted(
            Reply(lambda request: answer if request.path.endswith("/recall") else project(request))
        ) as service:
            done = agent.client("pull", service=service, cwd=agent.root)
            assert (done.code, done.out[:22]) == (0, "1 element and 1 decisi")
            service.replies = [Reply({}, 503)]
            for words in (
                ("--element", "feature:Search"),
                ("--path", "search/deep/api.py"),
                ("--word", "OPERATE"),
            ):
                done = agent.client("recall", *words, service=service, cwd=agent.root)
                assert done.code == 0
                assert "One store to operate." in done.out
                assert "this machine's copy of 20" in done.err
            assert (
                "nothing" in agent.client("recall", "--word", "zebra", service=service).out.lower()
            )
            told = agent.edit("search/new.py", service).context
            assert "One store to operate." in told
            assert "Newer decisions may exist" in told

    def test_a_pull_that_fails_leaves_the_copy_as_it_was(self, agent: Agent) -> None:
        with scripted(Reply(Project())) as service:
            agent.client("pull", service=service)
            before = {file: file.read_bytes() for file in agent.state.rglob("*") if file.is_file()}
            service.replies = [Reply({}, 503)]
            assert agent.client("pull", service=service).code == 5
        assert {
            file: file.read_bytes() for file in agent.state.rglob("*") if file.is_file()
        } == before

    def test_without_a_copy_the_service_being_away_is_what_it_was(self, client: Client) -> None:
        with scripted(problem("unavailable", 503)) as service:
            assert client("recall", "--element", "a:b", service=service).code == 5
        assert client("recall", "--word", "x", PRECEDENT_URL="http://127.0.0.1:9").code == 2

    @pytest.fixture
    def client(self, tmp_path: Path) -> Client:
        return Client(tmp_path)


def test_every_hook_of_the_manifest_is_a_command_in_shell_form_with_a_timeout() -> None:
    manifest = json.loads((HOOK.parent.parent / "hooks" / "hooks.json").read_text())
    for event, groups in manifest["hooks"].items():
        for hook in (hook for group in groups for hook in group["hooks"]):
            assert hook["type"] == "command"
            assert (
                hook["command"]
                == f'python3 -I -S "${{CLAUDE_PLUGIN_ROOT}}"/bin/precedent-hook {event}'
            )
            assert 0 < hook["timeout"] <= 10
