"""`precedent used|rejected|contradicted`, what `show` tells of it, and a turn that cited what it was handed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import (
    Client,
    Reply,
    Scripted,
    body,
    decision_id,
    problem,
    scripted,
)
from tests.unit.hook_support import Agent, markdown

ONE, TWO, OTHER = decision_id(1), decision_id(2), decision_id(3)
GIVEN = {"counted": 1, "before": 0, "unknown": []}


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


@pytest.mark.parametrize("kind", ["used", "rejected", "contradicted"])
def test_it_is_said_of_this_session(client: Client, kind: str) -> None:
    with scripted(GIVEN) as service:
        done = client(kind, ONE, ONE, service=service)
        other = client(kind, ONE, "--session", "elsewhere", "--json", service=service)
    assert (done.code, done.out) == (0, f"1 decision counted as {kind}\n")
    assert other.json == GIVEN
    assert service.requests[0].path == "/v1/projects/demo/feedback"
    assert service.bodies == [
        {"session": "one", kind: [ONE]},
        {"session": "elsewhere", kind: [ONE]},
    ]


def test_a_session_without_a_name_is_told_as_a_hash(client: Client) -> None:
    with scripted(GIVEN) as service:
        assert client("used", ONE, service=service, PRECEDENT_SESSION=None).code == 0
    (sent,) = service.bodies
    assert len(sent["session"]) == 32
    assert "process" not in sent["session"]


def test_what_is_not_known_and_what_is_refused(client: Client) -> None:
    with scripted({"counted": 0, "before": 1, "unknown": [TWO]}) as service:
        done = client("used", ONE, TWO, service=service)
    assert done.code == 3
    assert f"{TWO} is not known here" in done.out
    with scripted(problem("forbidden", 403)) as service:
        assert client("used", ONE, service=service).code == 4
    assert client("used", "x").code == 2
    assert client("used").code == 2


def test_many_go_in_several_requests(client: Client) -> None:
    with scripted(GIVEN) as service:
        assert client("used", *(decision_id(n) for n in range(150)), service=service).code == 0
    assert [len(sent["used"]) for sent in service.bodies] == [100, 50]


def shown(**members: Any) -> dict[str, Any]:
    return {"id": ONE, "decision": body("T"), "in_force": True, "holds": [], **members}


def test_show_tells_what_was_said(client: Client) -> None:
    said = {"used": {"sessions": 3, "writers": 2}, "contradicted": {"sessions": 1, "writers": 1}}
    with scripted(shown(), {"feedback": {ONE: said}}) as service:
        done = client("show", ONE, service=service)
    assert "used in 3 sessions by 2 writers; contradicted in 1 session by 1 writer" in done.out
    assert service.requests[1].path == f"/v1/projects/demo/feedback?decision={ONE}"


@pytest.mark.parametrize("answer", [Reply({}, 404), Reply({"message": "x"}, 503), {"feedback": 1}])
def test_show_does_without_it(client: Client, answer: Any) -> None:
    replies = [shown(), answer]
    with scripted(*replies) as service:
        done = client("show", ONE, service=service)
    assert done.code == 0
    assert (
        "could not be read" in done.err
        if isinstance(answer, Reply) and answer.status == 503
        else True
    )


# ------------------------------------------------------------------------- the end of a turn


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    agent = Agent(tmp_path)
    agent.client.environment["PRECEDENT_FLUSH"] = "on"
    agent.write("search/api.py")
    agent.commit()
    return agent


def said(service: Scripted) -> list[Any]:
    return [one.body for one in service.requests if one.path.endswith("/feedback")]


def wait_for(service: Scripted, count: int) -> list[Any]:
    for _ in range(200):
        if len(said(service)) >= count:
            break
        time.sleep(0.05)
    return said(service)


def test_what_the_turn_cited_of_what_it_was_handed_is_told_once(agent: Agent) -> None:
    message = f"As decided in {ONE}, and ({OTHER}) is not what I was given; {ONE[:20]} neither."
    with scripted(markdown(ONE, TWO), Reply(GIVEN)) as service:
        agent.prompt()
        agent.edit("search/api.py", service)
        environment = {"PRECEDENT_URL": service.url}
        agent.stop(last_assistant_message=message, environment=environment)
        assert wait_for(service, 1) == [{"session": "s-1", "used": [ONE]}]
        agent.stop(last_assistant_message=message, environment=environment)
        agent.stop(last_assistant_message=f"{TWO}", environment=environment)
        assert wait_for(service, 2)[1:] == [{"session": "s-1", "used": [TWO]}]


@pytest.mark.parametrize("message", ["", "nothing", f"{OTHER}", 7, None, "d_" * 1000])
def test_nothing_is_told_of_a_turn_that_cited_nothing(agent: Agent, message: Any) -> None:
    with scripted(markdown(ONE)) as service:
        agent.prompt()
        agent.edit("search/api.py", service)
        agent.stop(last_assistant_message=message, environment={"PRECEDENT_URL": service.url})
    assert said(service) == []
    told = agent.state / "client.log"
    assert not told.exists()
