"""Canonical JSON out, strict JSON in."""

import hashlib
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedent.canonical import MAX_INTEGER, dumps, loads, sha256
from precedent.errors import Invalid, TooLarge


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, "{}"),
        ({"b": 1, "a": [True, False, None]}, '{"a":[true,false,null],"b":1}'),
        ({"text": "ü€\U0001f600"}, '{"text":"ü€\U0001f600"}'),
        ('\b\t\n\f\r"\\/', '"\\b\\t\\n\\f\\r\\"\\\\/"'),
        ("\x1f\x7f\u2028", '"\\u001f\x7f\u2028"'),
        # RFC 8785 orders keys by UTF-16 code units: U+1F600 begins with D83D, before U+FB33.
        ({"\ufb33": 1, "\U0001f600": 2, "\u20ac": 3}, '{"\u20ac":3,"\U0001f600":2,"\ufb33":1}'),
        ([MAX_INTEGER, -MAX_INTEGER, 0], "[9007199254740991,-9007199254740991,0]"),
    ],
)
def test_golden_vectors(value, expected):
    assert dumps(value) == expected.encode()


def test_the_hash_is_the_sha256_of_the_bytes():
    assert sha256(b"abc") == hashlib.sha256(b"abc").hexdigest()


scalars = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER)
texts = st.text(st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\0"), max_size=9)
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_what_is_written_reads_back_and_is_written_the_same(value):
    assert loads(dumps(value)) == value
    assert dumps(loads(dumps(value))) == dumps(value)


@given(values)
def test_what_a_client_without_the_library_writes_is_the_same_for_ascii_keys(value):
    """The plugin has the standard library only; see the restrictions it holds itself to."""
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if plain.isascii() and "\x7f" not in plain:
        assert plain.encode() == dumps(value)


def nested(levels, around=b"[]"):
    return around[:1] * levels + around[1:] * levels


def test_20_levels_are_taken_and_21_are_not():
    assert loads(nested(20))
    with pytest.raises(TooLarge) as refused:
        loads(nested(21))
    assert refused.value.members["limit"] == 20


@pytest.mark.parametrize("levels", [200, 990, 1_010, 100_000])
def test_however_deep_it_is_refused_and_nothing_breaks(levels):
    with pytest.raises(TooLarge):
        loads(nested(levels))
    with pytest.raises(TooLarge):
        loads(b'{"a":' * levels + b"1" + b"}" * levels)


@pytest.mark.parametrize("number", [str(2**53 - 1), str(-(2**53) + 1), "0", "-0"])
def test_integers_up_to_2_to_the_53_less_one(number):
    assert loads(number.encode()) == int(number)


@pytest.mark.parametrize(
    "data",
    [
        b"9007199254740992",
        b"-9007199254740992",
        b"9007199254740993",
        b"9" * 5_000,
        b"1.0",
        b"1e3",
        b"1E400",
        b"-0.0",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":2}',
        b'[{"a":{"b":1,"b":2}}]',
        b'"\\ud800"',
        b'"\\udc00\\ud800"',
        b'{"\\ud800":1}',
        b'"\\u0000"',
        b'{"\\u0000":1}',
        b'"\x00"',
        b"\xff",
        b'"\xed\xa0\x80"',
        b"\xef\xbb\xbf{}",
        b"",
        b"{} {}",
        b"{'a':1}",
        b"[1,]",
        '"\u0378"'.encode(),
        '{"\u0378":1}'.encode(),
    ],
)
def test_whatever_is_not_strict_json_is_refused(data):
    with pytest.raises(Invalid):
        loads(data)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_bytes_raise_anything_but_a_refusal(data):
    with suppress(Invalid, TooLarge):
        loads(data)


def test_a_paired_surrogate_is_a_character():
    assert loads(b'"\\ud83d\\ude00"') == "\U0001f600"


def test_a_key_that_stands_twice_is_not_repeated_in_the_answer():
    """It may be a secret; nothing has looked at it yet."""
    with pytest.raises(Invalid) as refused:
        loads(b'{"hunter2":1,"hunter2":2}')
    assert "hunter2" not in str(refused.value.problem())
