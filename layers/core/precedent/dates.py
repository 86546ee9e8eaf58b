"""Effective dates: a bare day (`2026-11-30`) or an instant in UTC (`2026-11-30T10:00:00.5Z`), and how they order."""

from __future__ import annotations

from datetime import datetime

from precedent.errors import Invalid

Instant = tuple[str, str]
"""Orders instants: seconds, and the fraction without zeros at its end. `.` sorts before `Z`, so texts do not."""

PATTERN = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z)?$"  # as in schema/
)


def check_date(date: str, field: str) -> None:
    """Refuse a date no calendar has. Raises Invalid."""
    try:
        datetime.fromisoformat(date)
    except ValueError as error:
        raise Invalid(field, f"is not a date: {error}") from None


def begins(date: str) -> Instant:
    """When something dated so begins to hold: a bare day at its first moment, no date before all others."""
    if not date:
        return "", ""
    return _instant(date) if "T" in date else (f"{date}T00:00:00", "")


def ends(date: str) -> Instant:
    """The last moment a question about a date is about: a bare day's end."""
    return _instant(date) if "T" in date else (f"{date}T24", "")


def is_later(one: str, other: str) -> bool:
    """Whether a date lies after another; where either is a bare day, days are compared."""
    if 10 in (len(one), len(other)):
        return one[:10] > other[:10]
    return _instant(one) > _instant(other)


def _instant(date: str) -> Instant:
    seconds, _, fraction = date.removesuffix("Z").partition(".")
    return seconds, fraction.rstrip("0")
