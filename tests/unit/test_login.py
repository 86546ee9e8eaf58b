"""`precedent login`, `logout`, `config` and `doctor`: who this machine is, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.client_support import Client, Reply, Request, git, problem, scripted

PERSON = {"writer": "alice.laptop", "role": "writer", "tenant": "team"}
UNSET = {"PRECEDENT_URL": None, "PRECEDENT_TOKEN": None}


@pytest.fixture
def client(tmp_path: Path) -> Client:
    client = Client(tmp_path)
    client.environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    return client


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    return tmp_path / "config" / "precedent" / "login.json"


def answers(request: Request) -> dict[str, object]:
    name = request.path.partition("?")[0].rpartition("/")[2]
    return {"whoami": PERSON, "health": {"status": "ok"}, "conflicts": {"conflicts": []}}[name]


class TestLogin:
    def test_a_token_is_checked_and_stored_for_this_person_alone(
        self, client: Client, stored: Path
    ) -> None:
        with scripted(PERSON) as service:
            done = client("login", service.url + "/v1/", stdin="pct_mine\n", **UNSET)
            assert (done.code, "alice.laptop (writer)" in done.out) == (0, True)
            assert service.requests[0].headers["authorization"] == "Bearer pct_mine"
            assert stored.stat().st_mode & 0o077 == 0
            assert client("whoami", **UNSET).code == 0
        assert "pct_mine" not in done.out + done.err

    def test_one_the_service_does_not_know_is_not_stored(
        self, client: Client, stored: Path
    ) -> None:
        with scripted(problem("unauthenticated", 401)) as service:
            assert client("login", service.url, stdin="pct_old", **UNSET).code == 4
        assert not stored.exists()

    @pytest.mark.parametrize("token", ["", " \n", "a b", "ä", "a\nX-Injected: 1"])
    def test_what_is_no_token_is_told(self, client: Client, stored: Path, token: str) -> None:
        with scripted(PERSON) as service:
            assert client("login", service.url, stdin=token, **UNSET).code == 2
            assert service.requests == []
        assert not stored.exists()

    def test_a_token_is_no_argument(self, client: Client) -> None:
        assert client("login", "http://127.0.0.1:9", "pct_mine", **UNSET).code == 2

    def test_a_stored_token_goes_to_no_other_address(self, client: Client) -> None:
        with scripted(PERSON) as service, scripted(PERSON) as other:
            client("login", service.url, stdin="pct_mine", **UNSET)
            assert client("whoami", service=other, PRECEDENT_TOKEN=None).code == 2
            assert other.requests == []

    def test_logging_out_forgets_it(self, client: Client, stored: Path) -> None:
        with scripted(PERSON) as service:
            client("login", service.url, stdin="pct_mine", **UNSET)
            assert client("logout").code == 0
            assert not stored.exists()
            assert client("whoami", **UNSET).code == 2
        assert client("logout").out == "Nothing was stored.\n"

    def test_what_is_set_is_printed_without_the_token(self, client: Client) -> None:
        done = client("config", PRECEDENT_URL="http://127.0.0.1:9")
        assert "http://127.0.0.1:9  (from the environment)" in done.out
        assert "token    set" in done.out
        assert "pct_test" not in done.out

    def test_from_a_folder_and_a_worktree_of_a_repository_the_project_is_the_same(
        self, client: Client, tmp_path: Path
    ) -> None:
        shop = tmp_path / "shop"
        (shop / "deep").mkdir(parents=True)
        git(shop, "init", "-q", "-b", "main")
        git(shop, "remote", "add", "origin", "https://someone:secret@Example.com/acme/shop.git")
        git(shop, "commit", "-q", "--allow-empty", "-m", "x")
        git(shop, "worktree", "add", "-q", str(tmp_path / "beside"), "-b", "topic")
        for folder in (shop, shop / "deep", tmp_path / "beside"):
            done = client("config", "--json", cwd=folder, PRECEDENT_PROJECT=None)
            assert done.json["project"] == "example.com.acme.shop"


class TestDoctor:
    def test_all_is_well(self, client: Client) -> None:
        with scripted(Reply(answers)) as service:
            done = client("doctor", service=service)
        assert done.code == 0, done.out
        assert "WRONG" not in done.out

    def test_every_finding_has_a_name_and_what_to_do(self, client: Client) -> None:
        done = client("doctor", "--json", **UNSET)
        assert done.code == 2
        (wrong,) = [one for one in done.json["findings"] if one["code"]]
        assert wrong["name"] == "settings"
        assert "precedent login URL" in wrong["mend"]

    @pytest.mark.parametrize(
        ("reply", "code", "said"),
        [
            (Reply({}, 503), 5, "service"),
            (problem("unauthenticated", 401), 4, "does not know this token"),
            (Reply({"status": "ok", "role": "reader"}), 4, "may read only"),
        ],
    )
    def test_what_is_wrong_has_the_exit_code_it_deserves(
        self, client: Client, reply: Reply, code: int, said: str
    ) -> None:
        with scripted(reply) as service:
            done = client("doctor", service=service)
        assert done.code == code
        assert said in done.out
        assert "WRONG" in done.out

    def test_what_waits_in_the_spool_is_something_wrong(self, client: Client) -> None:
        with scripted(problem("unavailable", 503)) as service:
            client("record", "--title", "x", "--rationale", "y", "--on", "a:b", service=service)
            service.replies = [Reply(answers)]
            done = client("doctor", service=service)
        assert (done.code, "1 record(s) wait" in done.out) == (5, True)

    def test_a_disk_that_cannot_be_written_is_something_wrong(
        self, client: Client, tmp_path: Path
    ) -> None:
        (tmp_path / "blocked").write_text("a file where a folder should be")
        with scripted(Reply(answers)) as service:
            done = client("doctor", service=service, XDG_STATE_HOME=str(tmp_path / "blocked"))
        assert done.code == 2
        assert "cannot be written" in done.out

    def test_without_git_it_says_what_that_costs(self, client: Client) -> None:
        with scripted(Reply(answers)) as service:
            done = client("doctor", service=service, PATH="/nonexistent")
        assert done.code == 2
        assert "no turn is asked" in done.out
