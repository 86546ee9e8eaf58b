"""What is asked in words: words, "phrases", what must not be said, and filters. Never an expression language.

    retry "exponential backoff" -kafka kind:service by:alice since:2026-01-01 path:api/client.py tag:reliability

Whatever else is typed is read as words: a regex, a stray quote or an operator by itself finds what its words find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from precedent.element import check_text, normalise
from precedent.errors import Invalid, TooLarge
from precedent.paths import checked_path
from precedent.spelling import is_kept
from precedent.terms import Token, composed, tokens

LIMIT = 1000
"""Code points of a question."""

TERMS = 12
"""Terms a question looks up; each costs a request or two."""

_PIECE = re.compile(
    r'(?P<minus>-?)(?:(?P<name>kind|path|by|since|tag):)?(?:"(?P<quoted>[^"]*)"|(?P<bare>\S+))'
)


@dataclass(frozen=True, slots=True)
class Sought:
    """A term that is looked up, and the word it was asked with; `plain` where a slip in it is forgiven."""

    term: str
    word: str
    plain: bool


@dataclass(frozen=True)
class Query:
    """A question, read. `unread` are the words past the limit; a phrase is the terms of its words in order."""

    sought: tuple[Sought, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    without: tuple[tuple[str, ...], ...] = ()
    kinds: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    writers: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: str = ""
    unread: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(each.term for each in self.sought)


@dataclass
class _Reading:
    words: list[Token] = field(default_factory=list)
    phrases: list[tuple[str, ...]] = field(default_factory=list)
    without: list[tuple[str, ...]] = field(default_factory=list)
    filters: dict[str, list[str]] = field(default_factory=dict)


def parse(text: str, at: str = "/q") -> Query:
    """Read a question. Raises Invalid or TooLarge; Invalid too where nothing is left to look up."""
    if len(text) > LIMIT:
        raise TooLarge(at, LIMIT, len(text), "code points")
    check_text(text, at)
    reading = _Reading()
    for piece in _PIECE.finditer(composed(text)):
        _take(piece, reading, at)
    sought = _sought(reading.words)
    if not sought:
        raise Invalid(
            at,
            "names nothing to look for. Write words that say what it is about: filters, what stands behind a minus "
            "and words such as “the” or “how” find nothing by themselves",
        )
    filters = reading.filters
    return Query(
        sought=tuple(sought[:TERMS]),
        phrases=tuple(reading.phrases),
        without=tuple(reading.without),
        kinds=frozenset(map(normalise, filters.get("kind", ()))),
        tags=frozenset(map(normalise, filters.get("tag", ()))),
        writers=tuple(filters.get("by", ())),
        paths=tuple(checked_path(path, at) for path in filters.get("path", ())),
        since=max((_day(day, at) for day in filters.get("since", ())), default=""),
        unread=tuple(each.word for each in sought[TERMS:]),
    )


def words(text: str, limit: int = TERMS) -> Query:
    """Any text as a question: its words and nothing else, those that stand there most often first."""
    found = [token for token in tokens(composed(text)) if token.role != "stop"]
    often: dict[str, int] = {}
    for token in found:
        often[token.term] = often.get(token.term, 0) + 1
    sought = sorted(_sought(found), key=lambda each: -often[each.term])
    return Query(sought=tuple(sought[:limit]), unread=tuple(each.word for each in sought[limit:]))


def joined(first: Query, then: Query) -> Query:
    """A question, and the words of a text after its own as far as there is room."""
    sought = {each.term: each for each in (*then.sought, *first.sought)}
    every = list(dict.fromkeys(each.term for each in (*first.sought, *then.sought)))
    return replace(
        first,
        sought=tuple(sought[term] for term in every[:TERMS]),
        unread=(*first.unread, *(sought[term].word for term in every[TERMS:]), *then.unread),
    )


def _take(piece: re.Match[str], reading: _Reading, at: str) -> None:
    """One piece of a question: a filter, or words to look up or to leave out."""
    minus, name = bool(piece["minus"]), piece["name"]
    quoted = piece["quoted"]
    text = quoted if quoted is not None else piece["bare"].strip('"')
    if name and text:
        if minus:
            raise Invalid(
                at, f"`-{name}:` is not understood; a minus stands before words and phrases"
            )
        reading.filters.setdefault(name, []).append(text)
        return
    found = tokens(text)
    sequence = tuple(token.term for token in found if token.role != "whole")
    if minus and sequence:
        reading.without.append(sequence)
    elif not minus:
        reading.words += (token for token in found if token.role != "stop")
        # Signs alone are no word, so a compound such as `product-search` is no phrase.
        if quoted is not None and len(sequence) > 1:
            reading.phrases.append(sequence)


def _sought(found: Sequence[Token]) -> list[Sought]:
    sought: dict[str, Sought] = {}
    for token in found:
        plain = token.role == "word" and is_kept(token.word)
        sought.setdefault(token.term, Sought(token.term, token.word, plain))
    return list(sought.values())


def _day(text: str, at: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Invalid(at, "`since:` takes a day, as in since:2026-01-31") from None


def stands_in(sequence: Sequence[str], found: Sequence[Token]) -> bool:
    """Whether terms follow one another among the words of a text."""
    return any(True for _ in places(sequence, found))


def places(sequence: Sequence[str], found: Sequence[Token]) -> Iterator[int]:
    """Where among the words of a text, identifiers as a whole apart, a sequence of terms begins."""
    plain = [token.term for token in found if token.role != "whole"]
    size = len(sequence)
    for start in range(len(plain) - size + 1):
        if plain[start] == sequence[0] and tuple(plain[start : start + size]) == tuple(sequence):
            yield start
