r"""Text that came from elsewhere, made safe to print.

Recorded text is written by other people and agents. Printed raw it could move the cursor, rewrite lines
already shown (ANSI, OSC), reorder what is read (bidi marks) or hide instructions (tag characters). Such
characters are printed as the escape a programmer would type: `\x1b`, `\u202e`. Letters of every script
stay as they are, and so do the joiners that emoji and Indic scripts need.
"""

from __future__ import annotations

import re
from typing import Any

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    "\u00ad\u061c\u180e\u200b\u200e\u200f"  # soft hyphen, bidi and zero-width marks
    "\u2028\u2029\u202a-\u202e\u2060-\u206f"  # separators, embeddings, isolates, invisible operators
    "\ud800-\udfff\ufeff\ufff9-\ufffb"  # surrogates, byte order mark, interlinear marks
    "\U000e0000-\U000e0fff"  # tags and the supplementary variation selectors
    "]"
)


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def text(value: Any) -> str:
    """Any value as printable text; newlines and tabs stay."""
    return _UNSAFE.sub(_shown, value if isinstance(value, str) else str(value))


def line(value: Any) -> str:
    """Any value as printable text on one line."""
    return " ".join(text(value).split())


def value(found: Any) -> str:
    """A property's value as JSON, so that `"true"` and `true` can be told apart."""
    return json_text(found, indent=None)


def json_text(found: Any, indent: Any = 2) -> str:
    """JSON with readable letters, in which the unsafe characters are JSON escapes."""
    import json

    written = json.dumps(found, ensure_ascii=False, indent=indent)
    return _UNSAFE.sub(_json_shown, written)


def _json_shown(match: re.Match[str]) -> str:
    # `json.dumps` has escaped C0 already, and outside strings it writes nothing we would match.
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
