"""What only Claude Code has: a validator, plugin options, and its hooks' outcomes told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.agent import PLUGIN, REPOSITORY
from tests.e2e.claude_code import ClaudeCode, hooks
from tests.e2e.conftest import Project
from tests.e2e.model import Says, playing


@pytest.mark.parametrize("folder", [PLUGIN, REPOSITORY], ids=["plugin", "marketplace"])
def test_the_client_finds_nothing_wrong_with_it(claude: ClaudeCode, folder: Path) -> None:
    done = claude.run("plugin", "validate", str(folder), "--strict")
    assert done.returncode == 0, done.stdout + done.stderr


def test_installed_from_the_marketplace_its_options_reach_hooks_and_commands(
    claude: ClaudeCode, project: Project
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
    model = claude.plays(claude.runs("precedent whoami"), Says("Done."))
    assert f"here: project {project.name}" in model.told()[0]
    assert "(writer) of team" in model.told()[1]


def test_every_hook_ends_well_and_the_turn_ends_twice(claude: ClaudeCode) -> None:
    with playing(claude.model(*claude.edits(), Says("Done."), Says("Done."))) as model:
        ran = [name for name, _ in hooks(claude.session(model))]
    assert {"SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"} <= set(ran)
    assert ran.count("Stop") == 2
