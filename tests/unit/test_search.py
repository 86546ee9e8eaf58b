"""Search: the decision that matters is among the first, and nothing superseded slips in."""

import pytest
from precedent import candidates
from precedent.query import parse
from precedent.search import search

from tests.property.shop import Shop, adopted, attach, id_of, prop, request_of


def found(shop, q, *asked, **options):
    return search(shop.projection, "shop", parse(q), *asked, **options)


def titles(answer):
    return [hit.title for hit in answer.hits]


@pytest.fixture
def shop():
    shop = Shop()
    shop.send(
        "alice.laptop",
        adopted(
            "Search runs on Postgres",
            prop("feature:product-search", "engine", "postgres"),
            rationale="One store to operate. Retries use exponential backoff.",
            rejected=[{"option": "Elasticsearch", "reason": "Cluster cost"}],
        ),
    )
    shop.send(
        "bob.desk",
        adopted(
            "Retries are capped at three",
            prop("service:gateway", "retries", 3),
            prop("service:gateway", "paths", ["gateway/**"]),
            prop("service:gateway", "tags", ["Reliability", "cost"]),
            rationale="Backoff, exponential and with jitter, ends after three.",
            date="2026-01-15",
        ),
        adopted("検索は辞書を使う", attach("feature:suche")),
        adopted("Kafka was too heavy", attach("service:queue"), outcome="rejected"),
    )
    return shop


@pytest.mark.parametrize(
    ("q", "first"),
    [
        ("which store runs search", "Search runs on Postgres"),
        ("productSearch", "Search runs on Postgres"),
        ("elasticsearch cluster", "Search runs on Postgres"),
        ("retrying", "Retries are capped at three"),
        ("jitter", "Retries are capped at three"),
        ("検索", "検索は辞書を使う"),
        ("辞書を", "検索は辞書を使う"),
        ("Söarch pöstgres", "Search runs on Postgres"),
    ],
)
def test_the_first_hit(shop, q, first):
    assert titles(found(shop, q))[0] == first


@pytest.mark.parametrize(
    ("q", "titles_found"),
    [
        ('"exponential backoff"', ["Search runs on Postgres"]),
        ("backoff -jitter", ["Search runs on Postgres"]),
        ("backoff by:bob", ["Retries are capped at three"]),
        ("backoff by:bo", []),
        ("backoff by:alice.laptop", ["Search runs on Postgres"]),
        ("backoff kind:service", ["Retries are capped at three"]),
        ("backoff tag:reliability", ["Retries are capped at three"]),
        ("backoff path:gateway/src/main.py", ["Retries are capped at three"]),
        ("backoff path:elsewhere.py", []),
        ("backoff since:2026-01-10", ["Retries are capped at three"]),
        ("backoff since:2026-02-01", []),
    ],
)
def test_filters(shop, q, titles_found):
    assert titles(found(shop, q)) == titles_found


def test_dead_ends_are_found_where_asked_for_and_marked(shop):
    assert titles(found(shop, "kafka")) == []
    for include in ("dead_ends", "all"):
        assert [hit.state for hit in found(shop, "kafka", include).hits] == ["dead_end"]


def test_what_is_superseded_is_found_only_where_asked_for_and_marked(shop):
    old = found(shop, "search postgres").hits[0].id
    new = adopted("Search runs on Elastic", prop("feature:product-search", "engine", "elastic"))
    shop.send("bob.desk", {**new, "supersedes": [old]})
    assert titles(found(shop, "search engine")) == ["Search runs on Elastic"]
    answer = found(shop, "search postgres", "superseded")
    states = {hit.title: (hit.state, hit.displaced_by) for hit in answer.hits}
    assert states["Search runs on Postgres"] == (
        "superseded",
        [id_of({**new, "supersedes": [old]})],
    )
    assert states["Search runs on Elastic"][0] == "in_force"


def test_a_decision_two_people_recorded_is_found_once(shop):
    again = adopted("Search runs on Postgres", prop("feature:product-search", "engine", "postgres"))
    shop.send("carol.mac", again)
    shop.send_unaware("dave.mac", [], request_of(again, key="k", on_unseen="branch"))
    shop.sweep()
    (hit,) = [h for h in found(shop, "postgres").hits if h.id == id_of(again)]
    assert {each.writer for each in hit.recorded} == {"carol.mac", "dave.mac"}


def test_one_slip_in_a_longer_word_is_forgiven_and_told(shop):
    answer = found(shop, "postgers")
    assert titles(answer) == ["Search runs on Postgres"]
    assert answer.corrected == {"postgers": ["postgres"]}


def test_where_nothing_is_found_words_like_it_are_offered(shop):
    answer = found(shop, "exponentially-backed elasticity")
    assert answer.state in ("ok", "empty")
    answer = found(shop, "gatepays")
    assert (answer.state, answer.hits, answer.near) == ("empty", [], ["gateway"])


def test_conflicts_are_flagged(shop):
    other = adopted("Search on Solr", prop("feature:product-search", "engine", "solr"))
    shop.send("bob.desk", other, on_unseen="branch")
    assert [hit.conflicts for hit in found(shop, "search").hits] == [
        ["feature:product-search.engine"]
    ] * 2


def test_of_equals_the_newest_comes_first():
    shop = Shop()
    for day in ("2026-01-02", "2026-01-03", "2026-01-01"):
        shop.send("a", adopted("Same words", attach("a:b"), date=day))
    assert [hit.date for hit in found(shop, "words").hits] == [
        "2026-01-03",
        "2026-01-02",
        "2026-01-01",
    ]


def test_snippets_mark_the_words_that_matched(shop):
    title, rationale = found(shop, "backoff capped").hits[0].snippets
    assert [title.text[a:b] for a, b in title.marks] == ["capped"]
    assert [rationale.text[a:b] for a, b in rationale.marks] == ["Backoff"]


def test_snippets_are_harmless():
    shop = Shop()
    shop.send(
        "a",
        adopted(
            "T", attach("a:b"), rationale="ignore\u202e <script>x</script> ![i](http://e) \x1b[2J"
        ),
    )
    (snippet,) = [
        s for s in found(shop, "ignore script").hits[0].snippets if s.field == "rationale"
    ]
    assert "<script" not in snippet.text
    assert "![" not in snippet.text
    assert "\u202e" not in snippet.text
    assert "\x1b" not in snippet.text
    assert next(snippet.text[a:b] for a, b in snippet.marks) == "ignore"


def test_explain_shows_what_each_word_adds(shop):
    (hit,) = found(shop, "jitter gateway", explain=True).hits
    assert set(hit.explain) == {"jitter", "gateway"}
    assert sum(each["score"] for each in hit.explain.values()) == pytest.approx(hit.score, abs=0.01)
    assert hit.explain["jitter"]["fields"].keys() == {"rationale"}
    assert found(shop, "jitter").hits[0].explain is None


def test_very_common_words_stay_bounded_and_say_so(monkeypatch):
    monkeypatch.setattr(candidates, "PAGE", 5)
    shop = Shop()
    for number in range(8):
        shop.send("a", adopted(f"Number {number} cache" + " word" * number, attach("a:b")))
    answer = found(shop, "cache")
    assert answer.common == ["cache"]
    assert answer.count == 5
    assert answer.hits[0].title == "Number 0 cache"
    assert found(shop, "number cache").common == ["number", "cache"]


def test_an_empty_project_is_told_as_one():
    assert search(None, "shop", parse("anything")).state == "empty"
    assert found(Shop(), "anything").state == "empty"


def test_what_is_shown_was_not_lost_when_the_pages_were_read(shop):
    """A search that meets a lost entry reads the pages again: what displaced it is there by then."""
    (old,) = [hit.id for hit in found(shop, "postgres").hits]
    new = {
        **adopted("Search on Solr", prop("feature:product-search", "engine", "solr")),
        "supersedes": [old],
    }
    projection = shop.projection
    sent = []

    def before(name):
        if name == "statuses" and not sent:
            sent.append(True)
            shop.send("bob.desk", new)

    projection.before = before
    assert titles(search(projection, "shop", parse("search"))) == ["Search on Solr"]


def test_a_redacted_decision_is_not_found_and_is_no_error(shop):
    (hit,) = found(shop, "postgres").hits
    del shop.pointers.table[shop.projection.keys.body(hit.id)]
    assert found(shop, "postgres").hits == []
