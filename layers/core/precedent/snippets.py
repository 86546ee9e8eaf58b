"""The parts of a text that answer a question: cut out, made harmless, and the words that matched marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from precedent.escape import inline
from precedent.fitting import ELLIPSIS
from precedent.relevance import texts_of
from precedent.searched import Snippet
from precedent.terms import Token, composed, tokens

LENGTH = 240
"""Code points of a snippet, about."""

_BEFORE = 60
_SHOWN = 3


def snippets_of(content: Mapping[str, object], terms: Collection[str]) -> list[Snippet]:
    """The title, and up to two other places where most of the terms stand."""
    found: list[tuple[int, Snippet]] = []
    for name, texts in texts_of(content).items():
        for text in texts:
            whole = composed(text)
            start, count = _densest([t for t in tokens(whole) if t.term in terms])
            if count or name == "title":
                found.append((count, Snippet(name, *marked(_cut(whole, start), terms))))
    title, *rest = found
    best = sorted(rest, key=lambda each: -each[0])[: _SHOWN - 1]
    return [snippet for _, snippet in [title, *best]]


def marked(text: str, terms: Collection[str]) -> tuple[str, list[tuple[int, int]]]:
    """A text made harmless, and where in it, from and to, the words of these terms stand."""
    shown = inline(" ".join(text.split()))
    marks: list[tuple[int, int]] = []
    for token in tokens(composed(shown)):
        if token.term not in terms:
            continue
        if marks and token.start <= marks[-1][1]:
            start = min(marks[-1][0], token.start)
            marks[-1] = (start, max(marks[-1][1], token.end))
        else:
            marks.append((token.start, token.end))
    return composed(shown), marks


def _densest(matching: list[Token]) -> tuple[int, int]:
    """Where the stretch begins that holds the most different terms, and how many."""
    best = (0, 0)
    for number, token in enumerate(matching[:200]):
        terms = {t.term for t in matching[number : number + 40] if t.end <= token.start + LENGTH}
        if len(terms) > best[1]:
            best = (token.start, len(terms))
    return best


def _cut(text: str, start: int) -> str:
    """A stretch of a text around a place, from a word's beginning to a word's end."""
    first = max(start - _BEFORE, 0)
    last = min(first + LENGTH, len(text))
    if first:
        space = text.find(" ", first, start)
        first = space + 1 if space >= 0 else first
    if last < len(text):
        space = text.rfind(" ", start, last)
        last = space if space > start else last
    return (ELLIPSIS if first else "") + text[first:last] + (ELLIPSIS if last < len(text) else "")
