"""The operator's program against a deployment: damage done to a real table and bucket, found and mended."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local.home import REPOSITORY, read_exports

from .conftest import Stack

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


def test_a_project_comes_back_from_a_copy_into_a_place_that_knows_nothing_of_it(
    project: Project, tmp_path: Path
) -> None:
    """A copy of the bucket on disk, and an empty bucket with empty tables."""
    s3 = project.stack.client("s3")
    bucket = project.stack.log_bucket
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket=bucket, Prefix=f"t/{project.tenant}/"
    )
    for item in (item for page in pages for item in page["Contents"]):
        path = tmp_path / item["Key"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(s3.get_object(Bucket=bucket, Key=item["Key"])["Body"].read())
    env = elsewhere(project.stack)
    code, out, err = project.admin("restore", str(tmp_path), env=env)
    assert code == 0, err
    assert "2 objects brought back" in out
    code, out, _ = project.admin("verify", "--json", env=env)
    told = json.loads(out)
    assert told["digest"]["equal"]
    assert told["entries"] == 2
    assert {finding["kind"] for finding in told["findings"]} == {"short-log"}, (
        "its writers are held"
    )
    before = json.loads(project.admin("verify", "--json")[1])
    assert told["digest"] == before["digest"]
    shutil.rmtree(tmp_path / "t")
    code, _, err = project.admin("restore", str(tmp_path), env=env)
    assert (code, "holds nothing" in err) == (3, True)


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
    names = {
        "LOG_BUCKET": project.stack.log_bucket,
        "ACCESS_TABLE": project.stack.access_table,
        "PROJECTION_TABLE": project.stack.projection_table,
    }
    asked = env if "PRECEDENT_STACK" in env else {**names, **env}
    found, _, err = project.admin("verify", env=asked)
    assert (found, said in err) == (code, True), err
    assert "Traceback" not in err
    assert project.kinds() == (0, set())
