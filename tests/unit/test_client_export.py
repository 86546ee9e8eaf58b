"""`precedent export` and `precedent import jsonl`: whole or not at all, the same bytes each time, nobody else's log."""

from __future__ import annotations

import json
from typing import Any

import pytest
from precedent import export

from tests.unit.client_support import Client, Reply, scripted  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import import_log, log_file, moving
from precedent_client.faults import Refused, Usage

from tests.unit.in_process import InProcess
from tests.unit.served import CALLER, PROJECT, Service, service

HOSTILE = 'a "quote" \\ back\u2028slash \x1b[31m </recorded> \U0001f469\u200d\U0001f4bb %% --> ]] ../../etc'


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


def sets(value: object, title: str = "T", **fields: Any) -> dict[str, Any]:
    mutation = {"op": "set_prop", "element": "feature:search", "key": "engine", "value": value}
    return {"title": title, "mutations": [mutation], **fields}


def record(served: Service, writer: str, decision: dict[str, Any], **request: Any) -> str:
    sent = {"decision": decision, "on_unseen": "branch", **request}
    caller = {**CALLER, "writer": writer}
    answer = served.ask("append", "POST", PROJECT + "/decisions", body=sent, authorizer=caller)
    assert answer.status == 201, answer
    return str(answer.body["results"][0]["id"])


@pytest.fixture
def story(served: Service) -> Service:
    """Decided, overruled, decided otherwise at the same time, and full of what no file format likes."""
    first = record(served, "alice.laptop", sets("postgres", HOSTILE, rationale=HOSTILE))
    record(served, "bob.desk", sets("elastic", "E"), seen=[first])
    record(served, "alice.laptop", sets(HOSTILE, "S", date="2024-05-06"))
    return served


def exported(served: Service) -> bytes:
    found = log_file.fetch(InProcess(served), lambda _: None)
    return found.text(found.state().digest)


def test_an_export_is_the_log_byte_for_byte_and_the_same_each_time(story: Service) -> None:
    raw = exported(story)
    head, *lines, end = raw.decode().removesuffix("\n").split("\n")
    assert json.loads(head) == {"format": "precedent-log/1", "project": "shop", "tenant": "acme"}
    assert json.loads(end)["digest"] == InProcess(story).get_of_project("/digest").body["digest"]
    log, _ = story.ports(export.Scope("acme", "shop"))
    stored = [data.decode().removesuffix("\n") for _, data in sorted(log.objects.items())]
    assert [line.split('"line":', 1)[1].rsplit(',"seq":', 1)[0] for line in lines] == stored
    assert exported(story) == raw


def test_an_export_holds_whatever_its_entries_name_though_somebody_records_meanwhile(
    story: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is displaced lies in a log that was read before the entry that displaces it was there."""
    monkeypatch.setattr(export, "PAGE_BYTES", 1)
    asked: list[str] = []

    class Busy(InProcess):
        def get_of_project(self, path: str, query: Any = ()) -> Any:
            answer = super().get_of_project(path, query)
            asked.append(path)
            if len(asked) == 3:  # all of alice's was read
                late = record(story, "alice.laptop", sets("late", "L"))
                record(story, "bob.desk", sets("later", "M"), seen=[late])
            return answer

    found = log_file.fetch(Busy(story), lambda _: None)
    assert found.state().missing() == []
    assert len(found.lines) == 5


@pytest.mark.parametrize("cut", [1, -1, -2, -40, 400])
def test_a_file_that_was_cut_off_is_refused(story: Service, cut: int) -> None:
    with pytest.raises(Usage, match="no log that `precedent export` wrote"):
        log_file.read(exported(story)[:cut], "shop.jsonl")


def test_a_file_that_was_changed_is_refused(story: Service) -> None:
    lines = exported(story).splitlines(keepends=True)
    for wrong in (
        b"".join([*lines[:2], *lines[3:]]),
        exported(story).replace(b'"p:engine"', b'"p:motor"', 1),
        b'{"format":"precedent-log/9"}\n' + b"".join(lines[1:]),
        b"[]\n" * 3,
    ):
        with pytest.raises(Usage):
            log_file.read(wrong, "shop.jsonl")


def imported(served: Service, path: Any, **who: Any) -> list[str]:
    target = InProcess(served, **{"project": "moved", "writer": "carol.mac", **who})
    outcome = moving.send(target, moving.plan(import_log.read(str(path), target)), lambda _: None)
    assert outcome.stopped is None
    return [one["status"] for one in outcome.results]


def test_another_project_records_it_anew_as_whoever_imports(story: Service, tmp_path: Any) -> None:
    path = tmp_path / "shop.jsonl"
    path.write_bytes(exported(story))
    assert imported(story, path) == ["recorded"] * 3
    assert imported(story, path, writer="dave.pc") == ["already_recorded"] * 3
    there = InProcess(story, project="moved")
    state = log_file.fetch(there, lambda _: None).state()
    assert {dot.writer for dot in state.entries} == {"carol.mac"}
    (conflict,) = there.get_of_project("/conflicts").body["conflicts"]
    assert {head["value"] for head in conflict["heads"]} == {"elastic", HOSTILE}
    told = {entry.decision["title"]: entry.decision for entry in state.entries.values()}
    assert told["S"]["date"] == "2024-05-06"
    refs = {ref["rel"]: ref["url"] for ref in told["E"]["refs"]}
    assert refs["recorded-by"] == "bob.desk"
    assert refs["precedent"].startswith("d_")


def test_what_was_moved_once_keeps_where_it_came_from_first(story: Service, tmp_path: Any) -> None:
    path = tmp_path / "shop.jsonl"
    path.write_bytes(exported(story))
    imported(story, path)
    found = log_file.fetch(InProcess(story, project="moved"), lambda _: None)
    path.write_bytes(found.text(found.state().digest))
    imported(story, path, project="again")
    again = log_file.fetch(InProcess(story, project="again"), lambda _: None).state()
    assert {e.id for e in again.entries.values()} == {e.id for e in found.state().entries.values()}


def test_its_own_export_is_not_recorded_anew(story: Service, tmp_path: Any) -> None:
    path = tmp_path / "shop.jsonl"
    path.write_bytes(exported(story))
    with pytest.raises(Refused, match="export of this very project"):
        imported(story, path, project="shop")


# ------------------------------------------------------------------------- the command


@pytest.fixture
def client(tmp_path: Any) -> Client:
    return Client(tmp_path)


def page(served: Service) -> Reply:
    return Reply(served.ask("export", "GET", PROJECT + "/log").body)


def test_to_a_file_or_to_stdout(story: Service, client: Client) -> None:
    with scripted(page(story)) as api:
        out = client("export", service=api)
        told = client("export", "shop.jsonl", "--json", service=api)
        again = client("export", "shop.jsonl", service=api)
    assert (out.code, told.code, again.code) == (0, 0, 0)
    written = (client.home / "shop.jsonl").read_bytes()
    assert written == out.out.encode()
    assert told.json["entries"] == 3
    assert told.json["digest"] in again.out


def test_what_is_in_the_way_stays(story: Service, client: Client) -> None:
    (client.home / "mine.txt").write_text("mine")
    with scripted(page(story)) as api:
        refused = client("export", "mine.txt", service=api)
        assert (client.home / "mine.txt").read_text() == "mine"
        forced = client("export", "mine.txt", "--force", service=api)
    assert (refused.code, forced.code) == (3, 0)
    assert "--force" in refused.err
    assert (client.home / "mine.txt").read_bytes().startswith(b'{"format"')


def test_a_service_that_fails_half_way_leaves_nothing(story: Service, client: Client) -> None:
    first = story.ask("export", "GET", PROJECT + "/log").body
    broken = Reply({"message": "no"}, 403)
    with scripted({**first, "more": True}, broken) as api:
        done = client("export", "shop.jsonl", service=api)
    assert done.code == 4
    assert not (client.home / "shop.jsonl").exists()


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"tenant": "a", "lines": [{}]},
        {"tenant": "a", "lines": [{"writer": "a", "seq": 1, "first": 1, "line": "{}"}]},
        {"tenant": "a", "lines": [], "more": True, "since": "x"},
    ],
)
def test_a_strange_answer_writes_nothing(client: Client, answer: Any) -> None:
    with scripted(answer) as api:
        done = client("export", "shop.jsonl", service=api)
    assert done.code == 5
    assert not (client.home / "shop.jsonl").exists()


def test_usage(client: Client, tmp_path: Any) -> None:
    assert client("export", "--json").code == 2
    assert client("import", "jsonl").code == 2
    (tmp_path / "x.jsonl").write_text("{}\n")
    with scripted({"tenant": "acme"}) as api:
        done = client("import", "jsonl", "x.jsonl", service=api)
        gone = client("import", "jsonl", "nowhere.jsonl", service=api)
    assert (done.code, gone.code) == (2, 2)
    assert "Nothing was recorded" in done.err
