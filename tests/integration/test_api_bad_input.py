"""Bad input over HTTP: the stated refusal, and nothing written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

INVALID, TOO_LARGE = "invalid", "too-large"
ATTACH = {"op": "upsert_element", "kind": "feature", "name": "search"}


@dataclass(frozen=True)
class Project:
    """A project of the test's own, and what its log holds."""

    stack: Any
    tenant: str
    token: str
    name: str

    def ask(self, method: str, path: str, **request: Any) -> Any:
        return self.stack.http(
            method, f"/v1/projects/{self.name}{path}", token=self.token, **request
        )

    def send(self, body: object) -> Any:
        return self.ask("POST", "/decisions", body=body)

    def objects(self) -> list[str]:
        found = self.stack.client("s3").list_objects_v2(
            Bucket=self.stack.log_bucket, Prefix=f"t/{self.tenant}/{self.name}/"
        )
        return [each["Key"] for each in found.get("Contents", [])]


@pytest.fixture(scope="module")
def shared(stack: Any) -> Project:
    tenant = stack.new_name("acme")
    return Project(stack, tenant, stack.writer("alice.laptop", tenant=tenant), "shop")


@pytest.fixture
def project(shared: Project) -> Iterator[Project]:
    """Whatever a test sends here, nothing is written."""
    before = shared.objects()
    yield shared
    assert shared.objects() == before


@pytest.fixture
def fresh(shared: Project) -> Project:
    return Project(shared.stack, shared.tenant, shared.token, shared.stack.new_name("shop"))


def decision(**fields: Any) -> dict[str, Any]:
    return {"title": "T", "mutations": [ATTACH], **fields}


def request(**fields: Any) -> bytes:
    return json.dumps({"decision": decision(**fields)}, ensure_ascii=False).encode()


def prop(value: str) -> bytes:
    """A request whose value stands as written, JSON or not."""
    sent = request(mutations=[{"op": "set_prop", "element": "a:b", "key": "k", "value": "?"}])
    return sent.replace(b'"?"', value.encode())


def refused(answer: Any, name: str) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json", answer
    assert answer.body["type"] == f"urn:precedent:error:{name}"
    assert answer.body["status"] == answer.status
    assert answer.body["request_id"]
    body: dict[str, Any] = answer.body
    return body


@pytest.mark.parametrize("wide", ["x", "é", "\U0001f600"])
def test_a_request_of_1_mib(fresh: Project, wide: str) -> None:
    limit = 1024 * 1024
    start = json.dumps({"decision": decision(title=wide)}, ensure_ascii=False).encode()
    for size in (limit + 1, limit, limit - 1):
        answer = fresh.send(start + b" " * (size - len(start)))
        if size > limit:
            body = refused(answer, TOO_LARGE)
            assert (body["limit"], body["size"], fresh.objects()) == (limit, size, [])
        else:
            assert answer.status in (200, 201)


def test_circumstances_of_8_kib(fresh: Project) -> None:
    for extra in (1, 0, -1):
        circumstances = {"agent": "é", "files": ["f" * 1000] * 8}
        size = len(json.dumps(circumstances, separators=(",", ":"), ensure_ascii=False).encode())
        circumstances["branch"] = ""
        size += len(',"branch":""')
        circumstances["branch"] = "b" * (8192 + extra - size)
        answer = fresh.send({"decision": decision(), "circumstances": circumstances})
        if extra > 0:
            assert refused(answer, TOO_LARGE)["field"] == "/circumstances"
            assert fresh.objects() == []
        else:
            assert answer.status in (200, 201), answer


@pytest.mark.parametrize("count", [101, 100, 99])
def test_100_decisions(fresh: Project, count: int) -> None:
    answer = fresh.send({"decisions": [decision(title=f"é{n}") for n in range(count)]})
    if count > 100:
        assert refused(answer, TOO_LARGE)["field"] == "/decisions"
        assert fresh.objects() == []
    else:
        assert answer.status == 201
        assert len(answer.body["results"]) == count
        assert len(fresh.objects()) == 1


def test_a_decision_of_64_kib_of_multibyte_text(project: Project) -> None:
    long = [{"option": "é" * 1000, "reason": "é" * 1000}] * 17
    body = refused(project.send(request(rejected=long)), TOO_LARGE)
    assert (body["field"], body["limit"], body["unit"]) == ("/decision", 65536, "bytes")


@pytest.mark.parametrize("depth", [21, 200, 10_000, 100_000])
def test_deep_json(project: Project, depth: int) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        inner = "1" if opening != "[" else ""
        refused(project.send(prop(opening * depth + inner + closing * depth)), TOO_LARGE)


@pytest.mark.parametrize(
    "value",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1.5",
        "1.0",
        "1e3",
        "9007199254740992",
        "9007199254740993",
        "-9007199254740992",
        "1" * 5000,
        '"a\\u0000b"',
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\u0378"',
        '{"a": 1, "a": 2}',
        '"unterminated',
        "'single'",
        "01",
        "[1,]",
        "{}",
        "[1]",
        "[null]",
        '[["a"]]',
    ],
)
def test_values_that_are_none(project: Project, value: str) -> None:
    refused(project.send(prop(value)), INVALID)


@pytest.mark.parametrize("value", ["9007199254740991", "-9007199254740991", "0", "null", "[]"])
def test_values_at_the_edge(fresh: Project, value: str) -> None:
    assert fresh.send(prop(value)).status == 201


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b'"x"',
        b"{}",
        b"\xff\xfe{}",
        b'\xef\xbb\xbf{"decision": {}}',
        b'{"decision": null}',
        b'{"decision": {}}',
        b'{"decision": {"title": "T"}}',
        b'{"decisions": []}',
        b'{"decision": {"title": "T", "title": "T", "supersedes": ["d_000000000000000000000000"]}}',
        b'{"key": "\xed\xa0\x80"}',
    ],
)
def test_bodies_that_are_no_request(project: Project, body: bytes) -> None:
    refused(project.send(body), INVALID)


@pytest.mark.parametrize(
    "name",
    ["", " ", "\u00a0", "\u3000\u2003", "\t\n", "a\u0000b", "a\u001bb", "\u0378"],
)
def test_names_that_are_none(project: Project, name: str) -> None:
    """Empty once normalised, or holding what no name may hold."""
    refused(project.send(request(mutations=[{**ATTACH, "name": name}])), INVALID)
    refused(project.send(request(mutations=[{**ATTACH, "kind": name}])), INVALID)


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Zürich", "Zu\u0308rich"),
        ("İstanbul", "i\u0307stanbul"),
        ("STRASSE", "straße"),
        ("search\u00a0", " SEARCH "),
        ("product  search", "product\u00a0search"),
        ("ﬁle", "file"),
        ("検索", "検索"),
        ("खोज", "खोज"),
        ("بحث", "بحث"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("가", "\u1100\u1161"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("a/b?c#d%e&f", "a/b?c#d%e&f"),
        ("a:b", "a:b"),
    ],
)
def test_names_of_every_script_meet(fresh: Project, written: str, asked: str) -> None:
    answer = fresh.send(request(mutations=[{**ATTACH, "name": written}]))
    assert answer.status == 201, answer
    found = fresh.ask("POST", "/recall", body={"element": [f"FEATURE:{asked}"]})
    assert found.body["state"] == "ok"
    assert found.body["elements"][0]["name"] == written.strip()


def test_two_decisions_on_one_slot(project: Project) -> None:
    sets = {"op": "set_prop", "element": "feature:search", "key": "engine"}
    both = [decision(title=value, mutations=[{**sets, "value": value}]) for value in ("one", "two")]
    body = refused(project.send({"decisions": both}), "slot-set-twice")
    assert (body["index"], body["element"], body["slot"]) == (1, "feature:search", "p:engine")
    within = decision(mutations=[{**sets, "value": value} for value in ("one", "two")])
    assert refused(project.send({"decision": within}), INVALID)["field"].startswith("/decision")


@pytest.mark.parametrize(
    ("supersedes", "status", "name"),
    [
        (["d_" + "0" * 24], 409, "unknown-decision"),
        (["d_" + "0" * 24] * 2, 422, INVALID),
        (["d_0"], 422, INVALID),
        (["d_" + "A" * 24], 422, INVALID),
        (["d_" + "0" * 24 + "\n"], 422, INVALID),
        ([7], 422, INVALID),
        ("d_" + "0" * 24, 422, INVALID),
    ],
)
def test_superseding_what_is_not_there(
    project: Project, supersedes: object, status: int, name: str
) -> None:
    answer = project.send(request(supersedes=supersedes))
    assert answer.status == status
    refused(answer, name)


def test_superseding_oneself_names_an_id_that_can_not_be_known(project: Project) -> None:
    """An id is a hash of the decision, `supersedes` included: a decision cannot hold its own."""
    sent = decision(title="Ouroboros")
    known = project.stack.http(
        "POST",
        f"/v1/projects/{project.stack.new_name('other')}/decisions",
        token=project.token,
        body={"decision": sent},
    ).body["results"][0]["id"]
    body = refused(project.send({"decision": {**sent, "supersedes": [known]}}), "unknown-decision")
    assert body["unknown"] == [known]


@pytest.mark.parametrize("text", ["AKIA" + "IOSFODNN7EXAMPLQ", "-----BEGIN RSA PRIVATE KEY-----"])
def test_a_secret_is_not_repeated(project: Project, text: str) -> None:
    answer = project.send(request(rationale=f"Use {text} for it"))
    body = refused(answer, "secret")
    assert text not in json.dumps(answer.body)
    assert body["field"] == "/decision/rationale"


@pytest.mark.parametrize(
    "name", ["Shop", "-shop", "s" * 65, "sh%20op", "sh%00op", "sh%0Aop", "sh%C3%BCp", "sh%23op"]
)
def test_projects_that_are_none(project: Project, name: str) -> None:
    for method, path, body in (
        ("POST", "decisions", {"decision": decision()}),
        ("GET", "recall?element=a:b", None),
        ("GET", "elements", None),
    ):
        answer = project.stack.http(
            method, f"/v1/projects/{name}/{path}", token=project.token, body=body
        )
        assert refused(answer, INVALID)["field"] == "/project"


@pytest.mark.parametrize(
    "path",
    [
        "/recall",
        "/recall?element=",
        "/recall?element=feature",
        "/recall?element=:x",
        "/recall?element=a:b&path=/etc/passwd",
        "/recall?path=..%2Fx",
        "/recall?path=C:%5Cx",
        "/recall?path=a%00b",
        "/recall?element=a:%00",
        "/recall?q=the+of",
        "/recall?element=a:b&q=" + "+".join(["word"] * 400),
        "/recall?task=",
        "/recall?task=" + "t" * 8001,
        "/recall?branch=main",
        "/recall?q=cache&as_of=2026-01-01",
        "/recall?element=a:b&explain=maybe",
        "/recall?element=a:b&budget=999",
        "/recall?element=a:b&budget=100001",
        "/recall?element=a:b&budget=1.5",
        "/recall?element=a:b&budget=",
        "/recall?element=a:b&unknown=1",
        "/recall?element=a:b&cursor=x",
        "/recall?element=a:b&cursor=%00",
        "/recall?element=a:b&cursor=" + "A" * 9000,
        "/recall?" + "&".join(["element=a:b"] * 101),
        "/search",
        "/search?q=",
        "/search?q=the+of+how",
        "/search?q=-a+-b+%22%22+kind:x",
        "/search?q=***",
        "/search?q=" + "+".join(["word"] * 1500),
        "/search?q=a1+since:yesterday",
        "/search?q=a1+path:..%2Fx",
        "/search?q=a%00b",
        "/search?q=cache&include=everything",
        "/search?q=cache&limit=0",
        "/search?q=cache&limit=51",
        "/search?q=cache&explain=2",
        "/search?q=cache&unknown=1",
        "/elements?kind=",
        "/elements?kind=" + "k" * 65,
        "/elements?limit=5",
        "/elements/el_0",
        "/elements/el_" + "0" * 20 + "%0A",
        "/elements/el_" + "G" * 20 + "/history",
        "/decisions/d_%00",
        "/decisions/d_" + "0" * 24 + "%0A",
        "/conflicts?cursor=e30",
        "/changes?since=0",
        "/changes?cursor=x",
        "/digest?x",
    ],
)
def test_questions_that_are_none(project: Project, path: str) -> None:
    answer = project.ask("GET", path)
    assert answer.status == 422, answer
    assert answer.body["type"] in (
        f"urn:precedent:error:{INVALID}",
        f"urn:precedent:error:{TOO_LARGE}",
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"{",
        b'{"element": []}',
        b'{"element": "a:b"}',
        b'{"element": [1]}',
        b'{"element": ["a:b"], "more": 1}',
        b'{"element": ["a:b"], "budget": "much"}',
        b'{"element": ["a:\\ud800"]}',
        b'{"path": ["\\u0000"]}',
        b'{"element": ["a:b"], "cursor": "\xff"}',
        b'{"path": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    ],
)
def test_recalls_that_are_none(project: Project, body: bytes) -> None:
    answer = project.ask("POST", "/recall", body=body, headers={"Content-Type": "application/json"})
    refused(answer, INVALID)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_url_of_ten_thousand_bytes(project: Project, method: str) -> None:
    """The gateway may refuse it by itself; nobody answers with an error of their own."""
    path = "/recall?element=a:b&path=" + "a" * 10_240
    answer = project.ask(method, path, body={"element": ["a:b"]} if method == "POST" else None)
    assert answer.status in (200, 400, 414, 422, 431), answer
