"""Canonical JSON (RFC 8785) out, strict JSON in, and the hashes taken over the bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NoReturn

import rfc8785

from precedent.element import check_text
from precedent.errors import Invalid, TooLarge

MAX_DEPTH = 20
MAX_INTEGER = 2**53 - 1


def dumps(value: Any) -> bytes:
    """The RFC 8785 bytes of a value made of dicts, lists, strings, integers, booleans and None."""
    return rfc8785.dumps(value)


def sha256(data: bytes) -> str:
    """Lower-case hex sha256 of the bytes."""
    return hashlib.sha256(data).hexdigest()


def loads(data: bytes) -> Any:
    """Parse strict JSON: unique keys, integers only, at most 20 levels deep, sound Unicode.

    Raises Invalid for anything that is not that, TooLarge for the depth.
    """
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_float=_no_float,
            parse_constant=_no_float,
        )
    except UnicodeDecodeError as error:
        raise Invalid("", f"the body is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise TooLarge("", MAX_DEPTH, MAX_DEPTH + 1, "levels or more") from None
    except json.JSONDecodeError as error:
        raise Invalid("", f"the body is not JSON: {error.msg} at byte {error.pos}") from None
    except ValueError:
        # int() refuses strings of thousands of digits before we see the number.
        raise Invalid("", f"integers are at most {MAX_INTEGER}") from None
    _check(value, "", 1)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        # Not which: no rule has looked for secrets in it yet.
        raise Invalid("", "a key stands twice in one object")
    return found


def _no_float(text: str) -> NoReturn:
    raise Invalid("", f"numbers are integers, found {text[:32]}")


def _check(value: Any, pointer: str, depth: int) -> None:
    match value:
        case dict() | list() if depth > MAX_DEPTH:
            raise TooLarge(pointer, MAX_DEPTH, depth, "levels")
        case dict():
            for key, item in value.items():
                check_text(key, pointer)
                _check(item, f"{pointer}/{key[:64]}", depth + 1)
        case str():
            check_text(value, pointer)
        case list():
            for index, item in enumerate(value):
                _check(item, f"{pointer}/{index}", depth + 1)
        case bool():
            pass
        case int() if abs(value) > MAX_INTEGER:
            raise Invalid(pointer, f"integers are at most {MAX_INTEGER}")
