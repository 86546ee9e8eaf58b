"""What is asked in words: read, or refused with what to do."""

import pytest
from precedent.errors import Invalid, TooLarge
from precedent.query import LIMIT, TERMS, parse, words


def test_words_phrases_minus_and_filters():
    query = parse(
        'retry "exponential backoff" -kafka -"dead letter" kind:Service by:alice since:2026-01-31'
    )
    assert query.terms == ("retri", "exponenti", "backoff")
    assert query.phrases == (("exponenti", "backoff"),)
    assert query.without == (("kafka",), ("dead", "letter"))
    assert query.kinds == {"service"}
    assert query.writers == ("alice",)
    assert query.since == "2026-01-31"


def test_a_filter_takes_a_quoted_value():
    assert parse('x1 kind:"data store" tag:"Cost Saving"').kinds == {"data store"}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('"unbalanced quote', ("unbalanc", "quot")),
        ("(a|b)*?.+foo[0-9]{3}", ("foo", "09")),
        ("https://example.org/a", ("https", "exampl", "org")),
        ("- + && || foo", ("foo",)),
        ("product-search", ("product", "search", "productsearch")),
        ("\u202eabc\u202c \U0001f680 launch", ("abc", "launch")),
        ("שלום עולם", ("שלום", "עולם")),
    ],
)
def test_anything_else_is_words(text, terms):
    assert parse(text).terms == terms


@pytest.mark.parametrize(
    "text",
    ["the of and", "-kafka", "kind:service", '""', "* ? +", "\U0001f680", '-"a b"', "how", " "],
)
def test_what_names_nothing_is_refused_with_the_way_out(text):
    with pytest.raises(Invalid, match="Write words"):
        parse(text)


@pytest.mark.parametrize(
    "text", ["x1 since:yesterday", "x1 since:2026-13-01", "x1 -kind:a", "x1 path:../x", "a\0b"]
)
def test_what_is_not_understood_is_refused(text):
    with pytest.raises(Invalid):
        parse(text)


def test_a_question_has_a_length():
    parse("word " * (LIMIT // 5))
    with pytest.raises(TooLarge):
        parse("word " * 10_000)


def test_words_past_the_limit_are_named():
    asked = [f"word{chr(97 + n)}" for n in range(TERMS + 2)]
    query = parse(" ".join(asked))
    assert len(query.sought) == TERMS
    assert query.unread == tuple(asked[TERMS:])


def test_any_text_is_a_question_of_the_words_it_says_most_often():
    query = words(
        "The cache. " * 3 + "queue queue " + " ".join(f"filler{chr(97 + n)}" for n in range(20))
    )
    assert query.terms[:2] == ("cach", "queue")
    assert len(query.sought) == TERMS
    assert words("of the").sought == ()
