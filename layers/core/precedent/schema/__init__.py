"""JSON Schemas of what clients send, and the one place that turns a violation into a refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from precedent.errors import Invalid, Refusal, TooLarge

_UNITS = {"maxLength": "code points", "maxItems": "items", "maxProperties": "properties"}

_VIOLATIONS = 100
"""Violations that are looked at; each is worded by the library, what was sent included."""


@cache
def document(name: str) -> dict[str, Any]:
    """The schema `<name>.json` of this folder."""
    text = files(__name__).joinpath(f"{name}.json").read_text("utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def _pattern(_: Any, pattern: str, text: Any, __: Any) -> Iterator[ValidationError]:
    """The keyword as JSON Schema means it: Python's `$` would let a newline at the end pass."""
    if isinstance(text, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), text):
        yield ValidationError("")


def _unique(_: Any, wanted: Any, items: Any, __: Any) -> Iterator[ValidationError]:
    """The keyword for ids, which is all it is used for: anything but a text is refused by `items`.

    The library compares what does not sort pair by pair.
    """
    texts = [item for item in items if isinstance(item, str)] if isinstance(items, list) else []
    if wanted and len(set(texts)) < len(texts):
        yield ValidationError("")


def _within_bounds(keyword: str) -> Any:
    """A keyword that looks into a value no further where there is more of it than is taken anyway."""
    inner = _unique if keyword == "uniqueItems" else Draft202012Validator.VALIDATORS[keyword]

    def bounded(
        validator: Any, wanted: Any, value: Any, schema: dict[str, Any]
    ) -> Iterator[ValidationError]:
        limit = schema.get("maxItems" if isinstance(value, list) else "maxProperties")
        if limit is None or not isinstance(value, list | dict) or len(value) <= limit:
            yield from inner(validator, wanted, value, schema) or ()

    return bounded


_BOUNDED = ("items", "uniqueItems", "propertyNames", "additionalProperties")

_Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {"pattern": _pattern, **{keyword: _within_bounds(keyword) for keyword in _BOUNDED}},
)


@cache
def _validator(name: str) -> Validator:
    found: Validator = _Validator(document(name))
    return found


def check(name: str, value: Any, field: str) -> None:
    """Raise TooLarge or Invalid for the most telling violation, named by its JSON pointer.

    The most telling of the first: a body of 1 MiB can hold hundreds of thousands.
    """
    error = best_match(islice(_validator(name).iter_errors(value), _VIOLATIONS))
    if error is not None:
        raise _refusal(error, field)


def _refusal(error: ValidationError, field: str) -> Refusal:
    pointer = "/".join([field, *(str(step)[:64] for step in error.absolute_path)])
    found: Any = error.instance
    limit: Any = error.validator_value
    if unit := _UNITS.get(str(error.validator)):
        return TooLarge(pointer, limit, len(found), unit)
    return Invalid(pointer, _rule(str(error.validator), limit, error.schema, found))


def _rule(validator: str, expected: Any, schema: Any, found: Any) -> str:
    """What is wrong, from the schema's side alone: the message must not repeat what was sent."""
    rules: dict[str, Callable[[], str]] = {
        "required": lambda: f"lacks {', '.join(name for name in expected if name not in found)}",
        "additionalProperties": lambda: (
            f"holds a field nobody knows; known are {', '.join(sorted(schema['properties']))}"
        ),
        "type": lambda: (
            f"is not of type {expected if isinstance(expected, str) else ', '.join(expected)}"
        ),
        "enum": lambda: f"is none of {', '.join(expected)}",
        "pattern": lambda: f"does not match {expected}",
        "minLength": lambda: "is empty",
        "minItems": lambda: "is empty",
        "uniqueItems": lambda: "names one thing twice",
        "oneOf": lambda: "holds `decision` or `decisions`, one of the two",
    }
    return rules.get(validator, lambda: "is of no known form")()
