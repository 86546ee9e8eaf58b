"""Both stores of feedback keep the same promises: once a writer, session, decision and kind, whoever meets whom."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from precedent.aws.feedback import DynamoFeedbacks
from precedent.feedback import Tally
from precedent.ports import StoreError

from tests.fakes.feedback import MemoryFeedbacks

ONE, TWO = "d_" + "1" * 24, "d_" + "2" * 24


@pytest.fixture
def of(adapter: str, tenant: str, request: pytest.FixtureRequest) -> Any:
    """The feedback of a project."""
    if adapter == "memory":
        made: dict[str, MemoryFeedbacks] = {}
        return lambda project: made.setdefault(project, MemoryFeedbacks())
    aws = request.getfixturevalue("aws")
    return lambda project: aws.feedbacks(tenant, project)


def test_it_is_counted_once_a_session_writer_decision_and_kind(of: Any) -> None:
    shop = of("shop")
    assert shop.counts([ONE, TWO]) == {}
    assert shop.add("alice", "s1", ONE, "used")
    assert not shop.add("alice", "s1", ONE, "used")
    assert shop.add("alice", "s2", ONE, "used")
    assert shop.add("bob", "s1", ONE, "used")
    assert shop.add("bob", "s1", ONE, "rejected")
    assert shop.add("bob", "", TWO, "contradicted")
    assert shop.counts([ONE, TWO, "d_" + "3" * 24]) == {
        ONE: {"used": Tally(3, 2), "rejected": Tally(1, 1)},
        TWO: {"contradicted": Tally(1, 1)},
    }
    assert shop.counts([]) == {}


def test_a_neighbour_whose_name_begins_alike_sees_nothing(of: Any) -> None:
    of("shop").add("alice", "s1", ONE, "used")
    assert of("shop-2").counts([ONE]) == {}


def test_at_once_it_is_counted_once_too(of: Any) -> None:
    shop = of("shop")
    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda _: shop.add("alice", "s1", ONE, "used"), range(8)))
    assert added.count(True) == 1
    assert shop.counts([ONE]) == {ONE: {"used": Tally(1, 1)}}


def test_a_table_that_is_not_there_is_no_empty_one(aws: Any) -> None:
    missing = DynamoFeedbacks("NoSuchTable", "acme", "shop")
    with pytest.raises(StoreError):
        missing.counts([ONE])
    with pytest.raises(StoreError):
        missing.add("alice", "s", ONE, "used")
