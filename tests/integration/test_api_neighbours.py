"""Tenants, projects and writers whose names begin alike: nothing of one is seen, counted or answered in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

ENGINE = {"op": "set_prop", "element": "feature:search", "key": "engine"}
PATHS = {
    "op": "set_prop",
    "element": "feature:search",
    "key": "paths",
    "value": ["search/**"],
}
LISTINGS = ("elements", "conflicts", "changes")


@dataclass(frozen=True)
class Room:
    """A project of a tenant, seen by one of its writers."""

    stack: Any
    token: str
    project: str

    def ask(self, method: str, path: str, **request: Any) -> Any:
        return self.stack.http(
            method, f"/v1/projects/{self.project}{path}", token=self.token, **request
        )

    def record(self, value: str, **request: Any) -> Any:
        decision = {"title": f"Engine {value}", "mutations": [{**ENGINE, "value": value}, PATHS]}
        return self.ask("POST", "/decisions", body={"decision": decision, **request})

    def recall(self, asked: str = "element=feature:search", **request: Any) -> Any:
        return self.ask("GET", f"/recall?{asked}", **request)


@pytest.fixture(scope="module")
def rooms(stack: Any) -> dict[str, Room]:
    """One decision and one conflict in each of some rooms; the rest stay empty."""
    acme = stack.new_name("acme")
    alice, alice_2 = (stack.writer(name, tenant=acme) for name in ("alice", "alice.laptop"))
    other = stack.writer("alice", tenant=f"{acme}-2")
    found = {
        "shop": Room(stack, alice, "shop"),
        "shop-api": Room(stack, alice, "shop-api"),
        "shop.api": Room(stack, alice, "shop.api"),
        "sho": Room(stack, alice, "sho"),
        "acme-2 shop": Room(stack, other, "shop"),
        "shop by alice.laptop": Room(stack, alice_2, "shop"),
    }
    for name in ("shop", "shop-api", "acme-2 shop"):
        for value in ("a", "b"):
            answer = found[name].record(f"{name} {value}", on_unseen="branch", key=f"key-{value}")
            assert (answer.status, answer.body["projected"]) == (201, True), answer
    return found


@pytest.mark.parametrize("name", ["shop", "shop-api", "acme-2 shop"])
@pytest.mark.parametrize("asked", ["element=feature:search", "path=search/x.py"])
def test_recall(rooms: dict[str, Room], name: str, asked: str) -> None:
    body = rooms[name].recall(asked).body
    assert {each["title"] for each in body["decisions"].values()} == {
        f"Engine {name} a",
        f"Engine {name} b",
    }
    assert body["elements"][0]["conflicts"] == ["engine"]


@pytest.mark.parametrize("name", ["shop.api", "sho"])
def test_rooms_without_a_record_are_empty(rooms: dict[str, Room], name: str) -> None:
    for asked in ("element=feature:search", "path=search/x.py"):
        assert rooms[name].recall(asked).body["state"] == "empty"
    for listing in LISTINGS:
        assert rooms[name].ask("GET", f"/{listing}").body[listing] == []
    assert rooms[name].ask("GET", "/digest").body["entries"] == 0


@pytest.mark.parametrize("name", ["shop", "shop-api", "acme-2 shop"])
def test_listings(rooms: dict[str, Room], name: str) -> None:
    listed = {listing: rooms[name].ask("GET", f"/{listing}").body[listing] for listing in LISTINGS}
    assert [len(listed[listing]) for listing in LISTINGS] == [1, 1, 2]
    titles = [head["title"] for head in listed["conflicts"][0]["heads"]]
    titles += [change["title"] for change in listed["changes"]]
    assert all(title.startswith(f"Engine {name} ") for title in titles)
    element = listed["elements"][0]["id"]
    history = rooms[name].ask("GET", f"/elements/{element}/history").body["events"]
    assert {event["title"] for event in history} == set(titles)
    assert rooms[name].ask("GET", "/digest").body["entries"] == 2


def test_decisions_by_id(rooms: dict[str, Room]) -> None:
    ids = {name: set(rooms[name].recall().body["decisions"]) for name in ("shop", "shop-api")}
    for decision in ids["shop"]:
        assert rooms["shop"].ask("GET", f"/decisions/{decision}").status == 200
        for other in ("shop-api", "shop.api", "sho", "acme-2 shop"):
            assert rooms[other].ask("GET", f"/decisions/{decision}").status == 404


def test_digests_differ(rooms: dict[str, Room]) -> None:
    digests = {rooms[name].ask("GET", "/digest").body["digest"] for name in rooms}
    assert len(digests) == 4  # three with records, of one two views, and the empty


def test_another_projects_decision_can_not_be_superseded(rooms: dict[str, Room]) -> None:
    (known, *_) = rooms["shop-api"].recall().body["decisions"]
    decision = {"title": "Over", "mutations": [{**ENGINE, "value": "x"}], "supersedes": [known]}
    answer = rooms["shop"].ask("POST", "/decisions", body={"decision": decision})
    assert (answer.status, answer.body["unknown"]) == (409, [known])


def test_a_key_is_the_writers_and_the_projects_own(rooms: dict[str, Room]) -> None:
    for name in ("shop", "shop-api", "acme-2 shop"):
        again = rooms[name].record(f"{name} a", on_unseen="branch", key="key-a")
        assert again.body["results"][0]["dot"] == {"writer": "alice", "seq": 1}
    reused = rooms["shop"].record("something else", on_unseen="branch", key="key-a")
    assert reused.body["type"] == "urn:precedent:error:key-reused"
    # alice.laptop has never used it; what it says stands already.
    other = rooms["shop by alice.laptop"].record("shop a", on_unseen="branch", key="key-a")
    assert (other.status, other.body["results"][0]["status"]) == (200, "already_in_force")


def test_an_etag_is_the_projects_own(rooms: dict[str, Room]) -> None:
    for path in ("/elements", "/recall?element=feature:nothing"):
        tags = {name: rooms[name].ask("GET", path).headers["etag"] for name in rooms}
        assert tags["shop"] == tags["shop by alice.laptop"]
        others = [tag for name, tag in tags.items() if name not in ("shop", "shop by alice.laptop")]
        assert tags["shop"] not in others
        for name, room in rooms.items():
            answer = room.ask("GET", path, headers={"If-None-Match": tags["shop"]})
            assert (answer.status == 304) == (tags[name] == tags["shop"])


def test_a_point_in_changes_is_the_projects_own(rooms: dict[str, Room]) -> None:
    since = rooms["shop"].ask("GET", "/changes").body["since"]
    assert rooms["shop"].ask("GET", f"/changes?since={since}").body["changes"] == []
    for other in ("shop-api", "shop.api", "acme-2 shop"):
        answer = rooms[other].ask("GET", f"/changes?since={since}")
        assert answer.body["type"] == "urn:precedent:error:invalid"
    for path in ("/elements?cursor=", "/conflicts?cursor=", "/recall?element=a:b&cursor="):
        assert rooms["shop"].ask("GET", path + since).status == 422


def test_the_log_keeps_them_apart(rooms: dict[str, Room], stack: Any) -> None:
    s3 = stack.client("s3")
    tenant = stack.http("GET", "/v1/whoami", token=rooms["shop"].token).body["tenant"]
    for project, entries in (("shop", 2), ("shop-api", 2), ("shop.api", 0), ("sho", 0)):
        prefix = f"t/{tenant}/{project}/"
        listed = s3.list_objects_v2(Bucket=stack.log_bucket, Prefix=prefix).get("Contents", [])
        assert [each["Key"] for each in listed] == [
            f"{prefix}log/alice/{seq:012d}.jsonl" for seq in range(1, entries + 1)
        ]
