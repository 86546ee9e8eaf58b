"""Whatever is stepped over has a reason, and makes the metric that its function's alarm watches."""

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.property.shop import SCOPE, Shop, adopted, prop
from tests.property.test_log_damage import DAMAGES

ALICE = "alice.laptop"
ROOT = Path(__file__).parents[2]
KINDS = {
    **DAMAGES,
    "elsewhere": lambda data: data.replace(b'"tenant":"acme"', b'"tenant":"evil"'),
    "another writer's": lambda data: data.replace(b'"alice.laptop"', b'"mallory.mac"'),
}
CONTEXT = SimpleNamespace(
    function_name="f", memory_limit_in_mb=1, invoked_function_arn="arn", aws_request_id="id"
)


def a_shop(damage):
    """Three entries, the second damaged, and a projection that has seen none of them."""
    shop = Shop()
    for number in range(3):
        shop.send(ALICE, adopted(f"{number}", prop("feature:a", "x", number)), on_unseen="branch")
    data = damage(shop.log.objects.pop((ALICE, 2)))
    if data is not None:
        shop.log.objects[ALICE, 2] = data
    shop.pointers.table.clear()
    return shop


@pytest.fixture
def function(monkeypatch, capsys):
    """Calls a function on a shop in memory; returns the metrics it printed, all of one service."""

    def call(name, shop, event):
        monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", name)
        monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Precedent")
        monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "1")
        spec = importlib.util.spec_from_file_location(
            f"function_{name}", ROOT / f"functions/{name}/app.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        monkeypatch.setattr(module, "log_of", lambda scope: shop.log)
        monkeypatch.setattr(module, "pointers_of", lambda scope: shop.pointers)
        if hasattr(module, "scopes"):
            monkeypatch.setattr(module, "scopes", lambda: [SCOPE])
        capsys.readouterr()
        module.handler(event, CONTEXT)
        printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        [metrics] = [line for line in printed if "_aws" in line]
        assert metrics["service"] == name
        return metrics

    return call


def event_of(writer, first):
    key = f"t/{SCOPE.tenant}/{SCOPE.project}/log/{writer}/{first:012d}.jsonl"
    body = json.dumps({"detail": {"object": {"key": key}}})
    return {"Records": [{"messageId": "1", "body": body, "eventSource": "aws:sqs"}]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["projector", "sweep"])
def test_what_cannot_be_read_is_kept_with_its_reason_and_alarmed(function, name, kind):
    shop = a_shop(KINDS[kind])
    metrics = function(name, shop, event_of(ALICE, 3) if name == "projector" else {})
    rows = list(shop.projection.quarantined())
    assert rows
    assert all(row.reason for row in rows)
    assert metrics["Quarantined"] == [len(rows)]
    arrived = {status.dot.seq for status in shop.projection.all_statuses() if status.arrived}
    assert arrived >= {1, 3}, "what lies before it and after it counts"


def test_a_log_that_lost_its_end_is_alarmed_by_the_sweep(function):
    shop = a_shop(lambda data: data)
    shop.sweep()
    del shop.log.objects[ALICE, 3]
    assert function("sweep", shop, {})["Quarantined"] == [1]


def test_what_is_in_order_alarms_nobody(function):
    shop = a_shop(lambda data: data)
    assert function("sweep", shop, {})["Quarantined"] == [0]
    assert function("projector", shop, event_of(ALICE, 3))["Quarantined"] == [0]


def test_an_act_of_a_later_version_is_folded_and_alarms_nobody(function):
    """Only a version says that a line cannot be read; see tests/unit/test_entry.py."""
    path = ROOT / "tests/golden/v1/t/acme/shop/log/carol.mac/000000000010.jsonl"
    shop = Shop()
    shop.log.objects["carol.mac", 10] = path.read_bytes()
    assert b'"act":"endorse"' in path.read_bytes()
    shop.sweep()
    assert [status.dot.seq for status in shop.projection.all_statuses()] == [10]
