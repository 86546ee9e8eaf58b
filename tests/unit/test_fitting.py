"""Shares of a room, and cuts."""

import pytest
from precedent.fitting import clipped, fair_shares, shares_of_use


def test_what_one_leaves_the_others_divide():
    assert fair_shares([10, 100, 100], 110) == [10, 50, 50]
    assert fair_shares([10, 20], 100) == [10, 20]
    assert fair_shares([10, 20], -5) == [0, 0]
    assert fair_shares([], 7) == []


def test_the_first_get_a_share_of_use_before_anybody_gets_more():
    assert shares_of_use([100, 100, 100], [40, 40, 40], 90) == [45, 45, 0]
    assert shares_of_use([1000, 10, 100], [40, 40, 40], 100) == [45, 10, 45]
    assert shares_of_use([100], [40], 39) == [0]


def test_a_text_is_cut_after_a_word():
    assert clipped("one two three", 13) == "one two three"
    assert clipped("one two three", 12) == "one two…"
    assert clipped("one two three", 8) == "one two…"
    assert clipped("one two three", 1) == "…"
    assert clipped("one two three", 0) == ""


def test_where_no_word_ends_it_is_cut_between_characters():
    assert clipped("搜索引擎用什么", 5) == "搜索引擎…"
    assert clipped("a" * 20, 5) == "aaaa…"
    assert clipped("aaae\u0301aaa", 5) == "aaa…"
    assert clipped("aa👩\u200d👧aaa", 5) == "aa…"


@pytest.mark.parametrize("limit", range(3, 14))
def test_what_is_spelled_out_is_not_cut_in_two(limit):
    assert clipped("ab\\U000e0041cdefgh", limit) in ("ab…", "ab\\U000e0041…")
    assert clipped("ab\\u202ecdefghijkl", limit)[:3] in ("ab…", "ab\\")
    assert len(clipped("ab\\u202ecdefghijkl", limit)) <= limit
