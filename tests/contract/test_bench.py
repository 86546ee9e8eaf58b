"""The bench measures what it says: its stores are made up once and for all, and loaded as if appended."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from precedent.append import Appender
from precedent.aws.access import Access
from precedent.aws.items import items_of
from precedent.consume import Scope
from precedent.orset import digest
from precedent.ports import Pointer
from precedent.rows import COMPLETE

from tests.bench.load import Loaded, load
from tests.bench.meter import Cost, Meter, size_of, units_of
from tests.bench.operations import Measured
from tests.bench.report import StoreReport, failures
from tests.bench.store import Clock, Store, request_of
from tests.bench.story import WRITERS, Step, ordinary_elements, tell
from tests.contract.conftest import Aws

SALT = "5a17" * 8
DECISIONS = 40


def test_a_store_has_as_many_decisions_as_asked_for() -> None:
    steps = list(tell(500))
    assert len({step.decision.id for step in steps}) == 500
    assert {step.writer for step in steps} == set(WRITERS)
    named = {element for step in steps for element in step.decision.elements}
    assert len(named) >= ordinary_elements(500) + 2


def test_an_element_has_the_same_story_in_every_store() -> None:
    smaller, larger = by_element(tell(300)), by_element(tell(600))
    assert len(smaller) == ordinary_elements(300)
    assert smaller.items() <= larger.items()


def test_what_is_loaded_is_what_appending_would_have_written(
    aws: Aws, tenant: str, request: pytest.FixtureRequest
) -> None:
    scope = Scope(tenant, "shop")
    store = Store(scope, Pointer(aws.projection_table, "loaded", SALT))
    store.record(tell(DECISIONS))
    load(store, aws.log(tenant, "elsewhere"), boto3.client("dynamodb"), lambda _: None)

    appended = Pointer(aws.projection_table, "appended", SALT)
    Access(aws.access_table).ensure_pointer(tenant, "shop", appended)
    aws.projection(tenant, "shop", "appended").put(COMPLETE)
    log, pointers, now = aws.log(tenant, "shop"), aws.pointers(tenant, "shop"), Clock()
    meter = Meter()
    client = items_of(aws.projection_table)._get_connection().connection.client
    meter.listen(client)
    request.addfinalizer(lambda: meter.leave(client))
    for number, step in enumerate(tell(DECISIONS), 1):
        meter.start()
        sent = request_of(step, f"key-{number:08}")
        assert Appender(scope, step.writer, log, pointers, now).append(sent).written
        assert meter.spent.write_units == meter.reported_writes

    items = table_of(aws, tenant)
    assert items["loaded"] == items["appended"]
    found = [
        digest(aws.projection(tenant, "shop", generation).all_statuses())
        for generation in ("loaded", "appended")
    ]
    assert found[0] == found[1] == digest(store.projection.all_statuses())
    assert found[0].entries == DECISIONS


@pytest.mark.parametrize(
    ("name", "asked", "answer", "units"),
    [
        ("GetItem", {}, {}, 1),
        ("GetItem", {}, {"Item": {"pk": {"S": "x" * 4094}}}, 1),
        ("GetItem", {}, {"Item": {"pk": {"S": "x" * 4095}}}, 2),
        ("Query", {}, {"Items": []}, 1),
        ("Query", {}, {"Items": [{"pk": {"S": "x" * 2046}}] * 2}, 1),
        ("Query", {}, {"Items": [{"pk": {"S": "x" * 2046}}] * 3}, 2),
        (
            "BatchGetItem",
            {"RequestItems": {"t": {"Keys": [1, 2, 3, 4]}}},
            {
                "Responses": {"t": [{"pk": {"S": "x"}}, {"pk": {"S": "x" * 4095}}]},
                "UnprocessedKeys": {"t": {"Keys": [4]}},
            },
            4,
        ),
    ],
)
def test_read_units(name: str, asked: Any, answer: Any, units: int) -> None:
    assert units_of(name, asked, answer).read_units == units


def test_sizes() -> None:
    item: dict[str, dict[str, Any]] = {
        "pk": {"S": "ü"},
        "v": {"N": "1"},
        "seq": {"N": "12345"},
        "packed": {"B": b"123"},
        "lost": {"SS": ["ab", "c"]},
    }
    assert size_of(item) == (2 + 2) + (1 + 2) + (3 + 4) + (6 + 3) + (4 + 3)


def test_what_grows_is_told_unless_it_may() -> None:
    def store(decisions: int, units: float) -> StoreReport:
        measured = [Measured("one", Cost(requests=1, read_units=units)), Measured("other", Cost())]
        hub = Measured("hub", Cost(requests=units), flat=False)
        return StoreReport(decisions, 1, Loaded(1, 1, 1), [*measured, hub], {})

    assert failures([store(1000, 10), store(2000, 99), store(3000, 12)]) == []
    grown = failures([store(1000, 10), store(2000, 10), store(3000, 12.1)])
    assert grown == ["one: read units grow by 1.21"]


def by_element(steps: Any) -> dict[str, list[tuple[str, str, tuple[str, ...], bool]]]:
    """What is recorded about each ordinary element, in order."""
    found: dict[str, list[tuple[str, str, tuple[str, ...], bool]]] = {}
    for step in steps:
        assert isinstance(step, Step)
        title = step.decision.content["title"]
        name = title.rsplit(" (", 1)[1].split(",")[0]
        told = (step.writer, step.decision.id, step.seen, step.branch)
        found.setdefault(name, []).append(told)
    return {name: story for name, story in found.items() if ":area" in name}


def table_of(aws: Aws, tenant: str) -> dict[str, dict[tuple[str, str], Any]]:
    """The items of a tenant by generation and what follows it in their key."""
    pages = boto3.client("dynamodb").get_paginator("scan").paginate(TableName=aws.projection_table)
    found: dict[str, dict[tuple[str, str], Any]] = {}
    for item in (item for page in pages for item in page["Items"]):
        generation, owner, place = item["pk"]["S"].split("#", 2)
        if owner == tenant:
            values = {name: _comparable(value) for name, value in item.items() if name != "pk"}
            found.setdefault(generation, {})[place, item["sk"]["S"]] = values
    return found


def _comparable(value: Any) -> Any:
    return set(value["SS"]) if "SS" in value else value
