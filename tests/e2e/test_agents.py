"""The plugin in the real clients: what reaches the model, when, and what becomes of what it records."""

from __future__ import annotations

from tests.e2e.agent import Agent
from tests.e2e.conftest import Project
from tests.e2e.model import Says

POSTGRES = (
    "record", "--title", "Search runs on Postgres", "--rationale", "One store to operate.",
    "--reject", "Elasticsearch: a cluster to pay for", "--on", "feature:search", "--set", "engine=postgres",
    "--set", 'paths=["search/**"]',
)  # fmt: skip
RECORD = "record --title 'Ranking is by date' --rationale 'Users asked.' --on feature:ranking --set by=date"
SQLITE = "record --title 'SQLite' --rationale 'Small.' --on feature:search --set engine=sqlite"
ASKED = "no decision was recorded"


class TestRecall:
    def test_a_session_begins_with_what_the_memory_is(self, agent: Agent, project: Project) -> None:
        model = agent.plays(Says("Hello."))
        assert f"decision memory; here: project {project.name}" in model.told()[0]

    def test_the_decisions_in_force_arrive_before_the_edit(
        self, agent: Agent, project: Project
    ) -> None:
        project.precedent(*POSTGRES)
        edits = agent.edits()
        told = agent.plays(*edits, Says("Done.")).told()
        assert "One store to operate." in told[len(edits)]
        assert "a cluster to pay for" in told[len(edits)]
        assert "One store to operate." not in told[len(edits) - 1]

    def test_in_a_subagent_too(self, agent: Agent, project: Project) -> None:
        project.precedent(*POSTGRES)
        edits = agent.edits()
        model = agent.plays(
            *agent.delegates("SUBTASK"), Says("Done."), SUBTASK=[*edits, Says("Done.")]
        )
        assert "One store to operate." in model.told("SUBTASK")[len(edits)]

    def test_what_was_told_before_an_edit_counts_as_read(
        self, agent: Agent, project: Project
    ) -> None:
        project.precedent(*POSTGRES)
        edits = agent.edits()
        record = agent.runs(f"{agent.precedent} {SQLITE}")
        told = agent.plays(*edits, record, Says("Done.")).told()[len(edits) + 1]
        assert "displaced" in told
        assert "(seen)" in told

    def test_but_not_by_a_subagent_that_was_told_nothing(
        self, agent: Agent, project: Project
    ) -> None:
        project.precedent(*POSTGRES)
        record = agent.runs(f"cd . && {agent.precedent} {SQLITE}")
        turns = [*agent.edits(), *agent.delegates("SUBTASK"), Says("Done.")]
        model = agent.plays(*turns, SUBTASK=[record, Says("Done.")])
        assert "Decisions you have not read" in model.told("SUBTASK")[1]


class TestCapture:
    def test_a_turn_that_recorded_nothing_is_continued_once_and_its_record_lands_in_s3(
        self, agent: Agent, project: Project
    ) -> None:
        edits, record = agent.edits(), agent.runs(f"{agent.precedent} {RECORD}")
        told = agent.plays(*edits, Says("Done."), record, Says("Recorded.")).told()
        # The question stays in the conversation: said in the last request as often as in the first.
        asked = [one.count(ASKED) for one in told]
        assert asked[: len(edits) + 1] == [0] * (len(edits) + 1)
        assert asked[len(edits) + 1] == asked[-1] > 0
        assert len(told) == len(edits) + 3
        assert project.logged().count('"title":"Ranking is by date"') == 1
        assert "Ranking is by date" in project.precedent("recall", "--element", "feature:ranking")

    def test_an_edit_made_in_the_shell_counts(self, agent: Agent) -> None:
        write = agent.runs("echo 'x = 1' > search/other.py")
        told = agent.plays(write, Says("Done."), Says("Still done.")).told()
        assert "search/other.py" in told[-1]
        assert ASKED in told[-1]

    def test_a_record_before_the_end_is_an_answer(self, agent: Agent) -> None:
        record = agent.runs(f"{agent.precedent} {RECORD}")
        told = agent.plays(*agent.edits(), record, Says("Done.")).told()
        assert not [one for one in told if ASKED in one]

    def test_and_so_is_a_reason_to_record_nothing(self, agent: Agent) -> None:
        none = agent.runs(f"{agent.precedent} none --reason 'a fix'")
        told = agent.plays(*agent.edits(), none, Says("Done.")).told()
        assert not [one for one in told if ASKED in one]
