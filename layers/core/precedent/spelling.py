"""Words one slip of the fingers apart, and how a store finds them without reading all of its words.

One letter too many, too few, another one or two swapped: whichever it is, it leaves the first half of a word whole, or
its second. So a word is kept under its length and either half.
"""

from __future__ import annotations

from collections.abc import Iterator

SHORTEST, LONGEST = 5, 24
"""Letters of the words in which a slip is forgiven; in shorter ones it makes another word."""


def is_kept(word: str) -> bool:
    """Whether a word is one in which a slip is forgiven: letters only, neither short nor endless."""
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def half_of(word: str, length: int, *, backwards: bool) -> str:
    """What a word of a length shares with this one if the slip lies in the other half."""
    size = (length - 1) // 2
    return word[-size:] if backwards else word[:size]


def halves(word: str) -> Iterator[tuple[int, str, bool]]:
    """(length, half, backwards) under which every word one slip from this one is kept."""
    for length in range(max(len(word) - 1, SHORTEST), min(len(word) + 1, LONGEST) + 1):
        for backwards in (False, True):
            yield length, half_of(word, length, backwards=backwards), backwards


def is_near(one: str, other: str) -> bool:
    """Whether two words are exactly one slip apart."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    same = next(
        (n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None
    )
    if same is None:
        return True
    one, other = one[same:], other[same:]
    if len(one) != len(other):
        return one[1:] == other or one == other[1:]
    return one[1:] == other[1:] or (one[:2] == other[1::-1] and one[2:] == other[2:])
