r"""Text that came from elsewhere, made safe to print.

Recorded text is written by other people and agents. Printed raw it could move the cursor, rewrite lines
already shown (ANSI, OSC), reorder what is read (bidi marks) or hide instructions (tag characters, and what
is drawn as nothing). Such characters are printed as the escape a programmer would type: `\x1b`, `\u202e`.
Letters of every script stay as they are, and so do the joiners and variants that scripts and emoji need.
An image in Markdown is made inert, since whoever renders it would fetch its address.

What is hidden is what the service hides in the text it gives agents. Hooks import this module: it loads
neither `re` nor `json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_HIDDEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
"""Categories of characters that are not shown, or that Python does not know."""
_UNSEEN = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""What is drawn as nothing besides."""
_JOINERS = "\u200c\u200d"
_VARIANTS = "\u180b\u180c\u180d\ufe0e\ufe0f"
_IMAGE = "!["


def text(value: Any) -> str:
    """Any value as printable text; newlines and tabs stay."""
    found = value if isinstance(value, str) else str(value)
    return _shown(found, _spelled).replace(_IMAGE, "! [")


def line(value: Any) -> str:
    """Any value as printable text on one line."""
    return " ".join(text(value).split())


def value(found: Any) -> str:
    """A property's value as JSON, so that `"true"` and `true` can be told apart."""
    return json_text(found, indent=None)


def json_text(found: Any, indent: Any = 2) -> str:
    """JSON with readable letters, in which the unsafe characters are JSON escapes: it says the same."""
    import json

    written = json.dumps(found, ensure_ascii=False, indent=indent)
    return _shown(written, _spelled_in_json).replace(_IMAGE, "\\u0021[")


def _shown(found: str, spell: Callable[[str], str]) -> str:
    if found.isascii() and found.isprintable():
        return found
    return "".join(
        one if _is_shown(found, place) else spell(one) for place, one in enumerate(found)
    )


def _is_shown(found: str, place: int) -> bool:
    one = found[place]
    if one.isascii():
        return one.isprintable() or one in "\n\t"
    return not _is_hidden(one) or _is_needed(found, place)


def _is_hidden(one: str) -> bool:
    from unicodedata import category

    code = ord(one)
    return category(one) in _HIDDEN or any(first <= code <= last for first, last in _UNSEEN)


def _is_needed(found: str, place: int) -> bool:
    """Whether a joiner stands between two letters or signs of a script, or a variant follows one."""
    one, before, after = found[place], found[place - 1 : place], found[place + 1 : place + 2]
    if one in _VARIANTS:
        return _is_sign(before) or (one == "\ufe0f" and before in tuple("0123456789#*"))
    return one in _JOINERS and (_is_sign(before) or before == "\ufe0f") and _is_sign(after)


def _is_sign(one: str) -> bool:
    from unicodedata import category

    return bool(one) and not one.isascii() and category(one)[0] in "LMS" and not _is_hidden(one)


def _spelled(one: str) -> str:
    code = ord(one)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _spelled_in_json(one: str) -> str:
    # Outside of strings JSON holds nothing that would be spelled out.
    code = ord(one)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
