"""From a question to the decisions worth reading: a page of rows for each term, then statuses, then texts.

However large the store, a term costs one page of its weightiest rows a shelf, and only so many statuses and texts are
read of what leads. A row whose entry stands on another shelf by now is passed over, and then the pages are read again:
what took its place was there before it went.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt

from precedent.entry import Dot
from precedent.indexing import shelf_of
from precedent.orset import Status
from precedent.ports import Projection
from precedent.query import Sought
from precedent.relevance import rarity
from precedent.rows import WEIGHT_LIMIT, SearchRow
from precedent.spelling import halves, is_near
from precedent.terms import stem

PAGE = 200
"""Rows of a term on a shelf that are looked at."""

LOOKED_AT = 50
"""Entries whose statuses are read, and decisions whose texts are."""

WORDS_PAGE = 200
"""Words of one length and half that are compared with a misspelt one."""

SLIPS = 3
"""Words a misspelt one is read as."""

SLIP = 0.6
"""What a word counts that is one slip from the one that was asked."""

Wanted = Callable[[Dot], bool]


@dataclass(frozen=True, slots=True)
class Term:
    """A term that is looked up: the rows there are, how rare it is, and what finding it counts."""

    term: str
    word: str
    rows: tuple[SearchRow, ...]
    rare: float
    counts: float = 1.0
    common: bool = False


@dataclass
class Candidates:
    """What a question leads to. `entries` are by decision; `terms` by the word that was asked."""

    terms: dict[str, list[Term]] = field(default_factory=dict)
    entries: dict[str, dict[Dot, Status]] = field(default_factory=dict)
    corrected: dict[str, list[str]] = field(default_factory=dict)

    @property
    def common(self) -> list[str]:
        return [word for word, terms in self.terms.items() if any(each.common for each in terms)]


def candidates(
    projection: Projection,
    sought: Iterable[Sought],
    shelves: Iterable[str],
    decisions: int,
    wanted: Wanted = lambda _: True,
) -> Candidates:
    """The decisions that lead by the rows of these terms; `wanted` judges an entry by its dot alone.

    `decisions` is how many there are.
    """
    reader = _Reader(projection, tuple(shelves), decisions)
    known: dict[Dot, Status] = {}
    every = list(sought)
    while True:
        found = reader.look_up(every)
        leading = _leading(found.terms, wanted)
        fresh = [dot for dot in leading if dot not in known]
        known |= {dot: Status(dot) for dot in fresh}
        known |= projection.statuses(fresh)
        if all(shelf_of(known[dot]) in reader.shelves for dot in fresh):
            break
    for dot in leading:
        if known[dot].arrived and shelf_of(known[dot]) in reader.shelves:
            found.entries.setdefault(known[dot].decision, {})[dot] = known[dot]
    return found


def _leading(terms: Mapping[str, list[Term]], wanted: Wanted) -> list[Dot]:
    """The entries whose rows weigh most together."""
    scores: dict[Dot, float] = {}
    for alternatives in terms.values():
        best: dict[Dot, float] = {}
        for term in alternatives:
            for row in term.rows:
                score = term.counts * term.rare * row.weight / WEIGHT_LIMIT
                best[row.dot] = max(score, best.get(row.dot, 0))
        for dot, score in best.items():
            scores[dot] = scores.get(dot, 0) + score
    leading = sorted(filter(wanted, scores), key=lambda dot: (-scores[dot], dot))
    return leading[:LOOKED_AT]


@dataclass
class _Reader:
    projection: Projection
    shelves: tuple[str, ...]
    decisions: int

    def look_up(self, sought: Iterable[Sought]) -> Candidates:
        """The rows of each term; of a word that has none, those of the words one slip away."""
        found = Candidates()
        for each in sought:
            term = self._term(each.term, each.word)
            found.terms[each.word] = [term]
            if term.rows or not each.plain:
                continue
            near = [
                self._term(stem(word), word, SLIP) for word in slips(self.projection, each.word)
            ]
            near = [term for term in near if term.rows][:SLIPS]
            if near:
                found.terms[each.word] = near
                found.corrected[each.word] = [term.word for term in near]
        return found

    def _term(self, term: str, word: str, counts: float = 1.0) -> Term:
        rows: list[SearchRow] = []
        holding, common = 0.0, False
        for shelf in self.shelves:
            page = self.projection.postings(term, shelf, PAGE)
            full = len(page) == PAGE
            # Beyond a page we know the bounds of how many there are; half way, by magnitude, is fair.
            holding += sqrt(PAGE * max(self.decisions, PAGE)) if full else len(page)
            common |= full
            rows += page
        return Term(term, word, tuple(rows), rarity(holding, self.decisions), counts, common)


def slips(projection: Projection, word: str) -> list[str]:
    """The words ever written that are one slip from this one."""
    found: dict[str, None] = {}
    for length, half, backwards in halves(word):
        words = projection.words(length, half, WORDS_PAGE, backwards=backwards)
        found |= dict.fromkeys(each for each in words if is_near(word, each))
    return list(found)
