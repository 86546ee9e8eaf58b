"""Other times over HTTP: dates that are none, null for now, cursors of one date that are none of another."""

import pytest

from tests.unit.served import PROJECT, Service, service

ELEMENT = PROJECT + "/elements/el_d18df2418c129c30a0b8"


def decided(value, **fields):
    sets = {"op": "set_prop", "element": "feature:product-search", "key": "engine", "value": value}
    return {"title": f"Engine {value}", "mutations": [sets], **fields}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    served = service(monkeypatch)
    served.record(decided("postgres", date="2024-01-01"))
    served.record(decided("elastic", date="2025-01-01"))
    return served


def test_null_is_now(served):
    body = {"element": ["feature:product-search"], "as_of": None}
    answer = served.ask("recall", "POST", PROJECT + "/recall", body=body)
    assert (answer.status, answer.body["as_of"]) == (200, None)
    assert answer.body["elements"][0]["conflicts"] == ["engine"]


@pytest.mark.parametrize("path", [PROJECT + "/recall", ELEMENT])
@pytest.mark.parametrize(
    "date", ["", "yesterday", "2024-02-30", "2024-01-01T25:00:00Z", "2024-01-01+01:00"]
)
def test_a_date_that_is_none(served, path, date):
    query = {"as_of": date, **({"element": "a:b"} if path.endswith("recall") else {})}
    answer = served.ask("recall", "GET", path, query=query)
    assert (answer.status, answer.body["type"]) == (422, "urn:precedent:error:invalid")


def test_an_element_as_it_was(served):
    answer = served.ask("recall", "GET", ELEMENT, query={"as_of": "2024-06-01"})
    assert answer.body["as_of"] == "2024-06-01"
    assert [one["value"] for one in answer.body["elements"][0]["slots"]["engine"]] == ["postgres"]


def test_a_cursor_of_one_date_is_none_of_another(served, monkeypatch):
    monkeypatch.setattr("precedent.recall.PAGE", 1)
    served.record({"title": "Also", "mutations": [{**decided(1)["mutations"][0], "key": "size"}]})
    first = served.ask("recall", "GET", ELEMENT, query={"as_of": "2999-01-01"})
    cursor = first.body["cursor"]
    assert (
        served.ask("recall", "GET", ELEMENT, query={"as_of": "2999-01-01", "cursor": cursor}).status
        == 200
    )
    for other in ({}, {"as_of": "2999-01-02"}):
        assert served.ask("recall", "GET", ELEMENT, query={**other, "cursor": cursor}).status == 422


def test_a_story(served):
    answer = served.ask("browse", "GET", ELEMENT + "/timeline")
    assert [step["title"] for step in answer.body["steps"]] == ["Engine postgres", "Engine elastic"]
    assert (
        served.ask("browse", "GET", PROJECT + "/elements/el_" + "0" * 20 + "/timeline").status
        == 404
    )


def test_changes_between_dates_and_points(served):
    def titles(**query):
        answer = served.ask("browse", "GET", PROJECT + "/changes", query=query)
        return answer.status, [one["title"] for one in answer.body.get("changes", ())], answer.body

    status, everything, body = titles(since="2020-01-01", until="2999-12-31")
    assert (status, len(everything)) == (200, 2)
    assert titles(since="2999-01-01")[1] == titles(until="2020-01-01")[1] == []
    served.record(decided("solr"))
    assert len(titles(until=body["since"])[1]) == 2
    assert titles(since=body["since"])[1] == ["Engine solr"]
    for wrong in ({"until": "nonsense"}, {"since": "2024-02-30"}, {"until": "2024-13-01"}):
        assert titles(**wrong)[0] == 422
