"""JSON without the `json` module, for hooks: importing that takes as long as starting the interpreter.

`json` loads `re` to skip white space. Its scanner and its string encoder are in C, in `_json`, and need
none of that. An interpreter without `_json`, or with another one, gets the real module.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs as much as `json`
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\n\r"


class _Options:
    """What the scanner asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


_OPTIONS: Any = _Options


def loads(raw: bytes) -> Any:
    """The value written in UTF-8. Raises ValueError for anything else, however deep."""
    text = raw.decode("utf-8", "strict").strip(_SPACE)
    try:
        from _json import make_scanner
    except ImportError:
        return _by_the_module(text)
    try:
        found, end = make_scanner(_OPTIONS)(text, 0)
    except (StopIteration, RecursionError, SystemError):
        # 3.10 and 3.11 cannot say what is wrong where `json` is not loaded, and raise a SystemError.
        raise ValueError("not JSON") from None
    except (TypeError, AttributeError):  # a scanner that asks for more than we know
        return _by_the_module(text)
    if end != len(text):
        raise ValueError("more than one JSON value")
    return found


def dumps(found: Any) -> str:
    """The value in ASCII."""
    if found is None or isinstance(found, bool):
        return {None: "null", True: "true", False: "false"}[found]
    if isinstance(found, str):
        return _string(found)
    if isinstance(found, int):
        return repr(found)
    if isinstance(found, dict):
        return "{" + ",".join(f"{_string(key)}:{dumps(found[key])}" for key in found) + "}"
    if isinstance(found, (list, tuple)):
        return "[" + ",".join(dumps(one) for one in found) + "]"
    raise TypeError(f"{type(found).__name__} has no JSON here")


def _string(text: str) -> str:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return str(encode_basestring_ascii(text))


def _by_the_module(text: str) -> Any:
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("not JSON") from None
