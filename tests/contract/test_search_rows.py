"""The contract of what search reads and writes: rows by the hundred, terms by weight, words by half."""

from __future__ import annotations

import pytest
from precedent.entry import Dot
from precedent.ports import Projection
from precedent.rows import ConflictRow, SearchRow, WordRow
from precedent.spelling import half_of

from tests.contract.conftest import ProjectionOf
from tests.contract.samples import CART, SEARCH

ALICE, BOB = Dot("alice", 1), Dot("bob", 7)


def test_the_rows_of_a_term_come_by_falling_weight_then_by_dot(projection: Projection) -> None:
    light, heavy, zero = (SearchRow("cach", "f", weight, ALICE) for weight in (7, 999, 0))
    same = SearchRow("cach", "f", 7, BOB)
    projection.write([same, zero, light, heavy])
    projection.write([SearchRow("cach", "d", 500, ALICE), SearchRow("cache", "f", 500, ALICE)])
    assert projection.postings("cach", "f", 10) == [heavy, light, same, zero]
    assert projection.postings("cach", "f", 2) == [heavy, light]
    assert projection.postings("cach", "p", 10) == []


def test_many_rows_are_put_and_deleted_at_once_and_again(projection: Projection) -> None:
    rows = [SearchRow(f"term{n}", "f", n, ALICE) for n in range(60)]
    moved = [SearchRow(row.term, "p", row.weight, row.dot) for row in rows[:40]]
    for _ in range(2):
        projection.write(rows)
        projection.write(moved, rows)
    found = [projection.postings(row.term, shelf, 5) for row in rows for shelf in "fp"]
    assert [row for page in found for row in page] == moved
    projection.write([])


def test_words_are_found_by_either_half(projection: Projection) -> None:
    words = ["postgres", "posthorn", "ingresso", "mistress"]
    projection.write([WordRow(word, backwards=way) for word in words for way in (False, True)])
    for word in words:
        for way in (False, True):
            half = half_of(word, 8, backwards=way)
            meant = [w for w in sorted(words) if half_of(w, 8, backwards=way) == half]
            assert projection.words(8, half, 10, backwards=way) == meant
            assert projection.words(8, half, 1, backwards=way) == meant[:1]
    assert projection.words(9, "post", 10) == []


def test_a_word_is_known_by_its_row_forwards(projection: Projection) -> None:
    projection.write([WordRow("postgres"), WordRow("mistress", backwards=True)])
    assert projection.known_words(["postgres", "mistress", "other"]) == {"postgres"}
    assert projection.known_words([]) == set()


def test_the_conflict_hints_of_one_element(projection: Projection) -> None:
    mine, other = ConflictRow(SEARCH, "p:a", ALICE), ConflictRow(CART, "p:a", ALICE)
    projection.put(mine)
    projection.put(other)
    assert list(projection.conflicts(element=SEARCH)) == [mine]
    assert {*projection.conflicts()} == {mine, other}


@pytest.mark.parametrize("neighbour", ["shop-api", "sho"])
def test_a_neighbour_is_not_searched(
    projection_of: ProjectionOf, tenant: str, neighbour: str
) -> None:
    projection_of(tenant, neighbour, "g1").write(
        [SearchRow("cach", "f", 1, ALICE), WordRow("cache")]
    )
    mine = projection_of(tenant, "shop", "g1")
    assert mine.postings("cach", "f", 10) == []
    assert mine.known_words(["cache"]) == set()
