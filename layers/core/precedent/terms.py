"""Words of a text as search knows them: folded, split where identifiers are, reduced to their stems.

The same function reads what is recorded and what is asked, so the two meet. A change here changes the search rows of
every decision: it takes a rebuild.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

TERM_LIMIT = 40
"""Code points of a term; the rest of a longer word is cut off, here as in what is asked."""

_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u109f\u1780-\u17d3"
)
"""Marks and vowel signs, which `\\w` does not match though no word ends at one."""

_WORD = f"(?:[^\\W_]|[{_MARKS}])+"
_COMPOUND = re.compile(f"{_WORD}(?:[-_]{_WORD})*")
_UNSEGMENTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that are written without spaces, or (Korean) with endings grown onto the words: read in pairs."""

_PART = re.compile(f"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[{_UNSEGMENTED}]+")
_LOOSE_PART = re.compile(f"[0-9]+|[{_UNSEGMENTED}]+|[^0-9{_UNSEGMENTED}_-]+")
_PAIRS = re.compile(f"[{_UNSEGMENTED}]")
_ASCII_WORDS = re.compile(f"[A-Za-z0-9_{_UNSEGMENTED}-]+")
_COMBINING = re.compile("[\u0300-\u036f]")
_WHOLE_PARTS = 4
"""Parts of an identifier up to which it is a term as a whole, too."""

_STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both but
by can could did do does doing done down during each either etc few for from further had has have having he
her here hers him his how i if in into is it its itself just may me might more most must my myself no nor not
now of off on once only or other ought our ours out over own per same shall she should since so some such than
that the their theirs them themselves then there therefore these they this those through thus to too under
until up upon us very via was we were what when where whether which while who whom whose why will with within
without would yet you your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that say nothing about what a text is about; they are neither kept nor looked up."""


class Token(NamedTuple):
    """A word of a text: its term, the word itself folded, and where it stands in the text.

    `role` is `word`; `stop` for a word too common to be looked up; `whole` for an identifier as one word, beside
    its parts.
    """

    term: str
    word: str
    start: int
    end: int
    role: str = "word"


def composed(text: str) -> str:
    """The form of a text that the places of its tokens refer to."""
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=128)
def tokens(text: str) -> tuple[Token, ...]:
    """The words of a `composed` text in order; an identifier as a whole follows its parts."""
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    for found in _COMPOUND.finditer(text):
        start, end = found.span()
        compound = _unaccented(found[0])
        same = len(compound) == end - start
        # Only where all letters have two cases we know of does a change of case tell parts apart.
        pattern = _PART if _ASCII_WORDS.fullmatch(compound) else _LOOSE_PART
        parts = list(pattern.finditer(compound))
        for part in parts:
            first, last = (start + part.start(), start + part.end()) if same else (start, end)
            yield from _part(part[0].casefold(), first, last)
        if 1 < len(parts) <= _WHOLE_PARTS and not _PAIRS.search(compound):
            word = compound.replace("-", "").replace("_", "").casefold()
            yield Token(stem(word), word, start, end, "whole")


def terms_of(text: str) -> list[str]:
    """The terms of a text that are looked up, as often as they stand there."""
    return [token.term for token in tokens(composed(text)) if token.role != "stop"]


def _part(word: str, start: int, end: int) -> Iterator[Token]:
    if _PAIRS.match(word):
        size = end - start == len(word)
        for place in range(max(len(word) - 1, 1)):
            pair = word[place : place + 2]
            at = start + place if size else start
            yield Token(pair, pair, at, at + len(pair) if size else end)
        return
    stop = word in STOP_WORDS or (len(word) == 1 and word.isascii())
    yield Token(stem(word), word, start, end, "stop" if stop else "word")


def _unaccented(word: str) -> str:
    """A word without accents and compatibility forms; letters keep their case, which tells parts apart."""
    if word.isascii():
        return word
    bare = _COMBINING.sub("", unicodedata.normalize("NFKD", word))
    return unicodedata.normalize("NFKC", bare)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The term of a folded word."""
    if word.isascii() and word.isalpha() and len(word) <= TERM_LIMIT:
        word = _ENGLISH.stemWord(word)
    return word[:TERM_LIMIT]


_ENGLISH = snowballstemmer.stemmer("english")
