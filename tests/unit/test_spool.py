"""The spool: what is recorded is on the disk before anybody is talked to, and is sent once."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import (
    CLIENT,
    Client,
    Reply,
    append_like_the_service,
    problem,
    scripted,
)  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import flusher
from precedent_client.faults import NotAllowed, Refused, Unreachable
from precedent_client.spool import Damaged, Spool, Waiting

URL = "http://service.test"


def request(key: str, **members: Any) -> dict[str, Any]:
    return {"decision": {"title": f"Title of {key}"}, "key": key, "seen": [], **members}


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(str(tmp_path / "spool"))


def keep(spool: Spool, *keys: str) -> list[str]:
    for key in keys:
        spool.keep(URL, "demo", request(key)).leave()
    return spool.names()


class Service:
    """Takes everything, unless told what to raise for a key."""

    def __init__(self, **faults: Exception) -> None:
        self.faults = faults
        self.sent: list[str] = []

    def __call__(self, waiting: Waiting) -> None:
        key = waiting.request["key"]
        self.sent.append(key)
        if key in self.faults:
            raise self.faults[key]


class TestKeeping:
    def test_a_request_is_kept_as_it_was_said(self, spool: Spool) -> None:
        said = request("k", seen=["d_" + "0" * 24], circumstances={"branch": "it's\n\u202e"})
        spool.keep(URL, "demo", said).leave()
        (name,) = spool.names()
        found = spool.read(name)
        assert (found.url, found.project, found.request) == (URL, "demo", said)

    def test_only_this_person_can_read_it(self, spool: Spool, tmp_path: Path) -> None:
        keep(spool, "k")
        (file,) = (tmp_path / "spool" / "waiting").iterdir()
        assert file.stat().st_mode & 0o077 == 0
        assert file.parent.stat().st_mode & 0o077 == 0

    def test_names_sort_by_when_they_were_kept(self, spool: Spool) -> None:
        names = keep(spool, "first", "second", "third")
        assert [spool.read(name).request["key"] for name in names] == ["first", "second", "third"]

    @pytest.mark.parametrize(
        "raw", [b"", b"{", b"[]", b'{"v": 1}', b"\xff", b'{"v": 2}', b"[" * 99999]
    )
    def test_what_cannot_be_read_is_said_to_be_damaged(self, spool: Spool, raw: bytes) -> None:
        (name,) = keep(spool, "k")
        Path(spool.root, "waiting", name + ".json").write_bytes(raw)
        with pytest.raises(Damaged):
            spool.read(name)

    def test_a_name_leads_nowhere_else(self, spool: Spool, tmp_path: Path) -> None:
        keep(spool, "k")
        (tmp_path / "other.json").write_text("mine")
        with pytest.raises(FileNotFoundError):
            spool.drop("../../other")
        assert (tmp_path / "other.json").exists()


class TestInHand:
    def test_what_is_being_sent_is_in_nobody_elses_hands(self, spool: Spool) -> None:
        held = spool.keep(URL, "demo", request("k"))
        service = Service()
        flusher.flush_once(spool, service)
        assert (service.sent, len(spool.names())) == ([], 1)
        held.leave()
        flusher.flush_once(spool, service)
        assert (service.sent, spool.names()) == (["k"], [])

    def test_what_was_sent_between_opening_and_locking_is_not_sent_again(
        self, spool: Spool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (name,) = keep(spool, "k")

        def somebody_was_faster(handle: int) -> bool:
            spool.drop(name)
            return True

        monkeypatch.setattr("precedent_client.locks.taken", somebody_was_faster)
        assert spool.hold(name) is None

    def test_flushers_at_once_send_each_request_once(self, spool: Spool) -> None:
        keys = [f"k{number}" for number in range(20)]
        keep(spool, *keys)
        service = Service()
        threads = [
            threading.Thread(target=flusher.flush_once, args=(spool, service)) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(service.sent) == sorted(keys)
        assert spool.names() == []

    def test_a_second_flusher_leaves_the_work_to_the_first(self, spool: Spool) -> None:
        keep(spool, "k")
        mine = spool.flushing()
        assert mine is not None
        service = Service()
        flusher.flush(spool, service, pause=lambda _: None)
        assert service.sent == []
        mine.leave()
        flusher.flush(spool, service, pause=lambda _: None)
        assert service.sent == ["k"]


class TestFlushing:
    @pytest.mark.parametrize(
        "fault",
        [
            Refused("no", "invalid"),
            Refused("no", "secret"),
            Refused("no", "too-large"),
            Refused("no", "key-reused"),
            Refused("no", "http-413"),
        ],
        ids=lambda fault: fault.name,
    )
    def test_a_refusal_for_good_is_set_aside_with_its_reason_and_stops_nothing(
        self, spool: Spool, fault: Refused
    ) -> None:
        bad, _ = keep(spool, "bad", "good")
        passed = flusher.flush_once(spool, Service(bad=fault))
        assert (spool.names(), spool.quarantined(), passed.set_aside) == ([], [bad], [bad])
        assert spool.reason(bad) == {"name": fault.name, "message": "no"}
        assert len(passed.sent) == 1

    @pytest.mark.parametrize(
        "fault",
        [
            Unreachable("down"),
            NotAllowed("revoked"),
            Refused("not yet", "unknown-decision"),
            Refused("wrong address", "http-404"),
            Refused("moved", "http-301"),
        ],
        ids=lambda fault: fault.name,
    )
    def test_what_time_may_cure_waits(self, spool: Spool, fault: Exception) -> None:
        names = keep(spool, "k")
        passed = flusher.flush_once(spool, Service(k=fault))
        assert (spool.names(), spool.quarantined()) == (names, [])
        assert list(passed.left) == names

    @pytest.mark.parametrize("fault", [Unreachable("down"), NotAllowed("revoked")], ids=str)
    def test_where_nobody_answers_the_rest_for_that_service_is_not_tried(
        self, spool: Spool, fault: Exception
    ) -> None:
        names = keep(spool, "a", "b")
        spool.keep("http://another.test", "demo", request("other")).leave()
        service = Service(a=fault)
        passed = flusher.flush_once(spool, service)
        assert service.sent == ["a", "other"]
        assert list(passed.left) == names == spool.names()

    def test_what_is_superseded_later_in_the_spool_is_found_in_the_end(self, spool: Spool) -> None:
        keep(spool, "second", "first")

        class Ordered(Service):
            def __call__(self, waiting: Waiting) -> None:
                self.faults = (
                    {} if "first" in self.sent else {"second": Refused("?", "unknown-decision")}
                )
                super().__call__(waiting)

        service = Ordered()
        flusher.flush(spool, service, pause=lambda _: None)
        assert (service.sent, spool.names()) == (["second", "first", "second"], [])

    def test_a_damaged_file_is_set_aside_and_hides_nothing(self, spool: Spool) -> None:
        damaged, _ = keep(spool, "bad", "good")
        Path(spool.root, "waiting", damaged + ".json").write_bytes(b'{"v": 1, "ur')
        service = Service()
        flusher.flush_once(spool, service)
        assert (service.sent, spool.quarantined()) == (["good"], [damaged])
        assert spool.reason(damaged)["name"] == "damaged"

    def test_it_gives_up_in_the_end_and_everything_still_waits(self, spool: Spool) -> None:
        names = keep(spool, "k")
        pauses: list[float] = []
        flusher.flush(spool, Service(k=Unreachable("down")), pause=pauses.append)
        assert len(pauses) == flusher.PASSES
        assert spool.names() == names
        assert all(0.5 <= pause <= flusher.LONGEST_PAUSE for pause in pauses)
        assert pauses[0] < pauses[4] < pauses[-1]

    def test_a_record_that_comes_in_while_a_flusher_ends_is_sent(self, spool: Spool) -> None:
        keep(spool, "first")
        sent: list[str] = []

        def send(waiting: Waiting) -> None:
            sent.append(waiting.request["key"])
            if sent == ["first"]:
                keep(spool, "second")

        flusher.flush(spool, send, pause=lambda _: None)
        assert (sent, spool.names()) == (["first", "second"], [])

    def test_in_the_background_nobody_reads_a_409_so_both_stand(self) -> None:
        assert flusher.in_background(request("k"))["on_unseen"] == "branch"
        assert flusher.in_background(request("k", on_unseen="refuse"))["on_unseen"] == "branch"
        assert (
            flusher.in_background(request("k", on_unseen="historical"))["on_unseen"] == "historical"
        )


class TestToldOnce:
    def test_a_refusal_is_told_until_it_was_told(self, spool: Spool) -> None:
        (name,) = keep(spool, "k")
        flusher.flush_once(spool, Service(k=Refused("no", "invalid")))
        assert spool.untold() == [name]
        spool.told(name)
        assert spool.untold() == []
        assert spool.quarantined() == [name]

    def test_what_was_put_back_and_refused_again_is_told_again(self, spool: Spool) -> None:
        (name,) = keep(spool, "k")
        service = Service(k=Refused("no", "invalid"))
        flusher.flush_once(spool, service)
        spool.told(name)
        spool.put_back(name)
        assert (spool.names(), spool.untold()) == ([name], [])
        flusher.flush_once(spool, service)
        assert spool.untold() == [name]


RECORD = (
    "record",
    "--title",
    "x's",
    "--rationale",
    "y",
    "--on",
    "feature:search",
    "--set",
    "engine=z",
)


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


class TestCommand:
    """`precedent record` and `precedent spool`, as an agent runs them."""

    def test_a_record_the_service_took_is_kept_no_longer(self, client: Client) -> None:
        with scripted(Reply(append_like_the_service, 201)) as service:
            assert client(*RECORD, service=service).code == 0
        assert client("spool", "list", "--json").json == {"waiting": [], "quarantined": []}

    def test_a_record_nobody_took_is_kept_and_sent_later_under_its_own_key_and_seen(
        self, client: Client
    ) -> None:
        with scripted(problem("unavailable", 503)) as down:
            done = client(*RECORD, service=down)
        assert done.code == 5
        assert "Nothing is lost" in done.err
        (waiting,) = client("spool", "list", "--json").json["waiting"]
        assert (waiting["titles"], waiting["key"]) == (["x's"], down.bodies[0]["key"])

    def test_retry_sends_it_to_where_it_was_meant_for(self, client: Client) -> None:
        with scripted(
            *[problem("unavailable", 503)] * 3, Reply(append_like_the_service, 201)
        ) as service:
            assert client(*RECORD, service=service).code == 5
            done = client("spool", "retry", service=service)
            assert (done.code, done.err) == (0, "")
            first, last = service.bodies[0], service.bodies[-1]
            assert last == {**first, "on_unseen": "branch"}
            assert client("spool", "retry", service=service).out == "Nothing was waiting.\n"

    def test_a_token_never_goes_to_a_service_it_was_not_given_for(self, client: Client) -> None:
        with scripted(problem("unavailable", 503)) as meant:
            client(*RECORD, service=meant)
        with scripted(Reply(append_like_the_service, 201)) as other:
            done = client("spool", "retry", service=other)
        assert (done.code, other.requests) == (5, [])
        assert "no token" in done.out

    def test_a_refusal_is_an_answer_and_nothing_is_kept(self, client: Client) -> None:
        for refusal in (problem("invalid", 422), problem("unseen-head", 409, unseen=[])):
            with scripted(refusal) as service:
                assert client(*RECORD, service=service).code == 3
        assert client("spool", "list", "--json").json["waiting"] == []

    def test_a_token_revoked_meanwhile_loses_nothing(self, client: Client) -> None:
        with scripted(problem("unauthenticated", 401)) as service:
            assert client(*RECORD, service=service).code == 4
        assert len(client("spool", "list", "--json").json["waiting"]) == 1

    def test_what_was_refused_for_good_is_listed_with_why_and_can_be_dropped(
        self, client: Client
    ) -> None:
        with scripted(
            *[problem("unavailable", 503)] * 3, problem("secret", 422, detail="A key in /title.")
        ) as service:
            client(*RECORD, service=service)
            done = client("spool", "retry", service=service)
        assert done.code == 3
        listed = client("spool", "list").out
        assert "was refused" in listed
        assert "A key in /title." in listed
        (name,) = [one["name"] for one in client("spool", "list", "--json").json["quarantined"]]
        assert client("spool", "drop", name).code == 0
        assert client("spool", "list").out.startswith("Nothing waits")

    @pytest.mark.parametrize("words", [("drop",), ("drop", "nonsense"), ("list", "x"), ("send",)])
    def test_a_mistake_is_a_usage_error(self, client: Client, words: tuple[str, ...]) -> None:
        assert client("spool", *words).code == 2

    def test_on_a_full_disk_it_is_sent_all_the_same(self, client: Client) -> None:
        with scripted(Reply(append_like_the_service, 201)) as service:
            done = full_disk(client, service.url)
        assert done.returncode == 0
        assert len(service.bodies) == 1

    def test_on_a_full_disk_with_nobody_there_it_says_how_to_lose_nothing(
        self, client: Client
    ) -> None:
        with scripted(problem("unavailable", 503)) as service:
            done = full_disk(client, service.url)
        assert done.returncode == 5
        assert f"--key {service.bodies[0]['key']}" in done.stderr.decode()

    def test_without_a_writable_home_too(self, client: Client, tmp_path: Path) -> None:
        (tmp_path / "blocked").write_text("a file where a folder should be")
        with scripted(Reply(append_like_the_service, 201)) as service:
            done = client(*RECORD, service=service, XDG_STATE_HOME=str(tmp_path / "blocked"))
        assert done.code == 0

    def test_the_token_is_not_in_the_spool(self, client: Client, tmp_path: Path) -> None:
        with scripted(problem("unavailable", 503)) as service:
            client(*RECORD, service=service)
        files = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
        assert files
        assert all(b"pct_test" not in path.read_bytes() for path in files)


def full_disk(client: Client, url: str) -> subprocess.CompletedProcess[bytes]:
    """Record where no file can grow."""
    command = f'ulimit -f 0; exec {sys.executable} {CLIENT.parent / "bin" / "precedent"} "$@"'
    return subprocess.run(
        ["sh", "-c", command, "sh", *RECORD],
        env={**client.environment, "PRECEDENT_URL": url},
        cwd=client.home,
        capture_output=True,
        check=False,
    )


def test_what_is_kept_is_plain_json(client: Client, tmp_path: Path) -> None:
    """So that a person can read it, whatever became of the client."""
    with scripted(problem("unavailable", 503)) as service:
        client(*RECORD, service=service)
    (file,) = (tmp_path / "state" / "precedent" / "spool" / "waiting").iterdir()
    kept = json.loads(file.read_bytes())
    assert kept["request"] == service.bodies[0]
