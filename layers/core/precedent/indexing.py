"""What search finds an entry by: a row for each of its terms, on the shelf it stands on, and its words for spelling.

An entry stands on one shelf: what is in force, dead ends in force, and what is not in force. It leaves one of the
first two for the last, and never comes back. A row on another shelf than its entry's is stale: reads pass over it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precedent.orset import Status
from precedent.ports import Projection
from precedent.relevance import saturated, texts_of, weights_of
from precedent.rows import WEIGHT_LIMIT, SearchRow, WordRow
from precedent.spelling import is_kept
from precedent.terms import composed, tokens

IN_FORCE, DEAD_END, PAST = "f", "d", "p"
SHELVES = (IN_FORCE, DEAD_END, PAST)

TERMS = 96
"""Terms an entry is found by, the weightiest: each is an item to write. What is not in force keeps fewer."""

PAST_TERMS = 24


def shelf_of(status: Status) -> str:
    """Where an entry stands."""
    if not status.holding:
        return PAST
    return DEAD_END if status.outcome == "rejected" else IN_FORCE


def index(projection: Projection, status: Status, content: Mapping[str, Any]) -> None:
    """Put an entry's rows on its shelf, and the words nobody has written before.

    A word is known by its row forwards, so that one is put last: after a crash it is all done again.
    """
    projection.write(search_rows(status, content))
    words = words_of(content)
    new = sorted(words - projection.known_words(words))
    if new:
        projection.write([WordRow(word, backwards=True) for word in new])
        projection.write([WordRow(word) for word in new])


def shelve(projection: Projection, status: Status) -> None:
    """Move an entry that has lost its last claim to the shelf of what is not in force."""
    body = projection.bodies([status.decision]).get(status.decision)
    if body:
        stood = DEAD_END if status.outcome == "rejected" else IN_FORCE
        projection.write(search_rows(status, body.content), rows_on(stood, status, body.content))


def search_rows(status: Status, content: Mapping[str, Any]) -> list[SearchRow]:
    """The rows an entry is found by as it stands."""
    return rows_on(shelf_of(status), status, content)


def rows_on(shelf: str, status: Status, content: Mapping[str, Any]) -> list[SearchRow]:
    """An entry's rows on a shelf: its weightiest terms."""
    kept = list(terms_kept(content).items())[: PAST_TERMS if shelf == PAST else TERMS]
    return [SearchRow(term, shelf, weight, status.dot) for term, weight in kept]


def terms_kept(content: Mapping[str, Any]) -> dict[str, int]:
    """The terms a text is found by, the weightiest first, with their weights in thousandths."""
    weights = {term: sum(each.values()) for term, each in weights_of(content).items()}
    heaviest = sorted(weights, key=lambda term: (-weights[term], term))[:TERMS]
    return {term: min(int(1000 * saturated(weights[term])), WEIGHT_LIMIT) for term in heaviest}


def words_of(content: Mapping[str, Any]) -> set[str]:
    """The words of a text whose misspelling is forgiven: those it can be found by at all."""
    texts = [text for field in texts_of(content).values() for text in field]
    kept = terms_kept(content)
    return {
        token.word
        for text in texts
        for token in tokens(composed(text))
        if token.role == "word" and token.term in kept and is_kept(token.word)
    }
