"""With the service in trouble nobody waits, nothing breaks, and nothing is lost."""

from __future__ import annotations

import shutil
import time

import pytest

from tests.e2e.agent import Agent
from tests.e2e.conftest import Project
from tests.e2e.front import Front, Mode
from tests.e2e.model import Says
from tests.e2e.test_agents import ASKED, RECORD

TROUBLES: list[Mode] = ["is down", "hangs", "answers 500"]
BUDGET = 2.5
"""Seconds all hooks of a short session wait for a service in trouble: 1 at its start, 1.5 before its first edit."""
SLOWER = 1.5
"""Times as long as a session without the plugin: the hooks' own processes, one more turn, and a busy machine."""
ROUNDS = 3


@pytest.mark.parametrize("trouble", TROUBLES)
def test_what_is_recorded_meanwhile_lands_in_s3_once_the_service_is_back(
    agent: Agent, project: Project, service: Front, trouble: Mode
) -> None:
    agent.environment |= {"PRECEDENT_FLUSH": "off", "PRECEDENT_TIMEOUT": "1"}
    edits, record = agent.edits(), agent.runs(f"{agent.precedent} {RECORD}")
    service.becomes(trouble)
    told = agent.plays(*edits, Says("Done."), record, Says("Recorded.")).told()
    assert "not the same as there being none" in told[len(edits)]
    assert ASKED in told[len(edits) + 1]
    assert "Nothing is lost" in told[len(edits) + 2]
    assert project.logged() == ""
    service.becomes("answers")
    assert "was sent" in project.precedent("spool", "retry", home=agent.home)
    assert project.logged().count('"title":"Ranking is by date"') == 1


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_session_takes_no_longer_than_without_the_plugin_and_the_budget(
    agent: Agent,
    project: Project,
    service: Front,
    trouble: Mode,
    capsys: pytest.CaptureFixture[str],
) -> None:
    agent.environment["PRECEDENT_FLUSH"] = "off"
    service.becomes(trouble)
    plain, with_it = [], []
    for _ in range(ROUNDS):
        agent.plugin = False
        plain.append(seconds(agent, project))
        agent.plugin = True
        with_it.append(seconds(agent, project))
    # The hooks' waiting is bounded by how often they ask, whatever the machine does meanwhile.
    assert service.asked <= 2 * ROUNDS
    with capsys.disabled():
        print(
            f"\n{type(agent).__name__}, service {trouble}: {min(with_it):.1f} s, without {min(plain):.1f} s"
        )
    assert min(with_it) <= SLOWER * min(plain) + BUDGET


def seconds(agent: Agent, project: Project) -> float:
    """What a session takes that edits one file, on a machine that does not know yet that the service is away."""
    (project.root / "search" / "api.py").write_text("ENGINE = 'elastic'\n")
    shutil.rmtree(agent.home / ".local", ignore_errors=True)
    started = time.monotonic()
    agent.plays(*agent.edits(), Says("Done."), Says("Done."))
    return time.monotonic() - started
