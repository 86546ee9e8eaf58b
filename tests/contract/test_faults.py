"""The AWS adapters when the store is slow, busy or unsure: the real clients, failing beneath their retries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from precedent.aws.items import items_of
from precedent.aws.log import S3Log, s3_client
from precedent.aws.projection import DynamoProjection
from precedent.element import Name
from precedent.entry import Body, Dot
from precedent.orset import Lost, Status
from precedent.ports import Bookmark, Item, Offset, StoreError
from precedent.rows import DirectoryRow, LiveRow

from tests.contract import wire
from tests.contract.conftest import Aws
from tests.contract.samples import SEARCH, body, status

ALICE = Dot("alice", 1)
SECRET = "what was decided"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """botocore does not wait between its attempts."""
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None))


@pytest.fixture
def log(aws: Aws, tenant: str) -> S3Log:
    return S3Log(aws.bucket, tenant, "shop", sleep=lambda _: None)


@pytest.fixture
def s3(aws: Aws) -> Iterator[wire.Wire]:
    with wire.tapped(s3_client()) as tapped:
        yield tapped


@pytest.fixture
def projection(aws: Aws, tenant: str) -> DynamoProjection:
    return DynamoProjection(aws.projection_table, "g1", tenant, "shop", sleep=lambda _: None)


@pytest.fixture
def dynamodb(aws: Aws) -> Iterator[wire.Wire]:
    client = items_of(aws.projection_table)._get_connection().connection.client
    with wire.tapped(client) as tapped:
        yield tapped


# ----------------------------------------------------------------------------------------- S3


def test_a_put_repeats_what_met_another_write_of_its_name(log: S3Log, s3: wire.Wire) -> None:
    s3.faults = [wire.s3_error(409, "ConditionalRequestConflict")] * 3
    assert log.put("alice", 1, b"mine\n")
    assert log.get("alice", 1) == b"mine\n"


def test_a_put_that_keeps_meeting_other_writes_gives_up(log: S3Log, s3: wire.Wire) -> None:
    s3.faults = [wire.s3_error(409, "ConditionalRequestConflict")] * 100
    with pytest.raises(StoreError):
        log.put("alice", 1, b"mine\n")
    s3.faults = []
    assert log.get("alice", 1) is None


@pytest.mark.parametrize(
    "fault",
    [wire.never_arrived, wire.s3_error(503, "SlowDown"), wire.s3_error(500, "InternalError")],
)
def test_a_put_that_did_not_happen_is_repeated(
    log: S3Log, s3: wire.Wire, fault: wire.Fault
) -> None:
    s3.faults = [fault]
    assert log.put("alice", 1, b"mine\n")
    assert len(s3.names) == 2


def test_a_put_whose_answer_was_lost_meets_itself(log: S3Log, s3: wire.Wire) -> None:
    s3.faults = [wire.applied_then_lost]
    assert not log.put("alice", 1, b"mine\n")
    assert log.get("alice", 1) == b"mine\n"


def test_a_put_with_no_answer_at_all_is_a_store_error(log: S3Log, s3: wire.Wire) -> None:
    s3.faults = [wire.applied_then_lost, wire.never_arrived, wire.never_arrived]
    with pytest.raises(StoreError) as raised:
        log.put("alice", 1, SECRET.encode())
    assert SECRET not in str(raised.value)
    # It was applied all the same, and the next to try finds that out.
    assert not log.put("alice", 1, SECRET.encode())


@pytest.mark.parametrize(
    "call",
    [
        lambda log: log.put("alice", 1, b""),
        lambda log: log.get("alice", 1),
        lambda log: log.first_after("alice", 0),
        lambda log: log.last("alice", 0),
        lambda log: list(log.writers()),
    ],
    ids=["put", "get", "first_after", "last", "writers"],
)
def test_what_the_log_may_not_do_is_never_an_empty_answer(
    log: S3Log, s3: wire.Wire, call: Callable[[S3Log], Any]
) -> None:
    s3.faults = [wire.s3_error(403, "AccessDenied")]
    with pytest.raises(StoreError, match="AccessDenied"):
        call(log)


# ----------------------------------------------------------------------------------- DynamoDB


@pytest.mark.parametrize(
    "fault",
    [
        wire.never_arrived,
        wire.applied_then_lost,
        wire.dynamodb_error(400, "ProvisionedThroughputExceededException"),
        wire.dynamodb_error(400, "ThrottlingException"),
        wire.dynamodb_error(500, "InternalServerError"),
    ],
    ids=["never arrived", "applied", "throughput", "throttling", "internal"],
)
def test_a_write_is_repeated_and_comes_to_the_same(
    projection: DynamoProjection, dynamodb: wire.Wire, fault: wire.Fault
) -> None:
    lost = Lost(SEARCH, "p:engine", Dot("bob", 7))
    dynamodb.faults = [wire.passes, fault]
    assert projection.put_status(status(ALICE)) == status(ALICE)
    dynamodb.faults = [fault]
    assert projection.add_lost(ALICE, [lost]).lost == {lost}
    dynamodb.faults = [fault]
    projection.put(LiveRow(SEARCH, "p:engine", ALICE, "d_1"))
    dynamodb.faults = [fault]
    assert projection.live(SEARCH) == [LiveRow(SEARCH, "p:engine", ALICE, "d_1")]
    dynamodb.faults = [fault]
    projection.delete(LiveRow(SEARCH, "p:engine", ALICE, "d_1"))
    assert projection.live(SEARCH) == []


def test_a_move_whose_answer_was_lost_has_moved(
    projection: DynamoProjection, dynamodb: wire.Wire
) -> None:
    dynamodb.faults = [wire.applied_then_lost]
    assert not projection.move_offset("alice", Offset(), Offset(1, "a" * 64))
    assert projection.offset("alice") == Offset(1, "a" * 64)


def test_unprocessed_keys_are_asked_for_until_all_are_there(
    projection: DynamoProjection, dynamodb: wire.Wire
) -> None:
    dots = [Dot("alice", seq) for seq in range(1, 121)]
    for dot in dots:
        projection.put_status(status(dot))
    dynamodb.requests.clear()
    dynamodb.faults = [
        wire.leaves_unprocessed(30),
        wire.leaves_unprocessed(0),
        wire.leaves_unprocessed(0),
        wire.leaves_unprocessed(69),
        wire.passes,
        wire.dynamodb_error(400, "ProvisionedThroughputExceededException"),
    ]
    assert projection.statuses(dots) == {dot: status(dot) for dot in dots}
    assert dynamodb.names == ["BatchGetItem"] * 7
    assert all(
        wanted["ConsistentRead"]
        for _, asked in dynamodb.requests
        for wanted in asked["RequestItems"].values()
    )


def test_keys_that_stay_unprocessed_are_a_store_error_not_absent(
    projection: DynamoProjection, dynamodb: wire.Wire
) -> None:
    projection.put_body(body("d_1", title=SECRET))
    dynamodb.faults = [wire.leaves_unprocessed(0)] * 100
    with pytest.raises(StoreError):
        projection.bodies(["d_1"])
    assert len(dynamodb.faults) > 80


@pytest.mark.parametrize(
    "call",
    [
        lambda there: there.put_body(body("d_1", title=SECRET)),
        lambda there: there.put_status(status(ALICE)),
        lambda there: there.add_lost(ALICE, []),
        lambda there: there.put(LiveRow(SEARCH, "p:a", ALICE, "d_1")),
        lambda there: there.delete(LiveRow(SEARCH, "p:a", ALICE, "d_1")),
        lambda there: there.move_offset("alice", Offset(), Offset(1, "a")),
        lambda there: there.live(SEARCH),
        lambda there: there.statuses([ALICE]),
        lambda there: there.bodies(["d_1"]),
        lambda there: there.dots("d_1"),
        lambda there: there.results("alice", "key"),
        lambda there: list(there.history(SEARCH)),
        lambda there: list(there.conflicts()),
        lambda there: list(there.quarantined()),
        lambda there: there.offset("alice"),
        lambda there: there.offsets(),
        lambda there: list(there.all_statuses()),
    ],
)
@pytest.mark.parametrize("refusal", ["AccessDeniedException", "ResourceNotFoundException"])
def test_what_the_projection_may_not_do_is_never_an_empty_answer(
    projection: DynamoProjection,
    dynamodb: wire.Wire,
    call: Callable[[DynamoProjection], Any],
    refusal: str,
) -> None:
    dynamodb.faults = [wire.dynamodb_error(400, refusal)]
    with pytest.raises(StoreError) as raised:
        call(projection)
    assert SECRET not in str(raised.value)


# ---------------------------------------------------------------------------- beside newer code


OFFSET = Offset(1, "a" * 64)
OLDER_WRITES: dict[str, tuple[Item, Callable[[DynamoProjection], Any]]] = {
    "status": (
        status(ALICE),
        lambda there: (
            there.put_status(status(ALICE)),
            there.add_lost(ALICE, [Lost(SEARCH, "p:engine", Dot("bob", 7))]),
        ),
    ),
    "text": (body("d_1"), lambda there: there.put_body(body("d_1"))),
    "hint": (
        LiveRow(SEARCH, "p:a", ALICE, "d_1"),
        lambda there: there.put(LiveRow(SEARCH, "p:a", ALICE, "d_1")),
    ),
    "directory": (
        DirectoryRow(SEARCH, "feature", Name("feature", "search")),
        lambda there: there.put(DirectoryRow(SEARCH, "feature", Name("feature", "Search"))),
    ),
    "offset": (
        Bookmark("alice", OFFSET),
        lambda there: (
            there.move_offset("alice", OFFSET, Offset(2, "b" * 64)),
            there.rewind("alice", Offset(2, "b" * 64), OFFSET),
        ),
    ),
}
"""An item, and all that code of this version ever writes to it again."""


@pytest.mark.parametrize(("item", "write_again"), OLDER_WRITES.values(), ids=OLDER_WRITES)
def test_an_item_newer_code_wrote_is_never_degraded(
    projection: DynamoProjection,
    aws: Aws,
    item: Item,
    write_again: Callable[[DynamoProjection], Any],
) -> None:
    match item:
        case Bookmark(writer, offset):
            assert projection.move_offset(writer, Offset(), offset)
        case _:
            write_again(projection)
    key = projection._keys.item(item)
    client = items_of(aws.projection_table)._get_connection().connection.client
    named: dict[str, Any] = {
        "TableName": aws.projection_table,
        "Key": {"pk": {"S": key.pk}, "sk": {"S": key.sk}},
    }
    newer = {"later": {"M": {"a": {"N": "1"}}}, "v": {"N": "2"}}
    client._make_api_call(
        "UpdateItem",
        {
            **named,
            "UpdateExpression": "SET later = :later, v = :v",
            "ExpressionAttributeValues": {f":{name}": value for name, value in newer.items()},
        },
    )
    write_again(projection)
    there = client._make_api_call("GetItem", named)["Item"]
    assert there.items() >= newer.items()
    assert item == projection_item(projection, item)


def projection_item(projection: DynamoProjection, item: Item) -> Item | None:
    """The same item as this code reads it, newer attributes or not."""
    match item:
        case Status():
            [there] = projection.statuses([item.dot]).values()
            return replace(there, lost=item.lost)
        case Body():
            return projection.bodies([item.id])[item.id]
        case LiveRow():
            return projection.live(item.element)[0]
        case DirectoryRow():
            [row] = projection.directory(item.kind, None)
            return replace(row, name=Name("feature", "search"))
        case Bookmark(writer, _):
            return Bookmark(writer, projection.offset(writer))
    return None
