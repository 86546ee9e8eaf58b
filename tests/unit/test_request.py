"""What a client may send: every limit at one below, at, and one above; nothing is written beyond it."""

import json
import sys

import pytest
from precedent.errors import Invalid, Refusal, TooLarge
from precedent.request import CIRCUMSTANCES_LIMIT, SIZE_LIMIT, parse

WIDE = "\U0001f600"
"""One code point, four bytes, two UTF-16 units: limits on texts count it as one."""


def attach(name="search"):
    return {"op": "upsert_element", "kind": "feature", "name": name}


def decision(**fields):
    return {"title": "T", "mutations": [attach()], **fields}


def body(content=None, **request):
    return json.dumps({"decision": content or decision(), **request}, ensure_ascii=False).encode()


def ids(count):
    return [f"d_{n:024x}" for n in range(count)]


def rejected(count, option="x", reason="y"):
    return {"rejected": [{"option": option, "reason": reason}] * count}


def prop(value, key="k"):
    return decision(mutations=[{"op": "set_prop", "element": "a:b", "key": key, "value": value}])


LIMITS = {
    "title": (200, lambda n: decision(title=WIDE * n)),
    "rationale": (8_000, lambda n: decision(rationale=WIDE * n)),
    "rejected": (20, lambda n: decision(**rejected(n))),
    "option": (1_000, lambda n: decision(**rejected(1, option=WIDE * n))),
    "reason": (1_000, lambda n: decision(**rejected(1, reason=WIDE * n))),
    "mutations": (100, lambda n: decision(mutations=[attach(str(i)) for i in range(n)])),
    "name": (200, lambda n: decision(mutations=[attach("ü" * n)])),
    "kind": (64, lambda n: decision(mutations=[{**attach(), "kind": "ü" * n}])),
    "key": (64, lambda n: prop(1, key="ü" * n)),
    "value": (2_000, lambda n: prop(WIDE * n)),
    "list": (50, lambda n: prop(["x"] * n)),
    "list item": (500, lambda n: prop([WIDE * n])),
    "refs": (50, lambda n: decision(refs=[{"rel": "adr", "url": "u"}] * n)),
    "url": (2_000, lambda n: decision(refs=[{"rel": "adr", "url": WIDE * n}])),
    "supersedes": (50, lambda n: decision(supersedes=ids(n))),
    "props": (
        100,
        lambda n: decision(mutations=[{**attach(), "props": {f"k{i}": 1 for i in range(n)}}]),
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_a_decision(name):
    limit, make = LIMITS[name]
    assert parse(body(make(limit - 1)))
    assert parse(body(make(limit)))
    with pytest.raises(TooLarge) as refused:
        parse(body(make(limit + 1)))
    members = refused.value.members
    assert (members["limit"], members["size"]) == (limit, limit + 1)
    assert members["field"].startswith("/decision/")


@pytest.mark.parametrize(("extra", "taken"), [(-1, True), (0, True), (1, False)])
def test_a_decision_has_64_kib_of_canonical_bytes(extra, taken):
    texts = {"rationale": "r" * 8_000, **rejected(20, "o" * 1_000, "r" * 1_000)}
    size = len(json.dumps(decision(**texts, refs=[]), separators=(",", ":")))
    refs, room = [], 64 * 1024 + extra - size
    while room > 0:
        overhead = len('{"rel":"adr","url":""}') + bool(refs)
        length = min(2_000, room - overhead)
        if 0 < room - overhead - length <= overhead:
            length -= 2 * overhead
        refs.append({"rel": "adr", "url": "u" * length})
        room -= overhead + length
    if taken:
        assert len(parse(body(decision(**texts, refs=refs))).decisions[0].bytes) == 65_536 + extra
        return
    with pytest.raises(TooLarge) as refused:
        parse(body(decision(**texts, refs=refs)))
    assert refused.value.members["size"] == 65_537


@pytest.mark.parametrize(("extra", "taken"), [(-1, True), (0, True), (1, False)])
def test_a_request_has_1_mib(extra, taken):
    data = body()
    data += b" " * (SIZE_LIMIT + extra - len(data))
    if taken:
        assert parse(data)
        return
    with pytest.raises(TooLarge) as refused:
        parse(data)
    assert refused.value.members["limit"] == 1024 * 1024


@pytest.mark.parametrize(("count", "taken"), [(99, True), (100, True), (101, False)])
def test_a_request_has_100_decisions(count, taken):
    data = json.dumps({"decisions": [decision(title=str(n)) for n in range(count)]}).encode()
    if taken:
        assert len(parse(data).decisions) == count
        return
    with pytest.raises(TooLarge):
        parse(data)


@pytest.mark.parametrize("field", ["seen", "overrule", "beside"])
def test_verdicts_name_up_to_2000_ids(field):
    assert len(getattr(parse(body(**{field: ids(2_000)})).verdicts, field)) == 2_000
    with pytest.raises(TooLarge):
        parse(body(**{field: ids(2_001)}))


@pytest.mark.parametrize(("extra", "taken"), [(-1, True), (0, True), (1, False)])
def test_circumstances_have_8_kib(extra, taken):
    files = ["f" * 1_000] * 8
    size = len(json.dumps({"files": [*files, ""]}, separators=(",", ":")))
    files.append("f" * (CIRCUMSTANCES_LIMIT + extra - size))
    if taken:
        assert parse(body(circumstances={"files": files}))
        return
    with pytest.raises(TooLarge) as refused:
        parse(body(circumstances={"files": files}))
    assert refused.value.members["field"] == "/circumstances"


REFUSED = {
    "no object": b"[]",
    "neither": b"{}",
    "both": json.dumps({"decision": decision(), "decisions": [decision()]}).encode(),
    "no decisions": b'{"decisions":[]}',
    "unknown field": body(surprise=1),
    "unknown field of a decision": body(decision(surprise=1)),
    "unknown field of a mutation": body(decision(mutations=[{**attach(), "surprise": 1}])),
    "unknown circumstance": body(circumstances={"surprise": "x"}),
    "no title": body({"mutations": [attach()]}),
    "blank title": body(decision(title=" \u00a0\t")),
    "no element": body({"title": "T"}),
    "unknown outcome": body(decision(outcome="maybe")),
    "unknown op": body(decision(mutations=[{"op": "rename"}])),
    "unknown on_unseen": body(on_unseen="ignore"),
    "a float": b'{"decision":{"title":"T","mutations":[],"x":1.5}}',
    "a nested value": body(prop({"a": 1})),
    "a list of numbers": body(prop([1])),
    "paths as a text": body(prop("src/**", key="Paths")),
    "an element without a colon": body(
        decision(mutations=[{**prop(1)["mutations"][0], "element": "x"}])
    ),
    "a slot set twice": body(
        decision(
            mutations=[prop(1)["mutations"][0], {**prop(2)["mutations"][0], "element": " A : B "}]
        )
    ),
    "a link added and retired": body(
        decision(
            mutations=[
                {"op": op, "from": "a:b", "link": link, "to": "c:d"}
                for op, link in [("add_link", "USES"), ("retire_link", "uses")]
            ]
        )
    ),
    "a verdict given twice": body(overrule=ids(1), beside=ids(1)),
    "an id named twice": body(decision(supersedes=ids(1) * 2)),
    "an id of another form": body(decision(supersedes=["d_1"])),
    "an id with a newline": body(decision(supersedes=[ids(1)[0] + "\n"])),
    "seen with a newline": body(seen=[ids(1)[0] + "\n"]),
    "a key with a newline": body(key="k\n"),
    "an empty key": body(key=""),
    "a key with a hash": body(key="a#b"),
    "a date with a newline": body(decision(date="2026-01-01\n")),
    **{
        f"the date {date}": body(decision(date=date))
        for date in (
            "2026-02-30",
            "0000-01-01",
            "2026-1-1",
            "2026-01-01T25:00:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00+01:00",
            "2026-01-01 00:00:00Z",
            "٢٠٢٦-01-01",
        )
    },
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_what_breaks_a_rule_is_refused_with_the_field(data):
    with pytest.raises(Invalid) as refused:
        parse(data)
    assert "field" in refused.value.members


@pytest.mark.parametrize(
    "date", ["2024-02-29", "2026-01-01T00:00:00Z", "2026-01-01T23:59:59.123456Z"]
)
def test_dates_that_are_taken(date):
    assert parse(body(decision(date=date))).decisions[0].date == date


def test_nothing_is_filled_in():
    content = decision()
    sent = parse(body(content)).decisions[0]
    assert sent.content == content
    assert (sent.outcome, sent.date, sent.supersedes) == ("adopted", None, ())


def test_who_asks_without_a_key_gets_a_fresh_one():
    assert parse(body()).key != parse(body()).key
    assert parse(body(key="01K")).key == "01K"


def test_the_request_is_its_decisions_and_not_how_they_were_sent():
    plain = parse(body())
    assert plain.sha256 == parse(body(on_unseen="branch", seen=ids(3), circumstances={})).sha256
    assert plain.sha256 != parse(body(decision(title="Other"))).sha256


@pytest.mark.parametrize("data", [*REFUSED.values(), body(decision(title="hush " * 99))])
def test_no_refusal_repeats_what_was_decided(data):
    text = data.decode().replace('"title": "T"', '"title": "hush"')
    with pytest.raises(Refusal) as refused:
        parse(text.encode())
    assert "hush" not in json.dumps(refused.value.problem())


MANY = {
    "what does not sort": lambda n: {"decision": decision(supersedes=[{"a": 0}] * n)},
    "ids that are none": lambda n: {"decision": decision(), "seen": ["x"] * n},
    "files": lambda n: {"decision": decision(), "circumstances": {"files": ["x"] * n}},
    "unknown fields": lambda n: {"decision": decision(), **{f"f{i}": 0 for i in range(n)}},
    "props": lambda n: {
        "decision": decision(mutations=[{**attach(), "props": {f"k{i}": {} for i in range(n)}}])
    },
}


@pytest.mark.parametrize("what", MANY)
def test_a_request_is_refused_in_time_that_grows_with_its_bytes_alone(what):
    items = 2_000
    sent = json.dumps(MANY[what](items)).encode()
    calls = 0

    def count(_frame, event, _arg):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        with pytest.raises(Refusal):
            parse(sent)
    finally:
        sys.setprofile(None)
    assert calls < 10 * items + 10_000


def test_a_secret_is_found_in_the_last_of_many_short_texts():
    secret = "gh" + "p_" + "aB3dE5gH7jK9" * 3
    files = [*["x"] * 100, secret]
    with pytest.raises(Refusal) as refused:
        parse(body(circumstances={"files": files}))
    assert refused.value.members == {"field": "/circumstances/files/100", "rule": "GitHub Token"}
