"""The contract of `ports.Loader`: what is loaded is what projecting writes, and late or twice it does no harm."""

from __future__ import annotations

from typing import Any

import pytest
from precedent.aws.loader import DynamoLoader
from precedent.aws.projection import DynamoProjection
from precedent.entry import Dot
from precedent.ports import Projection, StoreError
from precedent.project import project
from precedent.shares import Plan, build
from precedent.sweep import sweep_generation

from tests.contract.conftest import Aws
from tests.property.shop import SCOPE, Shop, adopted, attach, id_of, link, prop

OLD = adopted("Old", prop("feature:search", "engine", "elastic"), attach("team:core"))
NEW = adopted(
    "New",
    prop("feature:search", "engine", "postgres"),
    prop("feature:search", "paths", ["search/**"]),
    link("feature:search", "USES", "service:db"),
    supersedes=[id_of(OLD)],
)
OTHER = adopted("Other", prop("feature:search", "engine", "sqlite"))


@pytest.fixture
def shop() -> Shop:
    shop = Shop()
    shop.send("alice.laptop", OLD)
    shop.send("bob.desk", NEW)
    shop.send("alice.laptop", OTHER, on_unseen="branch")
    shop.log.objects["bob.desk", 2] = b"rubbish\n"
    return shop


def scanned(aws: Aws, tenant: str, generation: str) -> dict[tuple[str, str], Any]:
    """Every item of a generation but its offsets and hints of conflicts, which depend on the order."""
    found = {}
    for item in DynamoProjection(aws.projection_table, generation, tenant, "shop")._items.scan():
        of, owner, project, *place = item.pk.split("#", 4)
        if (of, owner, project) == (generation, tenant, "shop") and place[0] not in ("O", "C"):
            found["#".join(place), item.sk] = item.attribute_values | {"pk": "", "sk": ""}
    return found


def a_plan(aws: Aws, tenant: str, shares: int) -> Plan:
    until = {"alice.laptop": 2, "bob.desk": 2}
    return Plan("acme", "shop", aws.projection_table, "g2", shares, until)


def test_items_loaded_are_those_projecting_writes(aws: Aws, tenant: str, shop: Shop) -> None:
    sweep_generation(SCOPE, shop.log, aws.projection(tenant, "shop", "g1"))
    plan = a_plan(aws, tenant, 2)
    for share in (0, 1, 0):
        build(plan, shop.log, DynamoLoader(aws.projection_table, "g2", tenant, "shop"), share)
    assert scanned(aws, tenant, "g2") == scanned(aws, tenant, "g1")
    conflicts = aws.projection(tenant, "shop", "g2").conflicts()
    assert {row.dot for row in conflicts} >= {Dot("alice.laptop", 2)}


def test_what_came_later_stays_when_a_share_is_written_late(
    aws: Aws, tenant: str, shop: Shop
) -> None:
    plan = a_plan(aws, tenant, 1)
    loader = DynamoLoader(aws.projection_table, "g2", tenant, "shop")
    build(plan, shop.log, loader, 0)
    shop.send(
        "bob.desk",
        adopted("Last", prop("feature:search", "engine", "z")),
        seen=[id_of(OTHER)],
        on_unseen="branch",
    )
    project(loader, max(shop.arrived(), key=lambda arrived: arrived.entry.recorded_at))
    before = statuses(loader)
    build(plan, shop.log, loader, 0)
    assert statuses(loader) == before
    assert before[Dot("alice.laptop", 2)].lost


def statuses(projection: Projection) -> dict[Dot, Any]:
    return {status.dot: status for status in projection.all_statuses()}


def test_more_items_than_a_batch_takes(aws: Aws, tenant: str, shop: Shop) -> None:
    values = [adopted(f"{n}", prop(f"feature:{n}", "engine", n)) for n in range(60)]
    shop.send("carol.mac", *values)
    loader = DynamoLoader(aws.projection_table, "g3", tenant, "shop")
    plan = Plan("acme", "shop", aws.projection_table, "g3", 1, {"carol.mac": 1})
    assert build(plan, shop.log, loader, 0).entries == 60
    assert len(statuses(loader)) == 60


def test_a_table_that_is_missing_is_told(shop: Shop) -> None:
    plan = Plan("acme", "shop", "no-such-table", "g2", 1, {"alice.laptop": 2})
    with pytest.raises(StoreError, match="projection"):
        build(plan, shop.log, DynamoLoader("no-such-table", "g2", "acme", "shop"), 0)
