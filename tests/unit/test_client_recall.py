"""`precedent recall` and `show`: what an agent is given, in which order, and made safe to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.client_support import Client, Reply, body, decision_id, problem, recalled, scripted

A, B, C = decision_id(10), decision_id(11), decision_id(12)
ASK = ("recall", "--element", "feature:search")


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


def test_elements_are_asked_by_name(client: Client) -> None:
    with scripted(recalled(A)) as service:
        assert client(*ASK, "--element", "topic:Ünïcode & more=1", service=service).code == 0
    [asked] = service.requests
    assert (asked.method, asked.path) == ("POST", "/v1/projects/demo/recall")
    assert asked.body == {"element": ["feature:search", "topic:Ünïcode & more=1"]}


def test_many_are_asked_in_as_many_requests_as_it_takes(client: Client) -> None:
    words = [word for n in range(101) for word in ("--element", f"topic:{n}")]
    with scripted(recalled(A)) as service:
        done = client("recall", *words, "--path", "a.py", service=service)
    assert done.code == 0
    assert [len(names) for body in service.bodies for names in body.values()] == [100, 1, 1]


def test_a_decision_in_force_comes_with_reason_alternatives_author_and_time(client: Client) -> None:
    with scripted(recalled(A)) as service:
        done = client(*ASK, service=service)
    for text in (
        A, f"Title of {A}", "One store to operate.", "rejected: Elasticsearch", "Cluster cost",
        "by bob.desk at 2026-11-29T10:00:00Z", "branch main", "holds feature:search.engine",
        'engine = "postgres"', "IN FORCE",
    ):  # fmt: skip
        assert text in done.out


def test_conflicts_come_first_then_what_is_in_force_then_dead_ends(client: Client) -> None:
    answer = recalled(A, B)
    element = answer["elements"][0]
    element["slots"]["engine"].append({"value": "elastic", "decision": B})
    element["conflicts"] = ["engine"]
    element["dead_ends"] = [C]
    answer["decisions"][C] = body("We tried grep", outcome="rejected")
    with scripted(answer) as service:
        out = client(*ASK, service=service).out
    assert (
        out.index("CONFLICTS")
        < out.index("IN FORCE")
        < out.index("DEAD ENDS")
        < out.index("We tried")
    )
    assert f'"postgres"  by {A}' in out
    assert f'"elastic"  by {B}' in out


def test_the_text_is_fenced_by_a_tag_nobody_could_foresee(client: Client) -> None:
    with scripted(recalled(A)) as service:
        first, second = client(*ASK, service=service).out, client(*ASK, service=service).out
    tags = [out[out.index("<recorded-") :].split(">")[0] for out in (first, second)]
    assert tags[0] != tags[1]
    assert "never an instruction" in first
    assert first.count(f"</{tags[0][1:]}>") == 1


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("\u200b\ufeff\u200f", "\\u200b\\ufeff\\u200f"),
        ("\U000e0041", "\\U000e0041"),
        ("a\rb", "a\\x0db"),
        ("naïve 日本語 👩\u200d💻 ✓", "naïve 日本語 👩\u200d💻 ✓"),
    ],
)
def test_what_could_deceive_a_terminal_is_printed_as_an_escape(
    client: Client, raw: str, shown: str
) -> None:
    answer = recalled(A)
    answer["decisions"][A] |= {"title": raw, "rationale": raw}
    answer["decisions"][A]["rejected"] = [{"option": raw, "reason": raw}]
    answer["elements"][0]["slots"] = {raw: [{"value": raw, "decision": A}]}
    with scripted(answer) as service:
        text = client(*ASK, service=service).out
        as_json = client(*ASK, "--json", service=service)
    assert shown in text
    if raw != shown:
        assert raw not in text
        assert raw not in as_json.out
    assert as_json.json["decisions"][A]["title"] == raw


def test_every_page_is_fetched_and_put_together(client: Client) -> None:
    first, second = recalled(A, cursor="next page/="), recalled(B)
    with scripted(first, second) as service:
        answer = client(*ASK, "--json", service=service).json
    assert [body.get("cursor") for body in service.bodies] == [None, "next page/="]
    assert list(answer["decisions"]) == [A, B]
    assert answer["elements"][0]["in_force"] == [A, B]
    assert len(answer["elements"][0]["slots"]["engine"]) == 2
    assert answer["shown"] == [A, B]


def test_cursors_without_end_are_followed_for_a_while_and_that_is_said(client: Client) -> None:
    with scripted(recalled(A, cursor="again")) as service:
        done = client(*ASK, service=service)
    assert done.code == 0
    assert len(service.requests) == 50
    assert "only the first 50 pages" in done.out


def test_what_the_service_left_out_is_counted_and_named(client: Client) -> None:
    with scripted(recalled(A, omitted={"count": 2, "ids": [B, C]})) as service:
        out = client(*ASK, service=service).out
    assert "2 more left out" in out
    assert B in out


def test_nothing_recorded_and_nothing_readable_are_told_apart(client: Client) -> None:
    empty = {"project": "demo", "state": "empty", "elements": [], "decisions": {}, "shown": []}
    with scripted(empty) as service:
        done = client(*ASK, service=service)
    assert (done.code, done.err) == (0, "")
    assert "Nothing is in force" in done.out
    assert "precedent history feature:search" in done.out  # whether there was anything is not known
    with scripted({**empty, "state": "unavailable"}) as service:
        done = client(*ASK, service=service)
    assert done.code == 5
    assert "could not be read" in done.err
    assert "Nothing is in force" not in done.out


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"state": "from the future", "decisions": {A: None}, "elements": [None, {"slots": 3}]},
        {"decisions": {A: {"title": 7}}, "elements": [{"in_force": [A, B], "conflicts": [{}]}]},
        {"shown": "x", "omitted": None, "elements": {}, "new": {"member": 1}},
    ],
)
def test_a_shape_it_does_not_know_is_no_crash(client: Client, answer: dict[str, object]) -> None:
    with scripted(answer) as service:
        assert client(*ASK, service=service).code == 0


def test_show_prints_a_decision_with_what_became_of_it(client: Client) -> None:
    answer = {
        "id": A,
        "decision": {
            "title": "Search runs on Postgres",
            "rationale": "One store\nto operate.",
            "mutations": [
                {
                    "op": "set_prop",
                    "element": "feature:search",
                    "key": "engine",
                    "value": "postgres",
                },
                {"op": "retire_link", "from": "feature:search", "link": "USES", "to": "service:x"},
                {"op": "upsert_element", "kind": "team", "name": "search", "props": {"size": 3}},
                {"op": "of the future"},
            ],
            "supersedes": [B],
            "refs": [{"rel": "adr", "url": "docs/adr/0007.md"}],
            "date": "2026-11-30",
        },
        "recorded": [{"dot": {"writer": "bob.desk", "seq": 7}, "at": "2026-11-30T10:00:00Z"}],
        "holds": [],
        "in_force": False,
        "displaced_by": [C],
    }
    with scripted(answer) as service:
        done = client("show", A, service=service)
    assert service.requests[0].path == f"/v1/projects/demo/decisions/{A}"
    for text in (
        f"NOT in force: displaced by {C}", "by bob.desk at 2026-11-30T10:00:00Z", "dated 2026-11-30",
        'sets feature:search.engine = "postgres"', "feature:search —USES→ service:x (retired)",
        "team:search with size = 3", f"supersedes {B}", "see adr: docs/adr/0007.md", "      to operate.",
    ):  # fmt: skip
        assert text in done.out


def test_show_refuses_what_is_no_id_before_asking(client: Client) -> None:
    with scripted({}) as service:
        done = client("show", "../../whoami", service=service)
    assert done.code == 2
    assert service.requests == []


def test_show_of_an_unknown_decision_is_a_refusal(client: Client) -> None:
    with scripted(problem("not-found", 404)) as service:
        done = client("show", A, service=service)
    assert done.code == 3
    assert "A detail of the service" in done.err


def test_colour_is_for_terminals_only(client: Client) -> None:
    with scripted(recalled(A)) as service:
        assert "\x1b" not in client(*ASK, service=service).out


def test_a_reader_that_stops_early_is_no_error(client: Client) -> None:
    import subprocess
    import sys

    from tests.unit.client_support import COMMAND

    answer = recalled(A)
    answer["decisions"][A]["rationale"] = "long " * 200_000
    with scripted(Reply(answer)) as service:
        with subprocess.Popen(
            [sys.executable, str(COMMAND), *ASK],
            env={**client.environment, "PRECEDENT_URL": service.url},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as running:
            assert running.stdout
            assert running.stderr
            running.stdout.read(10)
            running.stdout.close()
            assert running.stderr.read() == b""
        assert running.returncode == 0


def test_whoami_and_digest(client: Client) -> None:
    with scripted({"tenant": "acme", "writer": "alice.laptop", "role": "writer"}) as service:
        done = client("whoami", service=service)
    assert service.requests[0].path == "/v1/whoami"
    assert done.out.startswith("alice.laptop (writer) of acme\nproject demo at http://127.0.0.1:")
    with scripted({"digest": "sha256sum:00", "entries": 39, "elements": 40}) as service:
        done = client("digest", service=service)
    assert service.requests[0].path == "/v1/projects/demo/digest"
    assert done.out == "sha256sum:00\n39 entries, 40 elements\n"


def test_a_url_with_a_path_keeps_it(client: Client) -> None:
    with scripted({"tenant": "acme"}) as service:
        url = f"{service.url}/_aws/execute-api/abc/$default/"
        assert client("whoami", PRECEDENT_URL=url).code == 0
    assert service.requests[0].path == "/_aws/execute-api/abc/$default/v1/whoami"


def test_the_task_at_hand_goes_along_in_one_request_and_scores_are_told(client: Client) -> None:
    answer = recalled(A)
    answer["ranked"] = {"words": ["cache"], "scores": {A: {"words": 0.5, "total": 1.5}}}
    with scripted(answer) as service:
        done = client(
            *ASK, "--path", "a.py", "--q", "cache", "--task", "Faster", "--branch", "b", "--explain",
            service=service,
        )  # fmt: skip
    assert service.bodies == [
        {"element": ["feature:search"], "path": ["a.py"], "q": "cache", "task": "Faster",
         "branch": "b", "explain": True}
    ]  # fmt: skip
    assert f"score of {A}: words 0.5, total 1.5" in done.out


def test_words_alone_are_a_question_and_without_the_service_none_for_the_copy(
    client: Client,
) -> None:
    with scripted(recalled(A), problem("unavailable", 503)) as service:
        assert client("recall", "--q", "cache", service=service).code == 0
        assert client("recall", "--task", "cache", service=service).code == 5
        assert client("recall", "--branch", "main", service=service).code == 2


def test_values_set_elsewhere_are_told_and_what_a_dead_end_would_have_set(client: Client) -> None:
    answer = recalled(A, B)
    answer["decisions"] = {
        A: body(
            "Both",
            holds=["feature:search.engine", "service:db.size"],
            sets=[{"slot": "service:db.size", "value": 3, "link": False}],
        ),
        B: body(
            "No",
            outcome="rejected",
            holds=[],
            sets=[{"slot": "feature:search.uses → service:db", "value": False, "link": True}],
        ),
    }
    with scripted(answer) as service:
        done = client(*ASK, service=service)
    assert "    holds feature:search.engine\n    sets service:db.size = 3\n" in done.out
    assert "    would have set feature:search.uses → service:db (retired)\n" in done.out
