"""Making somebody else's text harmless to a terminal and to a reader: visible, quoted, inert."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
"""Format characters that scripts and emoji need; every other one is escaped."""


def inline(text: str) -> str:
    """Text for the middle of a line: what controls, hides, reorders or breaks lines is spelled out."""
    return _inert("".join(char if _is_plain(char) else _spelled(char) for char in text))


def quoted(text: str, mark: str = "> ") -> str:
    """Text as a block, each of its lines behind a mark, so that none of them begins a line of ours."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "".join(f"{mark}{inline(line)}\n" for line in lines)


def _is_plain(char: str) -> bool:
    category = unicodedata.category(char)
    if category in ("Cc", "Co", "Cn", "Cs", "Zl", "Zp"):
        return False
    return category != "Cf" or char in _JOINERS


def _spelled(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _inert(text: str) -> str:
    # A rendered image would fetch its address, and with it tell somebody what was read.
    return text.replace("![", "!\\[")
