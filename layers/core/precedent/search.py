"""Search: which decisions answer a question asked in words, the best first, and why.

The rows in the store say which decisions are worth reading; the order comes from their texts, read in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, Literal

from precedent.candidates import WORDS_PAGE, Candidates, candidates
from precedent.element import normalise, property_slot
from precedent.entry import Body, Dot
from precedent.feedback import Feedbacks, factor
from precedent.indexing import DEAD_END, IN_FORCE, PAST
from precedent.live import read_live
from precedent.orset import Status, contests, differ
from precedent.paths import find
from precedent.ports import Projection, StoreError
from precedent.query import Query, stands_in
from precedent.reading import Texts, recorded
from precedent.relevance import saturated, texts_of, weights_of
from precedent.searched import Found, Hit
from precedent.snippets import snippets_of
from precedent.spelling import halves
from precedent.terms import Token, composed, stem, tokens

SHOWN = 10
"""Hits of an answer, unless asked otherwise; at most as many as are looked at."""

NEAR = 5
"""Words offered where nothing was found."""

HINTS = 50
"""Hints of conflicts on one element that are looked at: a page of hits is no list of conflicts."""

Include = Literal["in_force", "superseded", "dead_ends", "all"]

WEIGHED = 100
"""The best hits, whose feedback is looked up: one request."""

SHELVES: Mapping[Include, tuple[str, ...]] = {
    "in_force": (IN_FORCE,),
    "superseded": (IN_FORCE, PAST),
    "dead_ends": (IN_FORCE, DEAD_END),
    "all": (IN_FORCE, DEAD_END, PAST),
}


@dataclass(frozen=True, slots=True)
class Scored:
    """A decision with its score, its entries, and what each word adds."""

    id: str
    score: float
    explain: dict[str, Any]
    entries: tuple[Status, ...]
    feedback: float = 1.0

    @property
    def date(self) -> str:
        return max(status.date for status in self.entries)

    @property
    def state(self) -> Literal["in_force", "dead_end", "superseded", "history"]:
        if any(status.holding for status in self.entries):
            return "dead_end" if self.entries[0].outcome == "rejected" else "in_force"
        return "superseded" if any(status.lost for status in self.entries) else "history"


@dataclass(frozen=True)
class Ranked:
    """What answers a question, best first, with the texts that were read and what was looked at."""

    scored: tuple[Scored, ...]
    texts: Texts
    looked_at: Candidates


def search(
    projection: Projection | None,
    project: str,
    query: Query,
    include: Include = "in_force",
    limit: int = SHOWN,
    *,
    explain: bool = False,
    feedbacks: Feedbacks | None = None,
) -> Found:
    """The decisions that answer a question. `projection` is None where nothing was ever recorded.

    `feedbacks`, where they are to count, move the scores of the best a little.
    """
    offsets = projection.offsets() if projection else {}
    if projection is None or not offsets:
        return Found(project, "empty", [], 0, {}, [], list(query.unread), [])
    decisions = sum(offset.seq for offset in offsets.values())
    ranked = rank(projection, query, SHELVES[include], decisions)
    shown = (_weighed(ranked.scored, feedbacks) if feedbacks else ranked.scored)[:limit]
    hits = _hits(projection, ranked, shown, explain=explain)
    looked_at = ranked.looked_at
    return Found(
        project=project,
        state="ok" if hits else "empty",
        hits=hits,
        count=len(ranked.scored),
        corrected=looked_at.corrected,
        common=looked_at.common,
        unread=list(query.unread),
        near=[] if hits else _near(projection, query, SHELVES[include]),
    )


def rank(projection: Projection, query: Query, shelves: Sequence[str], decisions: int) -> Ranked:
    """What answers a question, by how well it does, then the newest first."""
    looked_at = candidates(
        projection, query.sought, shelves, decisions, lambda dot: _is_by(dot, query.writers)
    )
    covered = {found.element for found in find(projection, query.paths)} if query.paths else None
    left = {
        decision: tuple(entries.values())
        for decision, entries in looked_at.entries.items()
        if any(_is_there(status, query.since, covered) for status in entries.values())
    }
    texts = Texts(projection)
    texts.fetch(left)
    scored: list[Scored] = []
    for decision, entries in left.items():
        body = texts.bodies.get(decision)
        if body and _answers(body, query):
            scored.append(Scored(decision, *score_of(body.content, looked_at), entries))
    scored.sort(key=lambda each: each.id)
    scored.sort(key=lambda each: each.date, reverse=True)
    scored.sort(key=lambda each: each.score, reverse=True)
    return Ranked(tuple(scored), texts, looked_at)


def score_of(content: Mapping[str, Any], looked_at: Candidates) -> tuple[float, dict[str, Any]]:
    """How well a text answers, and why: for each word its rarity times how much it weighs here (BM25F)."""
    weights = weights_of(content)
    told: dict[str, Any] = {}
    total = 0.0
    for word, alternatives in looked_at.terms.items():
        best = 0.0
        for term in alternatives:
            fields = weights.get(term.term, {})
            score = term.counts * term.rare * saturated(sum(fields.values()))
            if score > best:
                best = score
                told[word] = {
                    "term": term.term,
                    "rarity": round(term.rare, 3),
                    "fields": {name: round(weight, 3) for name, weight in fields.items()},
                    "score": round(score, 3),
                }
        total += best
    return round(total, 3), told


def _is_by(dot: Dot, writers: Sequence[str]) -> bool:
    """Whether a writer is one of those asked for, by the whole name or the part before a dot."""
    return not writers or any(f"{dot.writer}.".startswith(f"{name}.") for name in writers)


def _is_there(status: Status, since: str, covered: set[str] | None) -> bool:
    if status.date < since:
        return False
    touched = {claim.element for claim in status.claims + status.historical} | {*status.mentions}
    return covered is None or bool(touched & covered)


def _answers(body: Body, query: Query) -> bool:
    """What only the text can tell: phrases, what must not stand there, kinds and tags."""
    texts = [tokens(composed(text)) for each in texts_of(body.content).values() for text in each]
    return (
        all(_stands(phrase, texts) for phrase in query.phrases)
        and not any(_stands(left_out, texts) for left_out in query.without)
        and (
            not query.kinds or any(normalise(n.kind) in query.kinds for n in body.elements.values())
        )
        and (not query.tags or bool(_tags(body) & query.tags))
    )


def _stands(sequence: Sequence[str], texts: Iterable[Sequence[Token]]) -> bool:
    return any(stands_in(sequence, text) for text in texts)


def _tags(body: Body) -> set[str]:
    """What a decision is tagged with: the elements of kind `tag` it names, and what it sets `tags` to."""
    found = {
        normalise(name.name) for name in body.elements.values() if normalise(name.kind) == "tag"
    }
    for element, slot, _ in body.sets:
        if slot in (property_slot("tag"), property_slot("tags")):
            value = body.value(element, slot)
            found |= {
                normalise(str(each)) for each in (value if isinstance(value, list) else [value])
            }
    return found


def _weighed(scored: Sequence[Scored], feedbacks: Feedbacks) -> Sequence[Scored]:
    """The same, the best of them by their scores times what was said of them. A store that is away says nothing."""
    best = scored[:WEIGHED]
    try:
        counts = feedbacks.counts([each.id for each in best]) if best else {}
    except StoreError:
        return scored
    told = [(each, factor(counts.get(each.id, {}))) for each in best]
    anew = [replace(each, score=round(each.score * by, 3), feedback=by) for each, by in told]
    return [*sorted(anew, key=lambda each: -each.score), *scored[WEIGHED:]]


def _hits(
    projection: Projection, ranked: Ranked, shown: Sequence[Scored], *, explain: bool
) -> list[Hit]:
    texts = ranked.texts
    entries = [status for each in shown for status in each.entries]
    displacers = projection.statuses({gone.by for status in entries for gone in status.lost})
    contested = _contested(projection, entries)
    terms = {term.term for alternatives in ranked.looked_at.terms.values() for term in alternatives}
    return [
        Hit(
            id=each.id,
            title=texts.title(each.id),
            state=each.state,
            score=each.score,
            feedback=each.feedback,
            date=each.date,
            recorded=[recorded(status) for status in each.entries],
            holds=texts.holds(each.entries),
            conflicts=texts.held(
                claim
                for status in each.entries
                for claim in status.holding
                if (claim.element, claim.slot) in contested
            ),
            displaced_by=sorted(
                {
                    displacers[gone.by].decision
                    for status in each.entries
                    for gone in status.lost
                    if gone.by in displacers
                }
            ),
            snippets=snippets_of(texts.bodies[each.id].content, terms),
            explain=each.explain if explain else None,
        )
        for each in shown
    ]


def _contested(projection: Projection, entries: Iterable[Status]) -> set[tuple[str, str]]:
    """The slots held by these entries on which heads differ: looked for where there is a hint of it."""
    held = {
        (claim.element, claim.slot)
        for status in entries
        for claim in status.holding
        if contests(claim.slot)
    }
    hinted = {
        (row.element, row.slot)
        for element in sorted({element for element, _ in held})
        for row in islice(projection.conflicts(element=element), HINTS)
    }
    return {
        slot
        for slot in sorted(held & hinted)
        if differ(head.claim for head in read_live(projection, *slot))
    }


def _near(projection: Projection, query: Query, shelves: Sequence[str]) -> list[str]:
    """Words like those asked for that would find something."""
    alike: dict[str, float] = {}
    for sought in (each for each in query.sought if each.plain):
        for length, half, backwards in halves(sought.word):
            for word in projection.words(length, half, WORDS_PAGE, backwards=backwards):
                ratio = SequenceMatcher(None, sought.word, word).ratio()
                if word != sought.word and ratio > alike.get(word, 0.6):
                    alike[word] = ratio
    best = sorted(alike, key=lambda word: (-alike[word], word))[: 2 * NEAR]
    there = (w for w in best if any(projection.postings(stem(w), shelf, 1) for shelf in shelves))
    return list(there)[:NEAR]
