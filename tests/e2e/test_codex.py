"""What only Codex does: patches in a shell command, and a shell that does not know the plugin's command."""

from __future__ import annotations

from tests.e2e.codex import Codex, patch
from tests.e2e.conftest import Project
from tests.e2e.model import Says
from tests.e2e.test_agents import POSTGRES


def test_a_patch_in_a_shell_command_is_an_edit(codex: Codex, project: Project) -> None:
    project.precedent(*POSTGRES)
    command = f"apply_patch <<'EOF'\n{patch('ENGINE = 3')}\nEOF\n"
    told = codex.plays(codex.runs(command), Says("Done.")).told()
    assert "One store to operate." in told[1]
    assert (project.root / "search" / "api.py").read_text() == "ENGINE = 3\n"


def test_the_session_is_told_where_the_command_is(codex: Codex) -> None:
    told = codex.plays(codex.runs("precedent version"), Says("Done.")).told()
    assert "not found" in told[1]
    assert f"call it as '{codex.precedent}'" in told[0]
