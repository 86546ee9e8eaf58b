"""What one identity recorded is not sent as another's, and what a role may not do is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.client_support import (
    Client,
    Reply,
    append_like_the_service,
    problem,
    scripted,
)  # isort: split

from precedent_client import flusher
from precedent_client.faults import AnotherLogin, Forbidden
from precedent_client.spool import Spool, Waiting, login_of

RECORD = ("record", "--title", "x", "--rationale", "y", "--on", "feature:search")
DOWN = [problem("unavailable", 503)] * 3


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


def test_a_role_that_may_not_write_is_told_so_and_nothing_is_kept(client: Client) -> None:
    with scripted(problem("forbidden", 403)) as service:
        done = client(*RECORD, service=service)
    assert done.code == 4
    assert "Nothing was recorded, and nothing is kept" in done.err
    assert "sent by itself" not in done.err
    assert client("spool", "list", "--json").json["waiting"] == []


def test_a_token_the_gateway_does_not_take_keeps_the_record(client: Client) -> None:
    for refusal in (Reply({"message": "Forbidden"}, 403), Reply({"message": "Unauthorized"}, 401)):
        with scripted(refusal) as service:
            done = client(*RECORD, service=service)
        assert done.code == 4
        assert "spool retry --mine" in done.err
        assert "whoami" not in done.err
    assert len(client("spool", "list", "--json").json["waiting"]) == 2


def test_a_record_is_sent_only_with_the_token_it_was_recorded_with(client: Client) -> None:
    with scripted(*DOWN, Reply(append_like_the_service, 201)) as service:
        assert client(*RECORD, service=service, PRECEDENT_TOKEN="pct_eve").code == 5
        client("spool", "flush", service=service, PRECEDENT_TOKEN="pct_bob")
        done = client("spool", "retry", service=service, PRECEDENT_TOKEN="pct_bob")
        assert (done.code, len(service.requests)) == (4, 3)
        assert "another login" in done.out
        listed = client("spool", "list", service=service, PRECEDENT_TOKEN="pct_bob").out
        assert "waits for another login" in listed
        assert "precedent spool retry --mine " in listed
        done = client("spool", "retry", service=service, PRECEDENT_TOKEN="pct_eve")
    assert done.code == 0
    assert service.requests[-1].headers["authorization"] == "Bearer pct_eve"


def test_a_renewed_token_sends_what_its_owner_names(client: Client) -> None:
    with scripted(*DOWN, Reply(append_like_the_service, 201)) as service:
        client(*RECORD, service=service, PRECEDENT_TOKEN="pct_old")
        (one,) = client("spool", "list", "--json", service=service).json["waiting"]
        assert one["another_login"] is True
        assert client("spool", "retry", "--mine", service=service).code == 2
        assert client("spool", "retry", "--mine", one["name"], service=service).code == 0
    assert service.requests[-1].headers["authorization"] == "Bearer pct_test"


def test_another_logins_record_stops_neither_the_others_nor_the_flusher(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path))
    for key in ("eves", "bobs"):
        request = {"decision": {"title": key}, "key": key}
        spool.keep("http://s", "demo", request, login_of("http://s", key)).leave()
    sent: list[str] = []

    def send(waiting: Waiting) -> None:
        if flusher.is_another_login(waiting, "bobs"):
            raise AnotherLogin("another's")
        sent.append(waiting.request["key"])

    pauses: list[float] = []
    flusher.flush(spool, send, pause=pauses.append)
    assert (sent, pauses, len(spool.names())) == (["bobs"], [], 1)


def test_what_a_role_may_not_do_is_set_aside(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path))
    spool.keep("http://s", "demo", {"decision": {"title": "t"}, "key": "k"}).leave()

    def send(waiting: Waiting) -> None:
        raise Forbidden("a reader", "forbidden")

    assert flusher.flush_once(spool, send).set_aside == spool.quarantined() != []
