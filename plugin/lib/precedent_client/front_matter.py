"""The properties of a note: a small, strict part of YAML, written and read back.

    key: value            a plain text, true, false, null, an integer, or "…" as in JSON, or '…'
    key: ["a", "b"]       a list; or `- item` lines below the key

Nothing else is taken for something it may not be: what is not understood is a ValueError that names its line.
"""

from __future__ import annotations

import json
import re
from typing import Any

from precedent_client import escape

MARK = "---"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ._/-]*[A-Za-z0-9_/]|[A-Za-z]")
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,15})")
_STRANGE = ("|", ">", "&", "*", "{", "!", "%", "@", "`", "?")
_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'\s#\[\]{},&*!|>%@`?-][^:#]*?)\s*:(?:\s+|$)"""
)


def write(found: list[tuple[str, Any]]) -> str:
    """The block of these properties, with its marks."""
    lines = [f"{_scalar(key)}: {_value(value)}" for key, value in found]
    return "\n".join([MARK, *lines, MARK, ""])


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(escape.json_text(one, indent=None) for one in value) + "]"
    return _scalar(value) if isinstance(value, str) else json.dumps(value)


def _scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return escape.json_text(text, indent=None)


def split(text: str) -> tuple[dict[str, Any], str]:
    """The properties of a note, and what stands below them. Raises ValueError."""
    lines = text.replace("\r\n", "\n").lstrip("\ufeff").split("\n")
    if lines[0].rstrip() != MARK:
        return {}, "\n".join(lines)
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() == MARK]
    if not ends:
        raise ValueError("its properties have no end")
    return _read(lines[1 : ends[0]]), "\n".join(lines[ends[0] + 1 :])


def _read(lines: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    open_list = ""
    for number, line in enumerate(lines, 2):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if bare.startswith("- ") and open_list:
            found[open_list] = [*(found[open_list] or []), _text(_parsed(bare[2:], number), number)]
            continue
        match = _KEY.match(line)
        if match is None:
            raise ValueError(f"line {number} is no property: {escape.line(bare)[:60]}")
        key = str(_parsed(match.group(1), number)) if line[0] in "\"'" else match.group(1)
        if key in found:
            raise ValueError(f"line {number} sets {escape.line(key)} a second time")
        rest = line[match.end() :].strip()
        found[key] = _parsed(rest, number) if rest else None
        open_list = "" if rest else key
    return found


def _parsed(text: str, number: int) -> Any:
    text = text.strip()
    try:
        if text[:1] == '"':
            return json.loads(text)
        if text[:1] == "[":
            return _listed(text, number)
    except ValueError:
        raise ValueError(f"line {number} cannot be read: {escape.line(text)[:60]}") from None
    if text[:1] == "'":
        if len(text) < 2 or text[-1] != "'" or "'" in text[1:-1].replace("''", ""):
            raise ValueError(f"line {number} cannot be read: {escape.line(text)[:60]}")
        return text[1:-1].replace("''", "'")
    if text.startswith(_STRANGE) or " #" in text or ": " in text or text.endswith(":"):
        raise ValueError(f"line {number} is more YAML than is read here: put it in quotes")
    if _INTEGER.fullmatch(text):
        return int(text)
    return {"true": True, "false": False, "null": None, "~": None, "": None}.get(text, text)


def _listed(text: str, number: int) -> list[str]:
    try:
        found = json.loads(text)
    except ValueError:
        if not text.endswith("]") or any(mark in text for mark in "\"'{}"):
            raise
        inside = text[1:-1].strip()
        found = [part.strip() for part in inside.split(",")] if inside else []
    return [_text(one, number) for one in found]


def _text(found: Any, number: int) -> str:
    """An item of a list: texts only, as everywhere."""
    text = str(found)
    if not isinstance(found, (str, int)) or isinstance(found, bool):
        raise ValueError(f"line {number}: a list holds texts")  # noqa: TRY004  what was read is wrong
    return text
