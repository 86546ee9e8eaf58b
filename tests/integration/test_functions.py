"""The functions as deployed: the round trip, and everything that repairs a projection."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from precedent.append import Appender
from precedent.aws.access import Access
from precedent.aws.log import S3Log
from precedent.aws.pointers import AccessPointers
from precedent.aws.wiring import now
from precedent.consume import Scope
from precedent.packs import FEWEST, opened
from precedent.ports import Pointer, Projection, StoreError
from precedent.request import parse
from precedent.rows import COMPLETE

from local.home import read_exports

from .conftest import Answer, Stack

PATIENCE_SECONDS = 30


@dataclass(frozen=True)
class Shop:
    """A project of a test's own, with two writers."""

    stack: Stack
    tenant: str
    project: str
    alice: str
    bob: str

    @property
    def path(self) -> str:
        return f"/v1/projects/{self.project}"

    def record(self, token: str, decision: dict[str, Any], **request: Any) -> Answer:
        body = {"decision": decision, **request}
        return self.stack.http("POST", f"{self.path}/decisions", token=token, body=body)

    def recall(self, token: str) -> Any:
        answer = self.stack.http("GET", f"{self.path}/recall?element=feature:search", token=token)
        assert answer.status == 200, answer
        return answer.body

    def values(self) -> list[Any]:
        slots = self.recall(self.bob)["elements"][0]["slots"]
        return [head["value"] for head in slots.get("engine", [])]

    def digest(self) -> Any:
        return self.stack.http("GET", f"{self.path}/digest", token=self.alice).body

    def log(self) -> S3Log:
        return S3Log(self.stack.log_bucket, self.tenant, self.project, self.stack.client("s3"))

    def objects(self) -> list[str]:
        prefix = f"t/{self.tenant}/{self.project}/log/"
        answer = self.stack.client("s3").list_objects_v2(
            Bucket=self.stack.log_bucket, Prefix=prefix
        )
        return [item["Key"].removeprefix(prefix) for item in answer.get("Contents", [])]

    def put_raw(self, writer: str, first: int, data: bytes) -> None:
        assert self.log().put(writer, first, data)


@pytest.fixture
def shop(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Shop:
    # pynamodb takes no client: where the tests look at the projection, the environment tells it.
    for name, value in read_exports(stack.home.aws).items():
        monkeypatch.setenv(name, value)
    tenant = stack.new_name("acme")
    tokens = [stack.writer(name, tenant=tenant) for name in ("alice.laptop", "bob.desk")]
    return Shop(stack, tenant, stack.new_name("shop"), *tokens)


def engine(value: str, **more: Any) -> dict[str, Any]:
    mutation = {"op": "set_prop", "element": "feature:search", "key": "engine", "value": value}
    return {"title": f"Search runs on {value}", "rationale": "R", "mutations": [mutation], **more}


def eventually(check: Callable[[], bool]) -> None:
    """Wait for what an event brings about; fails when it does not come."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not check():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.2)


def append_unprojected(shop: Shop, writer: str, decision: dict[str, Any]) -> None:
    """What an append leaves behind that dies right after its PUT."""

    class Dead(AccessPointers):
        def open(self, pointer: Pointer) -> Any:
            projection = super().open(pointer)

            class NoWrites:
                def __getattr__(self, name: str) -> Any:
                    if name.startswith(("put", "add")):
                        raise StoreError("dead")
                    return getattr(projection, name)

            return NoWrites()

    access = Access(shop.stack.access_table, shop.stack.client("dynamodb"))
    place = (access, shop.tenant, shop.project, shop.stack.projection_table)
    begun = AccessPointers(*place)
    begun.open(begun.ensure("5a" * 16)).put(COMPLETE)
    pointers = Dead(*place)
    appender = Appender(Scope(shop.tenant, shop.project), writer, shop.log(), pointers, now)
    answer = appender.append(parse(json.dumps({"decision": decision}).encode()))
    assert not answer.projected


def test_what_one_writer_records_another_recalls(shop: Shop) -> None:
    answer = shop.record(shop.alice, engine("postgres"), circumstances={"branch": "main"})
    assert answer.status == 201
    assert answer.body["projected"] is True
    assert shop.objects() == ["alice.laptop/000000000001.jsonl"]
    recalled = shop.recall(shop.bob)
    (told,) = recalled["decisions"].values()
    assert (told["title"], told["rationale"]) == ("Search runs on postgres", "R")
    assert told["recorded"][0]["writer"] == "alice.laptop"
    assert told["recorded"][0]["branch"] == "main"
    assert shop.values() == ["postgres"]


def test_nobody_overrules_what_they_have_not_read(shop: Shop) -> None:
    first = shop.record(shop.alice, engine("elastic")).body["results"][0]["id"]
    refused = shop.record(shop.bob, engine("postgres"))
    assert refused.status == 409
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.body["type"] == "urn:precedent:error:unseen-head"
    (unseen,) = refused.body["unseen"]
    assert (unseen["slot"], unseen["value"]) == ("engine", "elastic")
    assert unseen["decision"]["rationale"] == "R"
    assert shop.values() == ["elastic"]
    accepted = shop.record(shop.bob, engine("postgres"), overrule=[first])
    assert accepted.status == 201
    (overruled,) = accepted.body["results"][0]["overruled"]
    assert (overruled["id"], overruled["slots"], overruled["by"]) == (first, ["engine"], "overrule")
    assert shop.values() == ["postgres"]


def test_a_project_begins_with_its_first_entry(shop: Shop) -> None:
    refused = shop.record(shop.alice, engine("postgres", supersedes=["d_" + "0" * 24]))
    assert (refused.status, refused.body["type"]) == (409, "urn:precedent:error:unknown-decision")
    assert shop.recall(shop.bob)["state"] == "empty"
    assert shop.objects() == []


def test_a_repeated_key_is_answered_with_its_first_result(shop: Shop) -> None:
    first = shop.record(shop.alice, engine("postgres"), key="k1")
    again = shop.record(shop.alice, engine("postgres"), key="k1", on_unseen="branch")
    assert (first.status, again.status) == (201, 201)
    assert again.body["results"] == first.body["results"]
    other = shop.record(shop.alice, engine("sqlite"), key="k1")
    assert (other.status, other.body["type"]) == (409, "urn:precedent:error:key-reused")
    assert len(shop.objects()) == 1


def test_the_event_projects_what_the_append_could_not(shop: Shop) -> None:
    append_unprojected(shop, "alice.laptop", engine("postgres"))
    eventually(lambda: shop.values() == ["postgres"])


def test_the_sweep_projects_what_no_event_told_of(shop: Shop) -> None:
    shop.record(shop.alice, engine("postgres"))
    projection = _projection(shop)
    before = projection.offset("alice.laptop")
    dynamodb = shop.stack.client("dynamodb")
    _empty(shop)
    assert shop.recall(shop.bob)["state"] == "unavailable"
    shop.stack.invoke("sweep", {})
    assert shop.values() == ["postgres"]
    assert _projection(shop).offset("alice.laptop") == before
    assert dynamodb.describe_table(TableName=shop.stack.projection_table)


def test_nobody_records_over_a_projection_that_was_lost(shop: Shop) -> None:
    shop.record(shop.alice, engine("elastic"))
    _empty(shop)
    refused = shop.record(shop.bob, engine("postgres"))
    assert (refused.status, refused.body["type"]) == (503, "urn:precedent:error:unavailable")
    assert len(shop.objects()) == 1
    shop.stack.invoke("sweep", {})
    assert shop.record(shop.bob, engine("postgres")).status == 409


def test_a_lost_projection_is_rebuilt_to_the_same_digest(shop: Shop) -> None:
    first = shop.record(shop.alice, engine("elastic")).body["results"][0]["id"]
    second = engine("postgres", supersedes=[first])
    shop.record(shop.bob, second)
    shop.record(shop.alice, engine("sqlite"), on_unseen="branch")
    before = shop.digest()
    assert before["entries"] == 3
    _empty(shop)
    assert shop.recall(shop.bob)["state"] == "unavailable"
    rebuilt = shop.stack.invoke("rebuild", {"tenant": shop.tenant, "project": shop.project})
    assert rebuilt["flipped"] is True
    assert shop.digest() == before
    assert sorted(shop.values()) == ["postgres", "sqlite"]
    again = shop.record(shop.bob, second)
    assert again.body["results"][0]["status"] == "already_in_force"


def test_an_append_after_a_rebuild_lands_in_the_new_generation(shop: Shop) -> None:
    shop.record(shop.alice, engine("elastic"))
    shop.stack.invoke("rebuild", {"tenant": shop.tenant, "project": shop.project})
    first = next(iter(shop.recall(shop.bob)["decisions"]))
    shop.record(shop.bob, engine("postgres"), seen=[first])
    assert shop.values() == ["postgres"]


def test_one_bad_object_hides_nothing_else(shop: Shop) -> None:
    shop.record(shop.alice, engine("elastic"))
    shop.put_raw("alice.laptop", 2, b"\x00 not a line of this log\n")
    first = next(iter(shop.recall(shop.bob)["decisions"]))
    answer = shop.record(shop.alice, engine("postgres"), seen=[first])
    assert answer.status == 201
    assert answer.body["results"][0]["dot"]["seq"] == 3
    assert shop.values() == ["postgres"]
    eventually(lambda: [row.dot.seq for row in _projection(shop).quarantined()] == [2])


def test_a_message_that_is_no_wake_up_is_dropped_and_a_failing_one_comes_again(
    stack: Stack,
) -> None:
    records = [
        {"messageId": "1", "body": "{}", "eventSource": "aws:sqs"},
        {"messageId": "2", "body": "not json", "eventSource": "aws:sqs"},
    ]
    answer = stack.invoke("projector", {"Records": records})
    assert answer == {"batchItemFailures": [{"itemIdentifier": "2"}]}


def _projection(shop: Shop) -> Projection:
    access = Access(shop.stack.access_table, shop.stack.client("dynamodb"))
    pointers = AccessPointers(access, shop.tenant, shop.project, shop.stack.projection_table)
    pointer = pointers.read()
    assert pointer is not None
    return pointers.open(pointer)


def _empty(shop: Shop) -> None:
    """Lose this project's part of the projection table."""
    dynamodb = shop.stack.client("dynamodb")
    table = shop.stack.projection_table
    for page in dynamodb.get_paginator("scan").paginate(TableName=table):
        for item in page["Items"]:
            if f"#{shop.tenant}#{shop.project}#" in item["pk"]["S"]:
                dynamodb.delete_item(TableName=table, Key={"pk": item["pk"], "sk": item["sk"]})


def test_a_packed_project_is_rebuilt_out_of_its_packs(shop: Shop) -> None:
    for number in range(FEWEST):
        assert shop.record(shop.alice, engine("postgres", title=f"No. {number}")).status == 201
    packed = shop.stack.invoke("pack", {})
    assert packed["made"] >= 1
    assert packed["complete"] is True
    prefix = f"t/{shop.tenant}/{shop.project}/packs/alice.laptop/"
    s3, bucket = shop.stack.client("s3"), shop.stack.deployed.pack_bucket
    [listed] = s3.list_objects_v2(Bucket=bucket, Prefix=prefix)["Contents"]
    name = listed["Key"].removeprefix(prefix)
    assert (
        len(opened(name, s3.get_object(Bucket=bucket, Key=listed["Key"])["Body"].read())) == FEWEST
    )
    before = shop.digest()
    scope = {"tenant": shop.tenant, "project": shop.project}
    assert shop.stack.invoke("rebuild", scope)["swept"]["entries"] == FEWEST
    assert shop.digest() == before
    s3.put_object(Bucket=bucket, Key=listed["Key"], Body=b"rubbish")
    assert shop.stack.invoke("rebuild", scope)["flipped"] is True
    assert shop.digest() == before
    assert shop.stack.invoke("pack", {})["corrupt"] == 1


def test_the_state_machine_rebuilds_in_shares(shop: Shop) -> None:
    """The definition as deployed, its distributed map and each of its functions, on the local AWS."""
    for number in range(FEWEST):
        assert shop.record(shop.alice, engine("postgres", title=f"No. {number}")).status == 201
    shop.record(shop.bob, engine("elastic"), on_unseen="branch")
    shop.stack.invoke("pack", {})
    before, recalled = shop.digest(), shop.recall(shop.bob)
    states = shop.stack.client("stepfunctions")
    [machine] = [
        one["stateMachineArn"]
        for one in states.list_state_machines()["stateMachines"]
        if one["name"] == "precedent-rebuild"
    ]
    event = json.dumps({"tenant": shop.tenant, "project": shop.project})
    arn = states.start_execution(stateMachineArn=machine, input=event)["executionArn"]
    eventually(lambda: states.describe_execution(executionArn=arn)["status"] != "RUNNING")
    execution = states.describe_execution(executionArn=arn)
    assert execution["status"] == "SUCCEEDED", execution
    assert json.loads(execution["output"])["flipped"] is True
    assert states.list_map_runs(executionArn=arn)["mapRuns"]
    assert shop.digest() == before
    assert shop.recall(shop.bob) == recalled
    assert shop.record(shop.alice, engine("sqlite"), on_unseen="branch").status == 201


def test_the_steps_of_a_rebuild_each_by_itself_and_done_twice(shop: Shop) -> None:
    for value in ("postgres", "elastic"):
        shop.record(shop.alice, engine(value), on_unseen="branch")
    before = shop.digest()
    scope = {"tenant": shop.tenant, "project": shop.project}
    plan = shop.stack.invoke("rebuild", {**scope, "step": "plan"})["plan"] | {"shares": 3}
    for _ in range(2):
        built = [
            shop.stack.invoke("rebuildshare", {"plan": plan, "share": share}) for share in range(3)
        ]
    shop.record(shop.bob, engine("sqlite"), on_unseen="branch")
    finish = {**scope, "step": "finish", "plan": plan, "built": built}
    for _ in range(2):
        assert shop.stack.invoke("rebuild", finish)["flipped"] is True
    assert shop.digest()["entries"] == before["entries"] + 1
    assert shop.stack.invoke("rebuild", scope)["flipped"] is True
