"""Before an edit: the decisions in force for the file reach the agent, once, and count as read."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import (
    Reply,
    decision_id,
    git,
    oldest_python,
    problem,
    scripted,
)
from tests.unit.hook_support import Agent, markdown

A, B = decision_id(10), decision_id(11)
RECORD = ("record", "--title", "x", "--rationale", "y", "--on", "feature:search")


@pytest.fixture(params=["this Python", "Python 3.9"])
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Agent:
    python = sys.executable if request.param == "this Python" else oldest_python()
    if python is None:
        pytest.skip("there is no Python 3.9 here; PRECEDENT_TEST_PYTHON39 can name one")
    return Agent(tmp_path, python)


def age(agent: Agent, seconds: float) -> None:
    """Let time pass for everything cached."""
    for file in (agent.state / "cache").rglob("*"):
        if file.is_file():
            raw = file.read_bytes()
            old = str(int(time.time() - seconds)).encode()
            head, mark, rest = raw.partition(b'{"at":')
            file.write_bytes(head + mark + old + rest[rest.index(b",") :] if mark else raw)
            os.utime(file, (time.time() - seconds,) * 2)


class TestTheFirstEdit:
    def test_what_is_in_force_is_told_in_full(self, agent: Agent) -> None:
        with scripted(markdown(A, text="Postgres, because. Rejected: Elastic.")) as service:
            told = agent.edit("search/api.py", service)
        assert "Postgres, because. Rejected: Elastic." in told.context
        (request,) = service.requests
        assert request.path == "/v1/projects/demo/recall?path=search/api.py&budget=5500"
        assert request.headers["accept"] == "text/markdown"
        assert request.headers["authorization"] == "Bearer pct_test"

    @pytest.mark.parametrize(
        ("tool", "tool_input"),
        [
            ("Edit", {"file_path": "a b/ü.py"}),
            ("Write", {"file_path": "a b/ü.py", "content": "x" * 3_000_000}),
            ("MultiEdit", {"file_path": "a b/ü.py", "edits": []}),
            ("NotebookEdit", {"notebook_path": "a b/ü.py"}),
            (
                "apply_patch",
                {"command": "*** Begin Patch\n*** Update File: a b/ü.py\n@@\n-x\n*** End Patch"},
            ),
            ("apply_patch", {"command": "*** Add File: a b/ü.py"}),
            ("apply_patch", {"command": "*** Delete File: a b/ü.py"}),
            (
                "Bash",
                {
                    "command": "apply_patch <<'E'\n*** Begin Patch\n*** Add File: a b/ü.py\n+x\n*** End Patch\nE"
                },
            ),
        ],
    )
    def test_every_way_to_edit_a_file_is_one(
        self, agent: Agent, tool: str, tool_input: dict[str, Any]
    ) -> None:
        with scripted(markdown(A)) as service:
            told = agent.hook("PreToolUse", service, tool_name=tool, tool_input=tool_input)
        assert A in told.context
        assert service.requests[0].path.startswith("/v1/projects/demo/recall?path=a%20b/%C3%BC.py&")

    def test_all_files_of_a_patch_are_asked_for_at_once(self, agent: Agent) -> None:
        patch = "*** Update File: a.py\n*** Move to: b.py\n*** Add File: c.py"
        with scripted(markdown(A)) as service:
            agent.hook(
                "PreToolUse", service, tool_name="apply_patch", tool_input={"command": patch}
            )
        assert "path=a.py&path=b.py&path=c.py" in service.requests[0].path

    def test_a_path_counts_from_the_repositorys_root_wherever_the_agent_stands(
        self, agent: Agent
    ) -> None:
        (agent.root / "deep").mkdir()
        with scripted(markdown(A)) as service:
            agent.edit("er/it's.py", service, cwd=str(agent.root / "deep"))
        assert "path=deep/er/it%27s.py" in service.requests[0].path

    def test_a_file_of_another_work_tree_counts_from_that_ones_root(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        agent.commit()
        with scripted(markdown(A)) as service:
            for beside in (tmp_path / "beside", agent.root / ".trees" / "within"):
                git(agent.root, "worktree", "add", "-q", str(beside), "-b", beside.name)
                agent.edit(str(beside / "search" / "api.py"), service, session_id=beside.name)
        assert [request.path.partition("&")[0] for request in service.requests] == [
            "/v1/projects/demo/recall?path=search/api.py"
        ]

    def test_an_agent_started_above_its_repositories_is_told_of_the_files(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        git(agent.root, "remote", "add", "origin", "git@example.com:acme/shop.git")
        with scripted(markdown(A)) as service:
            file = str(agent.root / "search" / "api.py")
            agent.edit(file, service, cwd=str(tmp_path), environment={"PRECEDENT_PROJECT": None})
        assert service.requests[0].path.startswith(
            "/v1/projects/example.com.acme.shop/recall?path=search/api.py&"
        )

    def test_nothing_in_force_prints_nothing(self, agent: Agent) -> None:
        with scripted(markdown()) as service:
            assert agent.edit("a.py", service).out == ""

    @pytest.mark.parametrize(
        "members",
        [
            {"tool_name": "Edit", "tool_input": {"file_path": "/etc/passwd"}},
            {"tool_name": "Edit", "tool_input": {"file_path": "../elsewhere.py"}},
            {"tool_name": "Edit", "tool_input": {}},
            {"tool_name": "Edit", "tool_input": {"file_path": 3}},
            {"tool_name": "Edit"},
            {"tool_name": "Read", "tool_input": {"file_path": "a.py"}},
            {"tool_name": "Bash", "tool_input": {"command": "ls"}},
            {"tool_name": "Bash", "tool_input": {"command": "echo '*** Add File: a.py'"}},
        ],
        ids=str,
    )
    def test_what_is_no_edit_in_the_repository_asks_nobody(
        self, agent: Agent, members: dict[str, Any]
    ) -> None:
        with scripted(markdown(A)) as service:
            assert agent.hook("PreToolUse", service, **members).out == ""
        assert service.requests == []

    def test_it_never_says_more_than_6000_characters(self, agent: Agent) -> None:
        with scripted(markdown(A, text="x" * 5500), Reply({}, 500)) as service:
            agent.edit("a.py", service)
            age(agent, 99 * 86400)
            told = agent.edit("a.py", service, session_id="s-2")
        assert 5500 < len(told.context) <= 6000

    def test_not_even_of_a_service_that_sends_more_than_it_was_asked_for(
        self, agent: Agent
    ) -> None:
        with scripted(markdown(A, text="x" * 7000), problem("invalid", 422)) as service:
            told = agent.edit("a.py", service).context
            assert len(told) < 6000
            assert f"too long to tell: {A}" in told
            agent.run(*RECORD, service=service)
            assert service.bodies[-1]["seen"] == []


class TestAgain:
    def test_once_a_session_for_each_version(self, agent: Agent) -> None:
        with scripted(markdown(A), markdown(A), markdown(A, B)) as service:
            assert agent.edit("a.py", service).context
            assert agent.edit("a.py", service).out == ""
            age(agent, 120)
            assert agent.edit("a.py", service).out == ""
            age(agent, 120)
            assert B in agent.edit("a.py", service).context
            assert len(service.requests) == 3

    def test_another_file_of_which_the_same_is_told_is_not_told_again(self, agent: Agent) -> None:
        with scripted(markdown(A, text="search/** covers search/a.py"),
                      markdown(A, text="search/** covers search/b.py")) as service:  # fmt: skip
            assert agent.edit("search/a.py", service).context
            assert agent.edit("search/b.py", service).out == ""

    def test_what_has_not_changed_is_not_fetched_again(self, agent: Agent) -> None:
        with scripted(markdown(A, etag='W/"1"'), Reply(b"", 304)) as service:
            agent.edit("a.py", service)
            age(agent, 120)
            assert A in agent.edit("a.py", service, session_id="s-2").context
            assert service.requests[1].headers["if-none-match"] == 'W/"1"'
            agent.edit("a.py", service, session_id="s-3")
            assert len(service.requests) == 2

    def test_a_subagent_is_told_what_its_parent_was_told(self, agent: Agent) -> None:
        with scripted(markdown(A)) as service:
            agent.edit("a.py", service)
            assert A in agent.edit("a.py", service, agent_id="sub-1").context
            assert agent.edit("a.py", service, agent_id="sub-1").out == ""
            assert A in agent.edit("a.py", service, agent_id="sub-2").context

    def test_after_a_compaction_it_is_told_again(self, agent: Agent) -> None:
        with scripted(markdown(A)) as service:
            agent.edit("a.py", service)
            agent.start(source="compact")
            assert A in agent.edit("a.py", service).context

    def test_a_clock_set_back_makes_no_copy_last(self, agent: Agent) -> None:
        with scripted(markdown(A), markdown(B)) as service:
            agent.edit("a.py", service)
            age(agent, -86400)
            assert B in agent.edit("a.py", service).context


class TestRead:
    """What was told in full counts as read by whom it was told, and by nobody else."""

    def test_it_is_seen_by_the_command_of_the_same_agent_only(self, agent: Agent) -> None:
        with scripted(markdown(A)) as service:
            agent.edit("a.py", service)
            agent.edit("b.py", service, agent_id="sub-1")
            service.replies = [problem("invalid", 422)]
            agent.run(*RECORD, service=service)
            assert service.bodies[-1]["seen"] == [A]
            agent.run(*RECORD, service=service, agent="sub-2")
            assert service.bodies[-1]["seen"] == []
            agent.run(*RECORD, service=service, agent="sub-1")
            assert service.bodies[-1]["seen"] == [A]

    def test_where_two_agents_run_a_command_at_once_nobody_has_read_anything(
        self, agent: Agent
    ) -> None:
        with scripted(markdown(A)) as service:
            agent.edit("a.py", service)
            service.replies = [problem("invalid", 422)]
            agent.hook(
                "PreToolUse",
                tool_name="Bash",
                tool_input={"command": "precedent x"},
                agent_id="sub",
            )
            agent.run(*RECORD, service=service)
        assert service.bodies[-1]["seen"] == []

    def test_what_was_cut_does_not_count(self, agent: Agent) -> None:
        reply = markdown(A)
        reply.headers["precedent-omitted"] = B
        with scripted(reply) as service:
            agent.edit("a.py", service)
            service.replies = [problem("invalid", 422)]
            agent.run(*RECORD, service=service)
        assert service.bodies[-1]["seen"] == [A]


class TestWithoutTheService:
    def test_a_copy_is_told_with_its_age(self, agent: Agent) -> None:
        with scripted(markdown(A), Reply({}, 500)) as service:
            agent.edit("a.py", service)
            age(agent, 3 * 3600)
            told = agent.edit("a.py", service, session_id="s-2")
        assert A in told.context
        assert "this machine's copy, 3 h old" in told.context

    @pytest.mark.parametrize(
        "reply",
        [
            Reply(hang=True), Reply({}, 500), Reply({}, 503), Reply({}, 404), Reply(b"<html>", 200, "text/html"),
            Reply(b"x" * 2_000_000, 200, "text/markdown"), Reply(b"x" * 100, 200, "text/markdown", cut=True),
        ],
        ids=["hangs", "500", "503", "404", "no Precedent", "endless", "cut off"],
    )  # fmt: skip
    def test_not_knowing_is_said_once_and_is_not_the_same_as_nothing(
        self, agent: Agent, reply: Reply
    ) -> None:
        with scripted(reply) as service:
            told = agent.edit("a.py", service)
            assert "not the same as there being none" in told.context
            assert agent.edit("b.py", service).out == ""

    def test_a_service_that_hangs_is_left_alone_for_longer_each_time(self, agent: Agent) -> None:
        with scripted(Reply(hang=True)) as service:
            agent.edit("a.py", service)
            for seconds, asked in ((2, 1), (5, 2), (6, 2), (9, 3), (12, 3), (17, 4)):
                age(agent, seconds)
                agent.edit(f"{seconds}.py", service)
                assert len(service.requests) == asked

    def test_once_it_answers_it_is_as_if_nothing_had_been(self, agent: Agent) -> None:
        with scripted(Reply({}, 503), markdown(A), Reply({}, 503), markdown(A)) as service:
            agent.edit("a.py", service)
            for number, asked in ((1, 2), (2, 3), (3, 4)):
                age(agent, 5)
                agent.edit(f"{number}.py", service)
                assert len(service.requests) == asked

    def test_nobody_there_is_as_good(self, agent: Agent) -> None:
        assert "cannot be reached" in agent.edit("a.py").context

    def test_a_token_revoked_in_the_middle_of_a_session_is_said(self, agent: Agent) -> None:
        with scripted(markdown(A), problem("unauthenticated", 401)) as service:
            agent.edit("a.py", service)
            assert "token is not accepted" in agent.edit("b.py", service).context

    def test_where_nothing_is_set_up_nothing_is_said(self, agent: Agent) -> None:
        assert agent.edit("a.py", environment={"PRECEDENT_TOKEN": None}).out == ""

    def test_a_damaged_copy_is_none(self, agent: Agent) -> None:
        with scripted(markdown(A)) as service:
            agent.edit("a.py", service)
            for file in (agent.state / "cache").rglob("*"):
                if file.is_file():
                    file.write_bytes(b'{"at": "\xff')
            assert agent.edit("a.py", service, session_id="s-2").context
