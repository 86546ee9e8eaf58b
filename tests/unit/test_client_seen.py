"""`seen` is honest: an id is sent only if its full text was put before this session."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.unit.client_support import (
    Client,
    Reply,
    Scripted,
    decision_id,
    problem,
    recalled,
    recorded,
    scripted,
)

A, B, C = decision_id(10), decision_id(11), decision_id(12)
RECORD = ("record", "--title", "x", "--on", "feature:search")
RECALL = ("recall", "--element", "feature:search")
SHOWN = {"id": B, "decision": {"title": "t", "rationale": "why"}, "in_force": True}


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


class Conversation:
    """Commands of one session against a service whose address stays the same."""

    def __init__(self, client: Client, service: Scripted) -> None:
        self.client, self.service = client, service

    def sent(self) -> list[str]:
        self.client(*RECORD, service=self.service)
        found = self.service.bodies[-1]["seen"]
        assert isinstance(found, list)
        return found


def test_recall_and_show_count_as_read_and_so_does_what_was_recorded(client: Client) -> None:
    replies = (
        recalled(A), SHOWN, {"feedback": {}}, Reply(recorded(C), 201), Reply(recorded(decision_id(1)), 201),
    )  # fmt: skip
    with scripted(*replies) as service:
        client(*RECALL, service=service)
        client("show", B, service=service)
        client(*RECORD, service=service)
        client(*RECORD, service=service)
    assert service.bodies[3]["seen"] == [A, B]
    assert service.bodies[4]["seen"] == [A, B, C]


def test_json_output_counts_too(client: Client) -> None:
    with scripted(recalled(A), problem("invalid", 422)) as service:
        client(*RECALL, "--json", service=service)
        assert Conversation(client, service).sent() == [A]


def test_the_body_of_a_409_does_not_count(client: Client) -> None:
    unseen = [{"element": "feature:search", "slot": "engine", "value": "x",
               "decision": {"id": A, "title": "t", "rationale": "r"}}]  # fmt: skip
    with scripted(problem("unseen-head", 409, unseen=unseen)) as service:
        client(*RECORD, service=service)
        assert Conversation(client, service).sent() == []


def test_a_title_without_its_text_does_not_count(client: Client) -> None:
    answer = recalled(A, B)
    answer["shown"] = [A]  # B was redacted, or did not fit
    answer["decisions"][C] = {"title": "only a title"}
    with scripted(answer, problem("invalid", 422)) as service:
        client(*RECALL, service=service)
        assert Conversation(client, service).sent() == [A]


def test_a_dry_run_and_a_refused_record_do_not_count(client: Client) -> None:
    with scripted(problem("invalid", 422)) as service:
        client(*RECORD, "--dry-run", service=service)
        client(*RECORD, service=service)
        assert Conversation(client, service).sent() == []


def test_another_session_project_or_service_has_read_nothing(client: Client) -> None:
    with scripted(recalled(A), problem("invalid", 422)) as service:
        client(*RECALL, service=service)
        for other in (
            {"PRECEDENT_SESSION": "two"},
            {"PRECEDENT_PROJECT": "other"},
            {"PRECEDENT_AGENT_ID": "subagent"},
        ):
            client(*RECORD, service=service, **other)
            assert service.bodies[-1]["seen"] == []
        assert Conversation(client, service).sent() == [A]
    with scripted(problem("invalid", 422)) as elsewhere:
        assert Conversation(client, elsewhere).sent() == []


@pytest.mark.parametrize(
    "name", ["CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID"]
)
def test_an_agents_own_session_id_is_taken(client: Client, name: str) -> None:
    with scripted(recalled(A), problem("invalid", 422)) as service:
        client(*RECALL, service=service, PRECEDENT_SESSION=None, **{name: "s-1"})
        client(*RECORD, service=service, PRECEDENT_SESSION=None, **{name: "s-1"})
    assert service.bodies[-1]["seen"] == [A]
    assert service.bodies[-1]["circumstances"]["session"] == "s-1"


def test_a_subagent_of_codex_is_a_reader_of_its_own(client: Client) -> None:
    """It says which thread of its session runs a command."""
    main, sub = (
        {"CODEX_SESSION_ID": "s-1", "CODEX_THREAD_ID": "s-1"},
        {"CODEX_SESSION_ID": "s-1", "CODEX_THREAD_ID": "t-2"},
    )
    with scripted(recalled(A), problem("invalid", 422)) as service:
        client(*RECALL, service=service, PRECEDENT_SESSION=None, **main)
        client(*RECORD, service=service, PRECEDENT_SESSION=None, **sub)
        assert service.bodies[-1]["seen"] == []
        assert service.bodies[-1]["circumstances"]["session"] == "s-1/t-2"
        client(*RECORD, service=service, PRECEDENT_SESSION=None, **main)
        assert service.bodies[-1]["seen"] == [A]


def test_without_a_name_the_parent_process_is_the_session(client: Client) -> None:
    """Two commands of one shell are one session; a shell started later is another."""
    with scripted(recalled(A), problem("invalid", 422)) as service:
        client(*RECALL, service=service, PRECEDENT_SESSION=None)
        client(*RECORD, service=service, PRECEDENT_SESSION=None)
        assert service.bodies[-1]["seen"] == [A]
        command = Path(__file__).resolve().parents[2] / "plugin/bin/precedent"
        env = {**client.environment, "PRECEDENT_URL": service.url}
        del env["PRECEDENT_SESSION"]
        subprocess.run(
            ["sh", "-c", f"'{sys.executable}' '{command}' {' '.join(RECORD)}; true"],
            env=env, check=True, capture_output=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert service.bodies[-1]["seen"] == []
        assert "session" not in service.bodies[-1].get("circumstances", {})


def test_commands_at_once_lose_nothing(client: Client) -> None:
    ids = [decision_id(number) for number in range(12)]

    def reply(request: object) -> object:
        path = getattr(request, "path")  # noqa: B009
        return {"id": path[-26:], "decision": {"title": "t", "rationale": "r"}}

    with scripted(Reply(reply)) as service:
        with ThreadPoolExecutor(6) as pool:
            codes = list(pool.map(lambda found: client("show", found, service=service).code, ids))
        assert set(codes) == {0}
        client("record", "--title", "x", "--on", "a:b", service=service)
        assert sorted(service.bodies[-1]["seen"]) == ids


def test_an_unwritable_state_folder_is_a_warning_and_no_failure(client: Client) -> None:
    blocked = client.home / "blocked"
    blocked.write_text("a file where a folder should be")
    with scripted(recalled(A)) as service:
        done = client(*RECALL, service=service, XDG_STATE_HOME=str(blocked))
    assert done.code == 0
    assert A in done.out
    assert "asked about again" in done.err


class TestStore:
    """The store itself, where a command a time would take too long."""

    @pytest.fixture
    def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        from precedent_client.config import Config
        from precedent_client.seen import Seen

        return Seen(Config("http://x", "t", "p", 1.0), "s")

    def test_the_newest_2000_are_kept_and_files_stay_few(
        self, store: object, tmp_path: Path
    ) -> None:
        from precedent_client.seen import LIMIT, MANY_FILES, Seen

        assert isinstance(store, Seen)
        for start in range(0, 2400, 20):
            store.add(decision_id(number) for number in range(start, start + 20))
        assert store.ids() == [decision_id(number) for number in range(400, 2400)]
        assert len(store.ids()) == LIMIT
        files = [name for _, _, names in os.walk(tmp_path) for name in names]
        assert len(files) <= MANY_FILES + 1

    def test_what_is_no_id_is_never_kept(self, store: object) -> None:
        from precedent_client.seen import Seen

        assert isinstance(store, Seen)
        store.add(["", "d_x", "../etc", A, A])
        assert store.ids() == [A]

    def test_sessions_nobody_uses_any_more_are_forgotten(
        self, store: object, tmp_path: Path
    ) -> None:
        from precedent_client.seen import Seen

        assert isinstance(store, Seen)
        stale = tmp_path / "precedent" / "seen" / "old"
        stale.mkdir(parents=True)
        os.utime(stale, (0, 0))
        store.add([A])
        assert not stale.exists()
        assert store.ids() == [A]

    def test_a_half_written_file_is_not_read(self, store: object, tmp_path: Path) -> None:
        from precedent_client.seen import Seen

        assert isinstance(store, Seen)
        store.add([A])
        folder = next((tmp_path / "precedent" / "seen").iterdir())
        (folder / ".123.tmp").write_text(B)
        assert store.ids() == [A]
