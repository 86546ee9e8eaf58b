"""File names made of texts that others wrote: of one folder, on any disk, and never a way out of it."""

from __future__ import annotations

import re
import unicodedata

LIMIT = 80
"""Bytes of a name in UTF-8, without its ending."""

_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|\Z)", re.IGNORECASE)


def slug(text: str) -> str:
    """Letters and digits of any script, joined by hyphens, in lower case; may be empty."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(one if one.isalnum() else " " for one in folded).split()
    return _cut("-".join(words)).strip("-")


def faithful(text: str) -> bool:
    """Whether a text can be a file's name as it stands."""
    return (
        bool(text)
        and all(one.isalnum() or one in " -_." for one in text)
        and unicodedata.normalize("NFC", text) == text
        and "  " not in text
        and text[0] not in " .-"
        and text[-1] not in " ."
        and len(text.encode()) <= LIMIT
        and not _RESERVED.match(text)
    )


def named(text: str, identity: str) -> str:
    """A text as a file's name: itself if it can be, else something like it with a part of its identity."""
    if faithful(text):
        return text
    return f"{slug(text) or 'untitled'}-{identity[-8:]}"


def _cut(text: str) -> str:
    return text.encode()[:LIMIT].decode("utf-8", "ignore")
