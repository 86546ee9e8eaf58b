"""What a long history costs: how large items get, and which requests projecting and reading take."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from precedent.aws.items import items_of
from precedent.aws.projection import DynamoProjection
from precedent.element import property_slot
from precedent.entry import Dot
from precedent.live import read_live
from precedent.orset import digest
from precedent.ports import Offset
from precedent.project import project

from tests.contract import wire
from tests.contract.conftest import Aws
from tests.contract.samples import SEARCH, arrived

ITEM_BYTES = 1024
"""No item of these small decisions may be larger, however many there are."""

DIGITS = 16
"""A later seq is written in more digits, and deflated text differs by a few bytes."""


@pytest.fixture
def projection(aws: Aws, tenant: str) -> DynamoProjection:
    return aws.projection(tenant, "shop")


@pytest.fixture
def dynamodb(aws: Aws) -> Iterator[wire.Wire]:
    client = items_of(aws.projection_table)._get_connection().connection.client
    with wire.tapped(client) as tapped:
        yield tapped


@pytest.mark.parametrize(
    ("recorded", "in_force"), [(60, 30), pytest.param(1000, 500, marks=pytest.mark.prove)]
)
def test_a_long_history(
    aws: Aws,
    tenant: str,
    projection: DynamoProjection,
    dynamodb: wire.Wire,
    recorded: int,
    in_force: int,
) -> None:
    def record(seqs: range) -> dict[str, int]:
        for seq in seqs:
            gone = [Dot("alice", seq - in_force)] if seq > in_force else []
            line = arrived(Dot("alice", seq), f"value {seq}", f"key {seq % in_force}", gone)
            project(projection, line)
        return largest_items(aws, tenant)

    shorter = record(range(1, recorded * 3 // 4))
    longer = record(range(recorded * 3 // 4, recorded + 1))
    assert max(longer.values()) < ITEM_BYTES
    assert {kind for kind in longer if longer[kind] > shorter[kind] + DIGITS} == set()
    assert len(list(projection.history(SEARCH))) == recorded

    # As recall does: what is live, then the statuses and bodies of what it shows on a page.
    dynamodb.requests.clear()
    rows = projection.live(SEARCH)
    shown = rows[:100]
    statuses = projection.statuses({row.dot for row in shown})
    bodies = projection.bodies({row.decision for row in shown})
    assert dynamodb.names == ["Query", "BatchGetItem", "BatchGetItem"]
    assert len(rows) == in_force
    assert len(statuses) == len(bodies) == len(shown)
    assert all(row.holds(statuses[row.dot]) for row in shown)


def test_the_requests_of_projecting_an_entry_of_one_slot(
    projection: DynamoProjection, dynamodb: wire.Wire
) -> None:
    first = ["UpdateItem"] * 4  # key, body, partition of statuses, status
    rows = ["UpdateItem"] * 3  # history, decision → dot, directory
    search = ["BatchWriteItem", "BatchGetItem"]  # terms; which words are known
    words = ["BatchWriteItem"] * 2  # words nobody wrote before
    live = ["UpdateItem", "Query", "BatchGetItem"]  # the live row, and its slot read again

    project(projection, arrived(Dot("alice", 1)))
    assert dynamodb.names == first + rows + search + words + live

    dynamodb.requests.clear()
    project(projection, arrived(Dot("alice", 2), displaces=[Dot("alice", 1)]))
    lost = ["UpdateItem", "DeleteItem", "DeleteItem"]  # lost, its live row, its conflict row
    shelved = ["BatchGetItem", "BatchWriteItem"]  # its text, and its terms to another shelf
    assert dynamodb.names == first[1:] + rows + search + live + lost + shelved

    dynamodb.requests.clear()
    assert projection.move_offset("alice", Offset(), Offset(2, "a" * 64))
    assert dynamodb.names == ["UpdateItem"]


def test_heads_conflicts_and_digest_never_read_a_text(
    projection: DynamoProjection, dynamodb: wire.Wire
) -> None:
    project(projection, arrived(Dot("alice", 1), "postgres"))
    project(projection, arrived(Dot("bob", 1), "elastic"))
    dynamodb.requests.clear()
    assert len(read_live(projection, SEARCH, property_slot("engine"))) == 2
    assert [row.dot for row in projection.conflicts()] == [Dot("bob", 1)]
    assert digest(projection.all_statuses()).entries == 2
    assert projection.dots(arrived(Dot("bob", 1), "elastic").entry.decision[0]) == [Dot("bob", 1)]
    assert not any(reads_a_text(name, request) for name, request in dynamodb.requests)
    projection.bodies(["d_1"])
    assert reads_a_text(*dynamodb.requests[-1])


def test_every_read_is_consistent(projection: DynamoProjection, dynamodb: wire.Wire) -> None:
    project(projection, arrived(Dot("alice", 1)))
    dynamodb.requests.clear()
    read_live(projection, SEARCH)
    projection.bodies(["d_1"])
    projection.dots("d_1")
    projection.results("alice", "key")
    projection.offset("alice")
    projection.offsets()
    for reading in (
        projection.history(SEARCH),
        projection.conflicts(),
        projection.quarantined(),
        projection.all_statuses(),
    ):
        list(reading)
    for _, request in dynamodb.requests:
        asked = (
            request
            if "RequestItems" not in request
            else next(iter(request["RequestItems"].values()))
        )
        assert asked["ConsistentRead"] is True


def reads_a_text(name: str, request: Any) -> bool:
    """Whether a request could bring back a `body` item."""
    if name == "Query":
        pk = json.dumps(request["ExpressionAttributeValues"])
        return "#D#" in pk and "begins_with" not in request["KeyConditionExpression"]
    return '{"S": "body"}' in json.dumps(request)


def largest_items(aws: Aws, tenant: str) -> dict[str, int]:
    """Per kind of partition, the size of its largest item as DynamoDB counts it, names included."""
    pages = boto3.client("dynamodb").get_paginator("scan").paginate(TableName=aws.projection_table)
    largest: dict[str, int] = defaultdict(int)
    for item in (item for page in pages for item in page["Items"]):
        generation, owner, _, kind, *_ = item["pk"]["S"].split("#")
        if (generation, owner) == ("g1", tenant):
            size = sum(len(name.encode()) + _size(value) for name, value in item.items())
            largest[kind] = max(largest[kind], size)
    return dict(largest)


def _size(value: Any) -> int:
    ((_, held),) = value.items()
    if isinstance(held, list):
        return sum(len(one.encode()) for one in held)
    return len(held.encode() if isinstance(held, str) else held)
