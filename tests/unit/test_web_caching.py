"""What a caller may keep: private, with an ETag bound to tenant and project; recall by POST is recall by GET."""

import pytest

from tests.unit.served import CALLER, PROJECT, Service, service

AREA = {"element": "feature:search", "path": "search/x.py"}
BODY = {"element": ["feature:search"], "path": ["search/x.py"]}


def decision(title, **props):
    upsert = {"op": "upsert_element", "kind": "feature", "name": "search"}
    return {"title": title, "mutations": [{**upsert, "props": props}]}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    made = service(monkeypatch)
    made.record(decision("Postgres", engine="postgres", paths=["search/**"]))
    return made


def element(served):
    return served.recall(query=AREA).body["elements"][0]["id"]


def cached(served):
    """Every read that has an ETag, as what to ask."""
    by_id = {"function": "recall", "path": f"{PROJECT}/elements/{element(served)}"}
    return [
        {"function": "recall", "path": PROJECT + "/recall", "query": AREA},
        {
            "function": "recall",
            "path": PROJECT + "/recall",
            "query": AREA,
            "headers": {"accept": "text/markdown"},
        },
        by_id,
        {"function": "browse", "path": PROJECT + "/elements"},
    ]


def get(served, *, function, path, query=(), headers=None, **more):
    return served.ask(function, "GET", path, query=query, headers=headers, **more)


def test_what_is_held_is_not_sent_again(served):
    for asked in cached(served):
        first = get(served, **asked)
        etag = first.headers["etag"]
        assert first.headers["cache-control"] == "private, no-cache"
        assert first.headers["vary"] == "authorization, accept"
        for held in (etag, f'"x", {etag}', etag.removeprefix("W/")):
            headers = {**asked.get("headers", {}), "if-none-match": held}
            again = get(served, **{**asked, "headers": headers})
            assert (again.status, again.body) == (304, "")
            assert again.headers["etag"] == etag
            assert again.headers["cache-control"] == "private, no-cache"


def test_what_changed_is_sent(served):
    for number, asked in enumerate(cached(served)):
        etag = get(served, **asked).headers["etag"]
        changed = decision(f"More {number}", **{f"key-{number}": number})
        changed["mutations"].append({"op": "upsert_element", "kind": "new", "name": str(number)})
        served.record(changed)
        headers = {**asked.get("headers", {}), "if-none-match": etag}
        assert get(served, **{**asked, "headers": headers}).status == 200


def test_an_etag_is_worth_nothing_elsewhere(served):
    for asked in cached(served):
        etag = get(served, **asked).headers["etag"]
        headers = {**asked.get("headers", {}), "if-none-match": etag}
        there = {**asked, "headers": headers, "path": asked["path"].replace("shop", "shop-api")}
        assert get(served, **there).status != 304
        stranger = {**CALLER, "tenant": "acme-2"}
        assert get(served, **{**asked, "headers": headers}, authorizer=stranger).status != 304


def test_each_form_has_its_own_etag(served):
    forms = [{}, {"accept": "text/markdown"}, {"accept": "application/json, text/markdown"}]
    json, text, both = (served.recall(query=AREA, headers=form).headers["etag"] for form in forms)
    assert json != text == both
    smaller = served.recall(query={**AREA, "budget": 1000}, headers=forms[1]).headers["etag"]
    assert smaller != text


def test_the_same_text_is_fenced_afresh_under_one_etag(served):
    first, second = (
        served.recall(query=AREA, headers={"accept": "text/markdown"}) for _ in range(2)
    )
    assert first.headers["etag"] == second.headers["etag"]
    assert first.body != second.body


def test_text_names_what_it_shows(served):
    served.record({**decision("Long"), "rationale": "word " * 1500})
    answer = served.recall(query={**AREA, "budget": 1500}, headers={"accept": "text/markdown"})
    assert answer.headers["content-type"].startswith("text/markdown")
    ids = served.recall(query=AREA).body["decisions"]
    titles = {each["title"]: name for name, each in ids.items()}
    assert answer.headers["precedent-shown"] == titles["Postgres"]
    assert answer.headers["precedent-omitted"] == titles["Long"]
    assert len(answer.body) <= 1500


@pytest.mark.parametrize("accept", ["application/json", "text/markdown"])
def test_recall_by_post_is_recall_by_get(served, accept):
    headers = {"accept": accept}
    got = served.recall(query=AREA, headers=headers)
    posted = served.ask("recall", "POST", PROJECT + "/recall", body=BODY, headers=headers)
    assert got.headers["etag"] == posted.headers["etag"]
    assert got.status == posted.status == 200
    if accept == "application/json":
        assert got.body == posted.body
    held = {**headers, "if-none-match": got.headers["etag"]}
    assert served.ask("recall", "POST", PROJECT + "/recall", body=BODY, headers=held).status == 304


def test_nothing_may_be_kept_by_others(served):
    for function, path in (
        ("recall", "/digest"),
        ("browse", "/conflicts"),
        ("browse", "/changes"),
        ("browse", f"/elements/{element(served)}/history"),
    ):
        answer = served.ask(function, "GET", PROJECT + path)
        assert (answer.status, answer.headers["cache-control"]) == (200, "private, no-cache")
    assert served.record(decision("More", key=1)).headers["cache-control"] == "no-store"
    refused = served.recall(query={})
    assert (refused.status, refused.headers["cache-control"]) == (422, "no-store")
