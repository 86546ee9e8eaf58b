"""Where options may stand, and where a mistake in them leads."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.unit.client_support import Client, oldest_python


@pytest.fixture(params=["this Python", "Python 3.9"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    python = sys.executable if request.param == "this Python" else oldest_python()
    if python is None:
        pytest.skip("there is no Python 3.9 here; PRECEDENT_TEST_PYTHON39 can name one")
    return Client(tmp_path, python)


@pytest.mark.parametrize(
    "words",
    [
        ("import", "adr", "--plan", "adr"),
        ("import", "adr", "--json", "--plan", "adr"),
        ("import", "--plan", "adr", "adr"),
        ("import", "adr", "adr", "--plan"),
        ("--json", "import", "adr", "adr", "--plan"),
        ("import", "adr", "--repository", "shop", "adr", "--plan"),
    ],
)
def test_options_stand_before_and_behind_arguments(client: Client, words: tuple[str, ...]) -> None:
    folder = client.home / "adr"
    folder.mkdir()
    (folder / "0001-use-x.md").write_text(
        "# 1. Use X\n\n## Status\n\nAccepted\n\n## Decision\n\nX.\n"
    )
    done = client(*words)
    assert (done.code, len(done.json["entries"])) == (0, 1)


def test_other_commands_take_them_so_too(client: Client) -> None:
    assert client("record", "--dry-run", "-", stdin='{"title": "x"}').code == 0
    assert client("record", "-", "--dry-run", stdin='{"title": "x"}').code == 0
    assert client("spool", "--json", "list").json == {"waiting": [], "quarantined": []}
    assert "are not set" in client("show", "--json", "d_" + "0" * 24, PRECEDENT_TOKEN=None).out


def test_the_version_is_told_either_way(client: Client) -> None:
    assert client("--version").out == client("version").out != ""
    assert client("--version").code == 0


def test_a_wrong_option_leads_to_the_commands_own_help(client: Client) -> None:
    for words in (("recall", "--elemnt", "a:b"), ("import", "adr", "--pln", "x")):
        done = client(*words)
        assert done.code == 2
        assert f"precedent {words[0]} --help" in done.err
