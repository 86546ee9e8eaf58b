"""Law: a project moved by an ordinary writer has the same decisions in force, slot by slot."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from precedent.errors import Refusal

from tests.property.shop import Shop
from tests.property.worlds import histories
from tests.unit.client_support import CLIENT  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import import_log, log_state, moving
from precedent_client.faults import Refused
from precedent_client.service import Answer

assert CLIENT


@dataclass
class Target:
    """The service as the import calls it, over the use case itself."""

    shop: Shop

    def get_of_project(self, path: str, query: Any = ()) -> Answer:
        assert path == "/changes"
        found = [{"id": arrived.entry.decision[0]} for arrived in self.shop.arrived()]
        return Answer(200, {"changes": found, "since": "end", "more": False})

    def record(self, request: Any) -> Answer:
        from precedent.request import parse

        try:
            answer = self.shop.appender("importer").append(parse(json.dumps(request).encode()))
        except Refusal as refusal:
            raise Refused(refusal.detail, refusal.name) from None
        results = [{"id": one.id, "status": one.status} for one in answer.results]
        return Answer(201 if answer.written else 200, {"results": results})


def state_of(shop: Shop) -> log_state.State:
    return log_state.fold(json.loads(arrived.line) for arrived in shop.arrived())


def held(state, named):
    """Who holds each slot with which value, by what a decision was called first."""
    return {
        slot: {(named(entry.id), json.dumps(entry.value(slot))) for entry in heads}
        for slot, heads in state.heads().items()
    }


def moved(state: log_state.State) -> tuple[Shop, dict[str, str]]:
    target = Shop()
    entries = moving.plan(import_log.told_by(state))
    outcome = moving.send(Target(target), entries, lambda _: None)
    assert outcome.stopped is None
    assert [one for one in outcome.results if one["status"] == "refused"] == []
    return target, {entry["id"]: entry["origin"] for entry in entries}


@settings(max_examples=max(8, settings().max_examples // 20))
@given(histories(max_size=10))
def test_the_same_decisions_are_in_force_and_moving_again_changes_nothing(history):
    there = state_of(history.shop)
    target, origin = moved(there)
    here = state_of(target)
    assert held(here, lambda one: origin[one]) == held(there, lambda one: one)
    again = moving.send(Target(target), moving.plan(import_log.told_by(there)), lambda _: None)
    assert "recorded" not in {one["status"] for one in again.results}
    assert state_of(target).digest == here.digest


@settings(max_examples=max(8, settings().max_examples // 20))
@given(histories(max_size=10))
def test_the_client_folds_as_the_service_does(history):
    assert state_of(history.shop).digest == str(history.shop.log_digest())
