"""What the client prints of others' text hides what the service hides, and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedent import escape as services
from precedent_client import escape

import tests.unit.client_support  # noqa: F401  puts the client on the path  # isort: split

# Every character of the planes in use, each between two letters, as nothing in an emoji or a script needs it.
CHARACTERS = [
    chr(code)
    for code in (*range(0x80, 0x12000), *range(0x1F000, 0x20000), *range(0xE0000, 0xE1100))
]


def hidden_by(told: str) -> list[str]:
    return [
        one for one, shown in zip(CHARACTERS, told.split(" a "), strict=True) if one not in shown
    ]


def test_the_same_characters_are_hidden_as_by_the_service() -> None:
    text = " a ".join(CHARACTERS)
    hidden = hidden_by(services.inline(text))
    assert hidden_by(escape.text(text)) == hidden
    assert {"\u202e", "\u200b", "\u3164", "\ufe0f", "\U000e0041", "\x9b"} <= set(hidden)
    assert not {"é", "搜", "\U0001f469"} & set(hidden)


ODD = st.text(
    st.sampled_from("a1#é❤👩क\u0301\u200c\u200d\ufe0e\ufe0f\u180b\u202e\u3164\x1b"), max_size=12
)


@given(ODD)
def test_and_where_a_script_or_an_emoji_needs_one_it_stays(text: str) -> None:
    theirs = services.inline(text).replace("\\u001b", "\\x1b")
    assert escape.text(text) == theirs


@given(ODD | st.text(max_size=30))
def test_as_json_it_says_the_same_and_is_as_safe(text: str) -> None:
    shown = escape.json_text({"k": text})
    assert json.loads(shown) == {"k": text}
    assert escape.text(shown) == shown


@pytest.mark.parametrize("text", ["![x](http://example.com/?q=1)", "a\\![x](y)", "!![x](y)"])
def test_an_image_is_inert(text: str) -> None:
    assert "![" not in escape.text(text)
    assert "![" not in escape.json_text(text)
    assert json.loads(escape.json_text(text)) == text
