"""Dates as people write them in records."""

from __future__ import annotations

import datetime as dt
import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?!\d)")
_DAY_FIRST = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th)?\.?\s+([a-z]{3,9})\.?,?\s+(\d{4})", re.IGNORECASE
)
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", re.IGNORECASE)


def read(text: str) -> str | None:
    """ISO 8601, or None where the day cannot be told: `01/02/2017` is two different days."""
    text = text.strip().strip("[]{}\"'")
    match = _ISO.match(text) or _COMPACT.match(text)
    if match:
        return _valid(match.group(1), match.group(2), match.group(3))
    match = _DAY_FIRST.match(text)
    if match:
        return _valid(match.group(3), _month(match.group(2)), match.group(1))
    match = _MONTH_FIRST.match(text)
    if match:
        return _valid(match.group(3), _month(match.group(1)), match.group(2))
    return None


def _month(name: str) -> str:
    short = name[:3].lower()
    return str(_MONTHS.index(short) + 1) if short in _MONTHS else "0"


def _valid(year: str, month: str, day: str) -> str | None:
    try:
        return dt.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
