"""The operator's program against a deployment: damage done to a real table and bucket, found and mended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from precedent.answers import Appended, DotAnswer
from precedent.append import Appender
from precedent.aws.access import Access
from precedent.aws.log import S3Log, s3_client
from precedent.aws.pointers import AccessPointers
from precedent.aws.wiring import now
from precedent.consume import Scope
from precedent.errors import LogTruncated, UnseenHead
from precedent.request import parse

from local.home import REPOSITORY, read_exports

from .conftest import Stack

PATIENCE_SECONDS = 60

FIRST, SECOND = "000000000001.jsonl", "000000000002.jsonl"


class Project:
    """A project with a few decisions, and the operator's program run on it."""

    def __init__(self, stack: Stack, tenant: str = "", name: str = "") -> None:
        self.stack = stack
        self.tenant, self.name = tenant or stack.new_name("acme"), name or stack.new_name("shop")
        if tenant:
            return
        self.token = stack.writer("alice.laptop", tenant=self.tenant)

    def record(self, value: str) -> Any:
        mutation = {"op": "set_prop", "element": "feature:search", "key": value, "value": value}
        body = {"decision": {"title": value, "rationale": "R", "mutations": [mutation]}}
        path = f"/v1/projects/{self.name}/decisions"
        return self.stack.http("POST", path, token=self.token, body=body)

    def admin(self, *arguments: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "PRECEDENT_"))}
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "admin",
                *arguments,
                "--tenant",
                self.tenant,
                "--project",
                self.name,
            ],
            cwd=REPOSITORY,
            env={**kept, **read_exports(self.stack.home.aws), **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def kinds(self) -> tuple[int, set[str]]:
        code, out, err = self.admin("verify", "--json")
        assert out, err
        return code, {finding["kind"] for finding in json.loads(out)["findings"]}

    def items(self, letter: str) -> list[dict[str, Any]]:
        table = self.stack.projection_table
        pages = self.stack.client("dynamodb").get_paginator("scan").paginate(TableName=table)
        mark = f"#{self.tenant}#{self.name}#{letter}"
        return [
            item
            for page in pages
            for item in page["Items"]
            if mark in f"{item['pk']['S']}#" and item["pk"]["S"].split("#")[3] == letter
        ]

    def put(self, item: dict[str, Any]) -> None:
        table = self.stack.projection_table
        self.stack.client("dynamodb").put_item(TableName=table, Item=item)

    def delete(self, items: list[dict[str, Any]]) -> None:
        for item in items:
            key = {"pk": item["pk"], "sk": item["sk"]}
            table = self.stack.projection_table
            self.stack.client("dynamodb").delete_item(TableName=table, Key=key)

    def object(self, name: str) -> Path:
        place = f"t/{self.tenant}/{self.name}/log/alice.laptop/{name}"
        [found] = [
            path
            for path in self.stack.home.objects.rglob(name)
            if path.as_posix().endswith(place) and ".versions" not in path.parts
        ]
        return found


def elsewhere(stack: Stack) -> dict[str, str]:
    """An empty bucket with empty tables, named as the operator's program is told."""
    name = stack.new_name("empty")
    stack.client("s3").create_bucket(Bucket=name)
    dynamodb = stack.client("dynamodb")
    described = dynamodb.describe_table(TableName=stack.projection_table)["Table"]
    tables = {"ACCESS_TABLE": f"{name}-access", "PROJECTION_TABLE": f"{name}-projection"}
    for table in tables.values():
        dynamodb.create_table(
            TableName=table,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=described["AttributeDefinitions"],
            KeySchema=described["KeySchema"],
        )
    return {"LOG_BUCKET": name, **tables}


@pytest.fixture
def project(stack: Stack) -> Project:
    project = Project(stack)
    for value in ("one", "two"):
        assert project.record(value).status == 201
    return project


def test_what_was_recorded_is_healthy(project: Project) -> None:
    code, out, _ = project.admin("verify")
    assert code == 0, out
    assert "2 entries of 1 writers" in out
    assert "equal" in out


@pytest.mark.parametrize("letter", ["E", "L", "H", "D", "N", "K", "O"])
def test_rows_lost_from_the_table_are_found_and_put_back(project: Project, letter: str) -> None:
    lost = project.items(letter)
    assert lost
    project.delete(lost)
    code, kinds = project.kinds()
    assert code == 1
    assert kinds & {"missing-row", "unlisted-entry", "stale-offset"}
    code, out, _ = project.admin("repair")
    assert code == 0, out
    assert project.kinds() == (0, set())


def test_a_rebuild_serves_and_leaves_nothing_of_the_old_generation(project: Project) -> None:
    old = {item["pk"]["S"].split("#")[0] for item in project.items("E")}
    code, out, err = project.admin("rebuild")
    assert code == 0, err
    assert "it serves now" in out
    assert project.kinds() == (0, set())
    assert not old & {item["pk"]["S"].split("#")[0] for item in project.items("E")}
    assert project.record("three").status == 201
    assert project.kinds() == (0, set())


def names_of(stack: Stack) -> dict[str, str]:
    return {
        "LOG_BUCKET": stack.log_bucket,
        "ACCESS_TABLE": stack.access_table,
        "PROJECTION_TABLE": stack.projection_table,
    }


def copied(project: Project) -> str:
    """A copy of the bucket, and of nothing else."""
    s3, bucket = project.stack.client("s3"), project.stack.log_bucket
    copy = project.stack.new_name("copy")
    s3.create_bucket(Bucket=copy)
    for item in s3.list_objects_v2(Bucket=bucket, Prefix=f"t/{project.tenant}/")["Contents"]:
        data = s3.get_object(Bucket=bucket, Key=item["Key"])["Body"].read()
        s3.put_object(Bucket=copy, Key=item["Key"], Body=data)
    return f"s3://{copy}"


def test_a_project_comes_back_from_a_copy_into_a_place_that_knows_nothing_of_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = elsewhere(project.stack)
    code, out, err = project.admin("restore", copied(project), env=empty)
    assert code == 0, err
    assert "2 objects brought back" in out
    assert "writer add alice.laptop.2" in out
    code, out, _ = project.admin("verify", "--json", env=empty)
    told = json.loads(out)
    assert told["digest"]["equal"]
    assert told["entries"] == 2
    assert {finding["kind"] for finding in told["findings"]} == {"short-log"}, (
        "its writers are held"
    )
    before = json.loads(project.admin("verify", "--json")[1])
    assert told["digest"] == before["digest"]
    _goes_on_under_a_fresh_name(project, empty, monkeypatch)


def _goes_on_under_a_fresh_name(
    project: Project, empty: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old name is refused, whatever its copy lacked; a new one reads, displaces and is shown."""
    for name, value in {**read_exports(project.stack.home.aws), **empty}.items():
        monkeypatch.setenv(name, value)
    scope = Scope(project.tenant, project.name)
    s3_client.cache_clear()
    log = S3Log(empty["LOG_BUCKET"], project.tenant, project.name)
    pointers = AccessPointers(
        Access(empty["ACCESS_TABLE"]), project.tenant, project.name, empty["PROJECTION_TABLE"]
    )
    mutation = {"op": "set_prop", "element": "feature:search", "key": "one", "value": "else"}
    content = {"title": "Else", "rationale": "R", "mutations": [mutation]}

    def record(writer: str, **verdicts: Any) -> Appended:
        body = json.dumps({"decision": content, "key": "k", **verdicts}).encode()
        return Appender(scope, writer, log, pointers, now).append(parse(body))

    with pytest.raises(LogTruncated):
        record("alice.laptop", on_unseen="branch")
    with pytest.raises(UnseenHead) as refused:
        record("alice.laptop.2")
    [unseen] = refused.value.members["unseen"]
    answer = record("alice.laptop.2", seen=[unseen["decision"]["id"]])
    assert answer.results[0].dot == DotAnswer("alice.laptop.2", 1)
    assert [gone.title for gone in answer.results[0].overruled] == ["one"]
    assert log.last("alice.laptop", 0) == log.last("alice.laptop", 1), "its own log did not move"


def test_a_copy_that_holds_nothing_is_told(project: Project, tmp_path: Path) -> None:
    code, _, err = project.admin("restore", str(tmp_path))
    assert (code, "holds nothing" in err) == (3, True)


def test_each_thing_that_is_wrong_is_named(project: Project) -> None:
    """What can go wrong with a bucket and a table, all at once."""
    stack, s3 = project.stack, project.stack.client("s3")
    prefix = f"t/{project.tenant}/{project.name}/log/"
    [offset] = project.items("O")
    project.put({**offset, "hash": {"S": "0" * 64}})
    assert project.record("forked").status == 201
    s3.put_object(
        Bucket=stack.log_bucket,
        Key=f"{prefix}alice.laptop/{5:012d}.jsonl",
        Body=b"rubbish\n",
        IfNoneMatch="*",
    )
    until = time.monotonic() + PATIENCE_SECONDS
    while project.items("O")[0]["seq"]["N"] != "5":
        assert time.monotonic() < until, "the projector never came"
        time.sleep(0.2)
    project.put(offset)
    s3.put_object(Bucket=stack.log_bucket, Key=f"{prefix}notes.txt", Body=b"x", IfNoneMatch="*")
    hint = next(item for item in project.items("L") if item["pk"]["S"].split("#L#")[1])
    project.put({**hint, "sk": {"S": "p:nothing#alice.laptop#000000000001"}})
    code, out, err = project.admin("verify", "--json")
    assert code == 1, err
    assert {finding["kind"] for finding in json.loads(out)["findings"]} >= {
        "forked-writer",
        "gap",
        "unreadable",
        "stray-object",
        "stale-hint",
        "stale-offset",
    }
    for finding in json.loads(out)["findings"]:
        assert finding["cost"]
        assert finding["mend"]


def test_two_rebuilds_at_once_do_not_harm(project: Project) -> None:
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(lambda _: project.admin("rebuild", "--keep-old"), range(2)))
    codes = sorted(code for code, _, _ in ended)
    assert codes in ([0, 0], [0, 1]), ended
    if codes == [0, 1]:
        [said] = [out for code, out, _ in ended if code]
        assert "another rebuild was first" in said
    code, out, _ = project.admin("repair", "--leftovers")
    assert code == 0, out
    assert project.kinds() == (0, set())


def test_a_project_that_does_not_exist_is_told_and_not_made(project: Project) -> None:
    project.name = project.stack.new_name("nowhere")
    code, out, err = project.admin("rebuild")
    assert (code, out) == (3, ""), err
    assert f"There is no project {project.name}" in err
    assert (
        project.stack.client("dynamodb")
        .get_item(
            TableName=project.stack.access_table,
            Key={"pk": {"S": f"P#{project.tenant}#{project.name}"}, "sk": {"S": "P"}},
        )
        .get("Item")
        is None
    )


@pytest.mark.parametrize("command", ["verify", "rebuild"])
def test_a_bucket_one_may_not_read_is_told_and_nothing_is_done(
    project: Project, command: str
) -> None:
    """With what the recall function may do: it reads the tables and not the log."""
    project.stack.http("GET", f"/v1/projects/{project.name}/digest", token=project.token)
    keys = project.stack.as_function("recall").get_credentials()
    assert keys is not None
    env = {
        **names_of(project.stack),
        "AWS_ACCESS_KEY_ID": keys.access_key,
        "AWS_SECRET_ACCESS_KEY": keys.secret_key,
        "AWS_SESSION_TOKEN": keys.token,
    }
    code, _, err = project.admin(command, env=env)
    assert code == 5
    assert "AccessDenied" in err
    assert "Traceback" not in err
    assert project.kinds() == (0, set())


@pytest.mark.parametrize(
    ("env", "code", "said"),
    [
        ({"PRECEDENT_STACK": "no-such-stack"}, 5, "no-such-stack"),
        ({"LOG_BUCKET": "no-such-bucket"}, 5, "no such table or bucket"),
        ({"PROJECTION_TABLE": "NoSuchTable"}, 0, ""),
        ({"ACCESS_TABLE": "NoSuchTable"}, 5, "access table"),
        ({"AWS_ACCESS_KEY_ID": "ASIAWRONG", "AWS_SECRET_ACCESS_KEY": "x"}, 5, ""),
    ],
)
def test_bad_input_is_told_and_nothing_is_done(
    project: Project, env: dict[str, str], code: int, said: str
) -> None:
    names = names_of(project.stack)
    asked = env if "PRECEDENT_STACK" in env else {**names, **env}
    found, _, err = project.admin("verify", env=asked)
    assert (found, said in err) == (code, True), err
    assert "Traceback" not in err
    assert project.kinds() == (0, set())
