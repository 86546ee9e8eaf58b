"""Making texts fit: shares of a room, and cuts that leave words and characters whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

ELLIPSIS = "…"

_SPELLED = re.compile(r"\\u[0-9a-f]{4}|\\U[0-9a-f]{8}")
_LONGEST_SPELLED = 10
_LONGEST_CHARACTER = 16
_JOINERS = "\u200c\u200d"


def fair_shares(sizes: Sequence[int], room: int) -> list[int]:
    """Room shared max-min fairly: nobody gets more than asked, and what one leaves the others divide."""
    shares = [0] * len(sizes)
    left = max(room, 0)
    waiting = sorted(range(len(sizes)), key=sizes.__getitem__)
    for place, index in enumerate(waiting):
        shares[index] = min(sizes[index], left // (len(waiting) - place))
        left -= shares[index]
    return shares


def shares_of_use(sizes: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The first ones as far as each can have its least (all of it, if it is smaller); then fair shares.

    Who comes later gets no share: told that it is missing, a reader can ask; cut to nothing, nobody gains.
    """
    needs = [min(pair) for pair in zip(sizes, least, strict=True)]
    kept = 0
    while kept < len(needs) and needs[kept] <= room:
        room -= needs[kept]
        kept += 1
    more = fair_shares([size - need for size, need in zip(sizes, needs, strict=True)][:kept], room)
    return [need + extra for need, extra in zip(needs, more, strict=False)] + [0] * (
        len(sizes) - kept
    )


def clipped(text: str, limit: int) -> str:
    """A text at most so long: cut after a word, marked with `…`.

    Where no word ends nearby, as in scripts without spaces, it is cut between two characters.
    """
    if len(text) <= limit:
        return text
    room = limit - len(ELLIPSIS)
    if room <= 0:
        return ELLIPSIS[: max(limit, 0)]
    space = text.rfind(" ", room // 2, room + 1)
    return text[: space if space > 0 else _boundary(text, room)].rstrip() + ELLIPSIS


def _boundary(text: str, end: int) -> int:
    """The last place up to `end` that splits neither a character nor a spelled-out one."""
    for spelled in _SPELLED.finditer(text, max(end - _LONGEST_SPELLED, 0), end + _LONGEST_SPELLED):
        if spelled.start() < end < spelled.end():
            return spelled.start()
    # Marks without end, which no script needs, are cut anywhere.
    nearby = range(end, max(end - _LONGEST_CHARACTER, 0), -1)
    return next((place for place in nearby if not _is_within(text, place)), end)


def _is_within(text: str, place: int) -> bool:
    """Whether a place lies within what is read as one character."""
    return (
        unicodedata.category(text[place])[0] == "M"
        or text[place] in _JOINERS
        or text[place - 1] in _JOINERS
    )
