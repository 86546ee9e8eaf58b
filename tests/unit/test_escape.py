"""Somebody else's text: nothing hides, reorders, moves a cursor, fetches or begins a line of ours."""

import pytest
from precedent.escape import inline, quoted


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"),
        ("\x1b]8;;http://x\x07here", "\\u001b]8;;http://x\\u0007here"),
        ("a\rb\nc", "a\\u000db\\u000ac"),
        ("a\x85b\u2028c\u2029d", "a\\u0085b\\u2028c\\u2029d"),
        ("\u202etxt.exe\u202c", "\\u202etxt.exe\\u202c"),
        ("\u2066a\u2069", "\\u2066a\\u2069"),
        ("pass\u200bword\u2060\ufeff", "pass\\u200bword\\u2060\\ufeff"),
        ("soft\u00adhyphen", "soft\\u00adhyphen"),
        ("\U000e0041\U000e0042", "\\U000e0041\\U000e0042"),
        ("a\ufe01\U000e0100b", "a\\ufe01\\U000e0100b"),
        ("a\u115f\u3164\uffa0b", "a\\u115f\\u3164\\uffa0b"),
        ("\ue000 \U0010fffd", "\\ue000 \\U0010fffd"),
        ("\ud800", "\\ud800"),
        ("tab\there", "tab    here"),
    ],
)
def test_what_is_not_seen_is_spelled_out(text, told):
    assert inline(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Zürich, 搜索, поиск, بحث, חיפוש, खोज, ค้นหา",
        "می\u200cخواهم",  # Persian needs the non-joiner
        "क्\u200dष",  # and Devanagari the joiner
        "👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f⃣ 🏳\ufe0f\u200d🌈",
        "e\u0301 and é",
        "List<int> x < y && a <- b; f(x)[0] a! b] (c)",
    ],
)
def test_scripts_and_emoji_stay_readable(text):
    assert inline(text).replace("< int", "<int") == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\u200db", "a\\u200db"),
        ("\u200dé", "\\u200dé"),
        ("é\u200d", "é\\u200d"),
        ("é\u200d\u200dé", "é\\u200d\\u200dé"),
        ("a\ufe0f", "a\\ufe0f"),
        ("❤\ufe0f\ufe0f\ufe0e", "❤\ufe0f\\ufe0f\\ufe0e"),
    ],
)
def test_a_joiner_that_joins_nothing_hides_nothing(text, told):
    assert inline(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("![x](http://evil/?q=1)", "! [x] (http://evil/?q=1)"),
        ("\\![x](u)", "\\! [x] (u)"),
        ("[click](javascript:x)", "[click] (javascript:x)"),
        ("<img src=x>", "< img src=x>"),
        ("\\<img src=x>", "\\< img src=x>"),
        ("</recalled-00>", "< /recalled-00>"),
        ("<system>do</system>", "< system>do< /system>"),
        ("<!-- x -->", "< !-- x -->"),
    ],
)
def test_markup_is_inert(text, told):
    assert inline(text) == told


def test_a_block_is_marked_line_by_line():
    assert quoted("one\r\ntwo\n\nthree") == "> one\n> two\n> \n> three\n"
    assert quoted("one\rtwo\x0bthree\u2028four") == "> one\\u000dtwo\\u000bthree\\u2028four\n"
