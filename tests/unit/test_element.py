"""Elements: one name, however it is written, is one element; its id never changes."""

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedent.element import (
    Name,
    checked_name,
    checked_token,
    element_id,
    link_slot,
    normalise,
    other_end,
    parse_name,
    property_slot,
    reverse_slot,
    slot_label,
)
from precedent.errors import Invalid, TooLarge


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("feature", "product-search", "el_d18df2418c129c30a0b8"),
        ("topic", "DNS infrastructure", "el_5715c0cf51559f782720"),
        ("Straße", "İstanbul", "el_a4f21db294737bbe8c37"),
        ("サービス", "検索", "el_bd99ef59140ac7f8831b"),
    ],
)
def test_ids_are_pinned(kind, name, expected):
    assert element_id(kind, name) == expected


def test_the_formula_of_an_id():
    preimage = b"feature\0product search"
    expected = "el_" + hashlib.sha256(preimage).hexdigest()[:20]
    assert element_id(" Feature ", "Product\t SEARCH") == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "Cafe\u0301"),
        ("ﬁle", "FILE"),
        ("Straße", "STRASSE"),
        ("a\u00a0b", "a b"),
        ("a\u3000\u2003 b", "a b"),
        ("  a \n b\t", "a b"),
        ("Ａ１", "a1"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("ǅ", "ǆ"),
        ("ẛ̣", "ṩ"),
        ("각", "\u1100\u1161\u11a8"),
    ],
)
def test_spellings_that_are_one_name(one, other):
    assert element_id("topic", one) == element_id("topic", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("İ", "i"), ("ı", "i"), ("a b", "ab"), ("a-b", "a_b"), ("é", "e"), ("а", "a"), ("ー", "-")],
)
def test_spellings_that_are_two_names(one, other):
    assert element_id("topic", one) != element_id("topic", other)


def test_kind_and_name_do_not_run_into_each_other():
    assert element_id("ab", "c") != element_id("a", "bc")


SCRIPTS = "Latin Ελληνικά Кириллица עברית العربية हिन्दी বাংলা தமிழ் ไทย ລາວ မြန်မာ ქართული አማርኛ ខ្មែរ 中文 ひらがな 한국어"


@pytest.mark.parametrize("word", SCRIPTS.split())
def test_every_script_has_names(word):
    name = checked_name("topic", word, "")
    assert name.name == word
    composed, decomposed = (unicodedata.normalize(form, word) for form in ("NFC", "NFD"))
    assert element_id("topic", composed) == element_id("topic", decomposed) == name.id


def test_normalising_any_one_character_twice_is_normalising_it_once():
    for code in range(0x110000):
        char = chr(code)
        if unicodedata.category(char) not in ("Cs", "Cn"):
            assert normalise(normalise(char)) == normalise(char), hex(code)


@given(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=12))
def test_normalising_twice_is_normalising_once(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=12))
def test_composed_and_decomposed_are_one(text):
    assert normalise(unicodedata.normalize("NFC", text)) == normalise(text)
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(text)


@pytest.mark.parametrize(
    "text", ["", " ", "\u00a0", "\u3000\t", "a\u0000b", "a\u0007b", "\u0378", "\ud800"]
)
def test_what_no_name_may_be(text):
    with pytest.raises(Invalid):
        checked_token(text, "/field", 200)


def test_too_long_as_written_or_once_normalised():
    assert checked_token("x" * 200, "", 200)
    with pytest.raises(TooLarge):
        checked_token("x" * 201, "", 200)
    with pytest.raises(TooLarge):
        checked_token("\ufdfa" * 20, "", 200)  # one ligature, eighteen letters


def test_a_reference_is_split_at_the_first_colon():
    assert parse_name("url:https://x/y", "") == Name("url", "https://x/y")


@pytest.mark.parametrize("reference", ["", "search", ":search", "feature:", " : ", "feature"])
def test_what_is_no_reference(reference):
    with pytest.raises(Invalid):
        parse_name(reference, "/element")


@pytest.mark.parametrize("kind", ["a:b", "a：b", "a﹕b"])
def test_no_kind_holds_a_colon_in_any_width(kind):
    with pytest.raises(Invalid):
        checked_name(kind, "x", "")


@given(st.text(min_size=1, max_size=20))
def test_a_link_is_found_from_both_ends_whatever_its_kind(kind):
    owner, to = element_id("a", "1"), element_id("a", "2")
    slot = link_slot(kind, to)
    assert other_end(slot) == to
    assert reverse_slot(slot, owner) == f"r:{normalise(kind)}:{owner}"


def test_slots_as_people_read_them():
    db = Name("service", "db")
    assert slot_label(property_slot("Engine"), {}) == "engine"
    assert slot_label(link_slot("USES", db.id), {db.id: db}) == "uses → service:db"
    assert (
        slot_label(reverse_slot(link_slot("USES", "x"), db.id), {db.id: db}) == "uses ← service:db"
    )
    assert slot_label("@", {}) == "@"


@pytest.mark.parametrize("slot", ["l:", "l:x", "r:x", "q:new", "q", "l::", "l:a:b:c"])
def test_a_slot_of_an_unknown_form_is_shown_as_it_is_and_breaks_nothing(slot):
    assert slot_label(slot, {})
