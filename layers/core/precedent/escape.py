"""Making somebody else's text harmless to a terminal and to a reader: visible, quoted, inert."""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""What Unicode would have drawn as nothing, controls and format characters apart."""

_JOINERS = "\u200c\u200d"
_VARIANTS = "\u180b\u180c\u180d\ufe0e\ufe0f"
"""Format characters that scripts and emoji need; where they stand in one they stay."""

_LIVE = re.compile(r"!(?=\[)|\](?=\()|<(?=[A-Za-z/!?])")
"""The first character of an image, of a link's address and of a tag."""


def inline(text: str) -> str:
    """Text for the middle of a line: what controls, hides, reorders or breaks lines is spelled out."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(_shown(text, place) for place in range(len(text)))
    # A rendered image would fetch its address, and with it tell somebody what was read. A space is
    # enough, and cannot be undone by what stands before it, as a backslash can.
    return _LIVE.sub(r"\g<0> ", text)


def quoted(text: str, mark: str = "> ") -> str:
    """Text as a block, each of its lines behind a mark, so that none of them begins a line of ours."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "".join(f"{mark}{inline(line)}\n" for line in lines)


def _shown(text: str, place: int) -> str:
    char = text[place]
    if char == "\t":
        return "    "
    if unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp") or _UNSEEN.match(
        char
    ):
        return char if _is_needed(text, place) else _spelled(char)
    return char


def _is_needed(text: str, place: int) -> bool:
    """Whether a joiner stands between two letters or signs of a script, or a variant follows one."""
    char, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if char in _VARIANTS:
        return _is_sign(before) or (char == "\ufe0f" and before in tuple("0123456789#*"))
    return char in _JOINERS and (_is_sign(before) or before == "\ufe0f") and _is_sign(after)


def _is_sign(char: str) -> bool:
    return (
        bool(char)
        and not char.isascii()
        and unicodedata.category(char)[0] in "LMS"
        and not _UNSEEN.match(char)
    )


def _spelled(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
