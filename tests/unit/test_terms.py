"""The words of a text as search knows them."""

import pytest
from precedent.spelling import half_of, halves, is_near
from precedent.terms import TERM_LIMIT, composed, terms_of, tokens


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("retries retrying retried retry", ["retri"] * 4),
        ("productSearch", ["product", "search", "productsearch"]),
        ("product_search", ["product", "search", "productsearch"]),
        ("product-search", ["product", "search", "productsearch"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("EC2 s3", ["ec", "ec2", "s3"]),
        ("PostgreSQL postgresql", ["postgr", "sql", "postgresql", "postgresql"]),
        ("café cafe\u0301 CAFE naïve", ["cafe", "cafe", "cafe", "naiv"]),
        ("Straße ﬁle", ["strass", "file"]),
        ("関数の検索", ["関数", "数の", "の検", "検索"]),
        ("Lambda関数", ["lambda", "関数"]),
        ("猫", ["猫"]),
        ("캐시", ["캐시"]),
        ("кэш Кэш", ["кэш", "кэш"]),
        ("قرار", ["قرار"]),
        ("how do we use it, and why?", ["use"]),
        ("*" * 1000 + " -- ** :: \U0001f600 \u202e", []),
        ("", []),
    ],
)
def test_terms(text, terms):
    assert terms_of(text) == terms


def test_a_word_without_end_is_cut_alike_wherever_it_stands():
    assert terms_of("x" * 5000) == ["x" * TERM_LIMIT] == terms_of("x" * 4999)


def test_tokens_say_where_they_stand():
    text = composed("The HTTPServer of cafe\u0301s")
    found = {text[token.start : token.end] for token in tokens(text) if token.role != "stop"}
    assert found == {"HTTP", "Server", "HTTPServer", "cafés"}


@pytest.mark.parametrize(
    "slip", ["postgers", "postgre", "postgress", "oostgres", "postgrws", "postgrse", "postrges"]
)
def test_every_slip_leaves_a_half_the_word_is_kept_under(slip):
    word = "postgres"
    assert is_near(slip, word)
    kept = {(len(word), half_of(word, len(word), backwards=way), way) for way in (True, False)}
    assert kept & set(halves(slip))


@pytest.mark.parametrize("other", ["postgres", "postgrsee", "mysql", "pstgre", "psotgrse"])
def test_more_than_one_slip_is_another_word(other):
    assert not is_near("postgres", other)
