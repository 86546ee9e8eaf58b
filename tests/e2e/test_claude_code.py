"""The plugin in the real client: what reaches the model, when, and what becomes of what it records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.e2e.claude_code import PLUGIN, REPOSITORY, ClaudeCode, hooks
from tests.e2e.model import Model, Turn, playing, says, uses
from tests.unit.client_support import Reply, scripted

Precedent = Callable[..., str]

POSTGRES = (
    "record", "--title", "Search runs on Postgres", "--rationale", "One store to operate.",
    "--reject", "Elasticsearch: a cluster to pay for", "--on", "feature:search", "--set", "engine=postgres",
    "--set", 'paths=["search/**"]',
)  # fmt: skip
RECORD = "precedent record --title 'Ranking is by date' --rationale 'Users asked.' --on feature:ranking --set by=date"


def edits(claude: ClaudeCode, text: str = "ENGINE = 'sqlite'\n") -> Turn:
    return uses("Write", file_path=str(claude.root / "search" / "api.py"), content=text)


def reads(claude: ClaudeCode) -> Turn:
    """The client has a file read before it is written."""
    return uses("Read", file_path=str(claude.root / "search" / "api.py"))


def runs(command: str) -> Turn:
    return uses("Bash", command=command, description="x")


def played(
    claude: ClaudeCode, *turns: Turn, **subagents: list[Turn]
) -> tuple[Model, list[dict[str, Any]]]:
    with playing(Model(list(turns), subagents)) as model:
        return model, claude.session(model)


@pytest.mark.parametrize("folder", [PLUGIN, REPOSITORY], ids=["plugin", "marketplace"])
def test_the_client_finds_nothing_wrong_with_it(claude: ClaudeCode, folder: Any) -> None:
    done = claude.run("plugin", "validate", str(folder), "--strict")
    assert done.returncode == 0, done.stdout + done.stderr


def test_installed_from_the_marketplace_its_options_reach_hooks_and_commands(
    claude: ClaudeCode,
) -> None:
    set_to = {
        name: claude.environment.pop(f"PRECEDENT_{name.upper()}")
        for name in ("url", "token", "project")
    }
    assert claude.run("plugin", "marketplace", "add", str(REPOSITORY)).returncode == 0
    assert claude.run("plugin", "install", "precedent@precedent").returncode == 0
    # On stdin: an argument would be seen by everybody on the machine.
    done = claude.run(
        "plugin", "configure", "precedent@precedent", "--values-stdin", stdin=json.dumps(set_to)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    claude.plugin = False
    model, _ = played(claude, runs("precedent whoami"), says("Done."))
    assert f"here: project {set_to['project']}" in model.told()[0]
    assert "(writer) of team" in model.told()[1]


class TestRecall:
    def test_a_session_begins_with_what_the_memory_is(self, claude: ClaudeCode) -> None:
        model, events = played(claude, says("Hello."))
        assert "decision memory" in model.told()[0]
        assert {code for _, code in hooks(events)} == {0}

    def test_the_decisions_in_force_arrive_before_the_edit(
        self, claude: ClaudeCode, precedent: Precedent
    ) -> None:
        precedent(*POSTGRES)
        model, _ = played(claude, reads(claude), edits(claude), says("Done."))
        told = model.told()[2]
        assert "One store to operate." in told
        assert "a cluster to pay for" in told
        assert "One store to operate." not in model.told()[1]

    def test_in_a_subagent_too(self, claude: ClaudeCode, precedent: Precedent) -> None:
        precedent(*POSTGRES)
        task = uses("Agent", description="x", prompt="SUBTASK", subagent_type="general-purpose")
        model, _ = played(
            claude, task, says("Done."), SUBTASK=[reads(claude), edits(claude), says("Done.")]
        )
        assert "One store to operate." in model.told("SUBTASK")[2]

    def test_what_was_told_before_an_edit_counts_as_read(
        self, claude: ClaudeCode, precedent: Precedent
    ) -> None:
        precedent(*POSTGRES)
        command = "precedent record --title 'SQLite' --rationale 'Small.' --on feature:search --set engine=sqlite"
        model, _ = played(claude, reads(claude), edits(claude), runs(command), says("Done."))
        assert "displaced" in model.told()[3]
        assert "(seen)" in model.told()[3]

    def test_but_not_by_a_subagent_that_was_told_nothing(
        self, claude: ClaudeCode, precedent: Precedent
    ) -> None:
        precedent(*POSTGRES)
        command = (
            "cd . && precedent record --title 'SQLite' --on feature:search --set engine=sqlite"
        )
        task = uses("Agent", description="x", prompt="SUBTASK", subagent_type="general-purpose")
        model, _ = played(
            claude,
            reads(claude),
            edits(claude),
            task,
            says("Done."),
            SUBTASK=[runs(command), says("Done.")],
        )
        assert "Decisions you have not read" in model.told("SUBTASK")[1]


class TestCapture:
    def test_a_turn_that_edited_and_recorded_nothing_is_continued_once_and_the_record_lands(
        self, claude: ClaudeCode, precedent: Precedent
    ) -> None:
        model, events = played(
            claude, reads(claude), edits(claude), says("Done."), runs(RECORD), says("Recorded.")
        )
        # The question stays in the conversation: said in the last request as often as in the first.
        asked = [told.count("no decision was recorded") for told in model.told()]
        assert asked[:3] == [0, 0, 0]
        assert asked[3] == asked[-1] > 0
        assert "Ranking is by date" in precedent("recall", "--element", "feature:ranking")
        assert [name for name, _ in hooks(events)].count("Stop") == 2

    def test_an_edit_made_in_the_shell_counts(self, claude: ClaudeCode) -> None:
        model, _ = played(
            claude, runs("echo 'x = 1' > search/other.py"), says("Done."), says("Still done.")
        )
        assert "search/other.py" in model.told()[-1]

    def test_a_record_before_the_end_is_an_answer(self, claude: ClaudeCode) -> None:
        model, _ = played(claude, reads(claude), edits(claude), runs(RECORD), says("Done."))
        assert not [told for told in model.told() if "no decision was recorded" in told]

    def test_and_so_is_a_reason_to_record_nothing(self, claude: ClaudeCode) -> None:
        model, _ = played(
            claude,
            reads(claude),
            edits(claude),
            runs("precedent none --reason 'a fix'"),
            says("Done."),
        )
        assert not [told for told in model.told() if "no decision was recorded" in told]


@contextmanager
def trouble(kind: str) -> Iterator[str]:
    replies = {"hangs": Reply(hang=True), "answers 500": Reply({}, 500)}
    if kind == "is down":
        yield "http://127.0.0.1:9"
        return
    with scripted(replies[kind]) as service:
        yield service.url


@pytest.mark.parametrize("kind", ["is down", "hangs", "answers 500"])
def test_with_a_service_that_is_in_trouble_nothing_breaks_and_nothing_is_lost(
    claude: ClaudeCode, kind: str
) -> None:
    claude.environment |= {"PRECEDENT_FLUSH": "off", "PRECEDENT_TIMEOUT": "1"}
    with trouble(kind) as url:
        claude.environment["PRECEDENT_URL"] = url
        model, events = played(
            claude, reads(claude), edits(claude), says("Done."), runs(RECORD), says("Recorded.")
        )
    assert {code for _, code in hooks(events)} == {0}
    assert "not the same as there being none" in model.told()[2]
    assert "no decision was recorded" in model.told()[3]
    kept = claude.home / ".local" / "state" / "precedent" / "spool" / "waiting"
    (file,) = kept.iterdir()
    assert json.loads(file.read_text())["request"]["decision"]["title"] == "Ranking is by date"
