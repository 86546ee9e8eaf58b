"""`precedent import log`: what the older tool knew, with its order, its authors and its dates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.client_support import CLIENT  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import import_former_log, log_file, moving
from precedent_client.faults import Usage

from tests.unit.in_process import InProcess
from tests.unit.served import Service, service

assert CLIENT


def event(number: int, install: str = "a1", **decision: Any) -> dict[str, Any]:
    return {
        "hash": f"{install}{number:04d}",
        "actor": "alice",
        "install_id": install,
        "lamport": number,
        "recorded_at": f"2025-03-{number % 28 + 1:02d}T10:00:00+02:00",
        "decision": {"id": f"01H{number:04d}", "title": f"T{number}", "rationale": "R", **decision},
    }


def write(folder: Path, *events: Any, name: str = "a1") -> Path:
    (folder / "log").mkdir(exist_ok=True)
    lines = [one if isinstance(one, str) else json.dumps(one) for one in events]
    (folder / "log" / f"{name}.ndjson").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


def imported(served: Service, folder: Path, writer: str = "alice.laptop") -> list[str]:
    there = InProcess(served, writer=writer)
    plan = import_former_log.plan(str(folder))
    outcome = moving.send(there, plan["entries"], lambda _: None)
    assert outcome.stopped is None
    assert not any("reason" in one for one in outcome.results), outcome.results
    return [one["status"] for one in outcome.results]


def decisions(served: Service) -> dict[str, tuple[dict[str, Any], bool]]:
    """By the id it had: the decision, and whether it is in force."""
    state = log_file.fetch(InProcess(served), lambda _: None).state()
    found = {}
    for entry in state.entries.values():
        refs = {ref["rel"]: ref["url"] for ref in entry.decision["refs"]}
        found[refs["precedent"]] = entry.decision, bool(entry.holding)
    return found


def test_ids_authors_dates_and_what_is_in_force_are_kept(served: Service, tmp_path: Path) -> None:
    mutation = {"op": "set_prop", "element": "feature:search", "key": "engine", "value": "pg"}
    folder = write(
        tmp_path,
        event(1, targets=["feature:search"], mutations=[mutation], refs=["https://x.test/1"]),
        event(
            3, author="carol", supersedes=["01H0001"], targets=[{"kind": "team", "name": "core"}]
        ),
    )
    write(folder, event(2, "b2", targets=["billing"]), event(1), name="b2")
    assert imported(served, folder) == ["recorded"] * 3
    found = decisions(served)
    assert {name: force for name, (_, force) in found.items()} == {
        "01H0001": False,
        "01H0002": True,
        "01H0003": True,
    }
    first, third = found["01H0001"][0], found["01H0003"][0]
    assert first["date"] == "2025-03-02T08:00:00Z"
    assert {"rel": "see", "url": "https://x.test/1"} in first["refs"]
    assert mutation in first["mutations"]
    assert {"rel": "recorded-by", "url": "carol"} in third["refs"]
    assert {"op": "upsert_element", "kind": "team", "name": "core"} in third["mutations"]
    assert {"op": "upsert_element", "kind": "topic", "name": "billing"} in found["01H0002"][0][
        "mutations"
    ]
    state = log_file.fetch(InProcess(served), lambda _: None).state()
    titles = [entry.decision["title"] for _, entry in sorted(state.entries.items())]
    assert titles == ["T1", "T2", "T3"]
    assert set(imported(served, folder, "bob.desk")) == {"already_recorded"}


def test_what_is_no_event_is_named_and_harms_nothing_else(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        event(1),
        "{torn",
        "[1]",
        {"decision": {"id": "x"}},
        '{"decision": {"id": "n", "title": NaN}}',
        event(2, mutations=[{"op": "explode"}], supersedes=["gone"]),
        '{"hash": "zz", "decision": {"id": "01H',
    )
    plan = import_former_log.plan(str(folder))
    assert [entry["origin"] for entry in plan["entries"]] == ["01H0001", "01H0002"]
    assert [one["file"] for one in plan["unread"]] == [f"a1.ndjson:{n}" for n in (2, 3, 4, 5, 7)]
    said = " ".join(plan["entries"][1]["warnings"])
    assert "was not understood" in said
    assert "supersedes what is not here: gone" in said


def test_an_id_that_was_given_to_two_texts_names_the_later(served: Service, tmp_path: Path) -> None:
    second = event(2)
    second["decision"] = {**event(1)["decision"], "title": "Changed"}
    folder = write(tmp_path, event(1), second)
    assert imported(served, folder) == ["recorded"] * 2
    state = log_file.fetch(InProcess(served), lambda _: None).state()
    standing = [e.decision["title"] for e in state.entries.values() if e.holding]
    assert standing == ["Changed"]


def test_a_circle_and_odd_values_are_recorded_as_far_as_they_go(
    served: Service, tmp_path: Path
) -> None:
    odd = [{"op": "set", "target": "x", "key": "k", "value": 1.5}]
    folder = write(
        tmp_path,
        event(1, supersedes=["01H0002"], title="t" * 300, rationale="r" * 9000),
        event(2, supersedes=["01H0001"], mutations=odd, targets="no list"),
    )
    assert imported(served, folder) == ["recorded"] * 2


def test_no_log_is_a_mistake_of_usage(tmp_path: Path) -> None:
    with pytest.raises(Usage, match="holds no log of the older tool"):
        import_former_log.plan(str(tmp_path))
    assert [each.name for each in tmp_path.iterdir()] == []


links = st.lists(st.lists(st.integers(1, 8), max_size=3), min_size=1, max_size=8)


@settings(max_examples=8)
@given(links)
def test_the_same_decisions_are_in_force(tmp_path_factory: Any, found: list[list[int]]) -> None:
    events = [
        event(n, supersedes=[f"01H{one:04d}" for one in gone if one < n])
        for n, gone in enumerate(found, 1)
    ]
    folder = write(tmp_path_factory.mktemp("old"), *events[::-1])
    superseded = {one for each in events for one in each["decision"]["supersedes"]}
    with pytest.MonkeyPatch.context() as patch:
        served = service(patch)
        imported(served, folder)
        standing = {name for name, (_, force) in decisions(served).items() if force}
    assert standing == {each["decision"]["id"] for each in events} - superseded
