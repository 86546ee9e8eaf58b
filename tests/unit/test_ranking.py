"""Recall ranked for the task at hand: element, path, words, task and branch together."""

from dataclasses import replace

import pytest
from precedent.element import parse_name
from precedent.query import Query, joined, parse, words
from precedent.ranking import ON_BRANCH, ranking
from precedent.recall import recall, targets

from tests.property.shop import Shop, adopted, id_of, prop

CACHE = adopted("The cache is in memory", prop("service:api", "cache", "memory"), date="2026-01-01")
RETRY = adopted("Retries back off", prop("service:api", "retries", 3), date="2026-02-01")
QUEUE = adopted("Jobs queue in Redis", prop("service:jobs", "queue", "redis"), rationale="Retries.")
PATHS = [
    adopted("Where", prop("service:api", "paths", ["api/**"])),
    adopted("Where too", prop("repository:shop", "paths", ["**"])),
]


@pytest.fixture
def shop():
    shop = Shop()
    shop.send("alice", CACHE, RETRY, *PATHS)
    shop.send("bob", QUEUE, circumstances={"branch": "jobs"})
    return shop


def recalled(shop, names=(), paths=(), question=None, branch=None, *, explain=False):
    projection = shop.projection
    area = targets(projection, [parse_name(name, "") for name in names], paths)
    area, ranked = ranking(projection, area, question, branch)
    answer, _ = recall(projection, "shop", area)
    return ranked.ordered(answer, explain=explain)


def elements(answer):
    return [f"{each.kind}:{each.name}" for each in answer.elements]


def test_words_bring_the_elements_of_what_they_find(shop):
    answer = recalled(shop, question=parse("redis"))
    assert elements(answer) == ["service:jobs"]
    assert answer.elements[0].why == "“Jobs queue in Redis” says redis"
    assert answer.ranked.words == ["redis"]
    assert answer.ranked.scores is None


def test_words_order_what_is_told_of_an_element(shop):
    plain = recalled(shop, ["service:api"])
    assert plain.elements[0].in_force[:2] != [id_of(CACHE)]
    answer = recalled(shop, ["service:api"], question=parse("memory cache"))
    assert answer.elements[0].in_force[0] == id_of(CACHE)


def test_what_is_near_and_says_what_was_asked_comes_first(shop):
    answer = recalled(shop, paths=["api/main.py"], question=parse("redis queue"))
    assert elements(answer) == ["service:api", "service:jobs", "repository:shop"]
    answer = recalled(shop, ["service:jobs"], ["api/main.py"], parse("cache in memory"))
    assert elements(answer)[0] == "service:api"


def test_a_task_is_any_text(shop):
    text = "Please make sure that the jobs do not fill up Redis. (And write a test!)"
    answer = recalled(shop, question=words(text))
    assert elements(answer)[0] == "service:jobs"
    assert joined(parse("cache"), words(text)).terms[0] == "cach"
    assert joined(Query(), words("of the")).sought == ()


def test_a_branch_puts_first_what_was_recorded_on_it(shop):
    later = adopted("Jobs are small", prop("service:jobs", "size", 1), date="2027-01-01")
    shop.send("bob", later)
    assert recalled(shop, ["service:jobs"]).elements[0].in_force[0] == id_of(later)
    answer = recalled(shop, ["service:jobs"], branch="jobs", explain=True)
    assert answer.elements[0].in_force[0] == id_of(QUEUE)
    assert answer.ranked.scores[id_of(QUEUE)]["branch"] == ON_BRANCH


def test_explain_shows_each_score_and_changes_no_order(shop):
    asked = (["service:jobs"], ["api/main.py"])
    answer = recalled(shop, *asked, explain=True)
    assert replace(answer, ranked=None) == recalled(shop, *asked)
    scores = answer.ranked.scores
    assert scores[id_of(QUEUE)] == {"element": 1, "path": 0, "words": 0, "branch": 0, "total": 1}
    assert scores[id_of(CACHE)]["path"] == 1
    told = recalled(shop, *asked, question=parse("cache"), explain=True).ranked.scores
    assert told[id_of(CACHE)]["words"] > told[id_of(QUEUE)]["words"] == 0
    assert all(
        sum(parts.values()) == pytest.approx(2 * parts["total"], abs=0.01)
        for parts in told.values()
    )


def test_nothing_superseded_slips_in(shop):
    shop.send("alice", adopted("The cache is shared", prop("service:api", "cache", "redis"),
                               supersedes=[id_of(CACHE)]))  # fmt: skip
    assert id_of(CACHE) not in recalled(shop, question=parse("cache memory")).decisions


def test_an_empty_project():
    area, ranked = ranking(None, [], parse("anything"), None)
    answer, _ = recall(None, "shop", area)
    assert ranked.ordered(answer, explain=True).state == "empty"
