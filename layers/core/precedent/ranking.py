"""Recall ranked for the task at hand: which elements it is about, in which order, and what of each comes first.

Who may read a project is settled before anything of it is read; nothing here looks beyond the projection it is given.
With neither a question nor a branch an area keeps its order: elements as they were named, then those nearest the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from precedent.answers import DecisionAnswer, ElementAnswer, RankedBy, Recalled
from precedent.candidates import Candidates
from precedent.indexing import DEAD_END, IN_FORCE
from precedent.ports import Projection
from precedent.query import Query
from precedent.recall import Target
from precedent.search import Ranked, Scored, rank, score_of

FOUND = 10
"""Decisions found by words whose elements are recalled."""

ON_BRANCH = 0.25
"""What having been recorded on the branch counts, beside at most 1 for each of element, path and words."""


@dataclass(frozen=True)
class Ranking:
    """How an area is ranked: how near each element is, and what the words that were asked say of a text."""

    near: dict[str, tuple[str, float]]
    question: Query | None
    looked_at: Candidates
    words: dict[str, float]
    branch: str | None

    @property
    def is_plain(self) -> bool:
        """Whether nothing was asked that could change an order."""
        return self.question is None and self.branch is None

    def ordered(self, answer: Recalled, *, explain: bool) -> Recalled:
        """An answer with the decisions of each element by their scores; equal ones stay the newest first."""
        scores = {
            decision: self._score(decision, told, answer.elements)
            for decision, told in answer.decisions.items()
        }
        by = RankedBy(
            words=[each.word for each in self.question.sought] if self.question else [],
            corrected=self.looked_at.corrected,
            common=self.looked_at.common,
            unread=list(self.question.unread) if self.question else [],
            scores=scores if explain else None,
        )
        if self.is_plain:
            return replace(answer, ranked=by) if explain else answer

        def sort(names: Sequence[str]) -> list[str]:
            return sorted(names, key=lambda name: -scores[name]["total"])

        elements = [
            replace(each, in_force=sort(each.in_force), dead_ends=sort(each.dead_ends))
            for each in answer.elements
        ]
        return replace(answer, elements=elements, ranked=by)

    def _score(
        self, decision: str, told: DecisionAnswer, elements: Sequence[ElementAnswer]
    ) -> dict[str, float]:
        parts = {"element": 0.0, "path": 0.0, "words": self.words_of(decision, told), "branch": 0.0}
        for element in elements:
            if decision in element.in_force or decision in element.dead_ends:
                way, nearness = self.near.get(element.id, ("words", 0.0))
                if way in ("element", "path"):
                    parts[way] = max(parts[way], nearness)
        if self.branch and any(each.branch == self.branch for each in told.recorded):
            parts["branch"] = ON_BRANCH
        return {**parts, "total": round(sum(parts.values()), 3)}

    def words_of(self, decision: str, told: DecisionAnswer) -> float:
        """How much of what was asked a decision says, from 0 to 1."""
        if decision in self.words:
            return self.words[decision]
        content: dict[str, Any] = {
            "title": told.title,
            "rationale": told.rationale,
            "rejected": told.rejected,
            "mutations": [{"element": held} for held in told.holds],
        }
        return _share(score_of(content, self.looked_at)[0], self.looked_at)


def ranking(
    projection: Projection | None,
    area: Sequence[Target],
    question: Query | None,
    branch: str | None,
) -> tuple[list[Target], Ranking]:
    """The elements of an area and those on which what answers a question is in force, nearest first."""
    near = _nearness(area)
    if projection is None or question is None:
        return list(area), Ranking(near, question, Candidates(), {}, branch)
    decisions = sum(offset.seq for offset in projection.offsets().values())
    ranked = rank(projection, question, (IN_FORCE, DEAD_END), decisions)
    words = {each.id: _share(each.score, ranked.looked_at) for each in ranked.scored}
    found = {target.element: target for target in area}
    best: dict[str, float] = {}
    for each in ranked.scored[:FOUND]:
        for element in _elements(each):
            best[element] = max(best.get(element, 0.0), words[each.id])
            found.setdefault(element, Target(element, _why(each, ranked)))

    def score(target: Target) -> float:
        return near.get(target.element, ("", 0.0))[1] + best.get(target.element, 0.0)

    # Sorting keeps the order of equals: as named, then nearest the file, then the best found.
    ordered = sorted(found.values(), key=lambda target: -score(target))
    return ordered, Ranking(near, question, ranked.looked_at, words, branch)


def _nearness(area: Sequence[Target]) -> dict[str, tuple[str, float]]:
    """How near each element of an area is: 1 where it was named or is nearest the file, then less and less."""
    near: dict[str, tuple[str, float]] = {}
    covering = 0
    for target in area:
        if target.name:
            near[target.element] = ("element", 1.0)
        else:
            covering += 1
            near[target.element] = ("path", round(1 / covering, 3))
    return near


def _share(score: float, looked_at: Candidates) -> float:
    """A score as a part of what a text could get that says every word without end."""
    most = sum(
        max((term.rare * term.counts for term in terms), default=0.0)
        for terms in looked_at.terms.values()
    )
    return round(score / most, 3) if most else 0.0


def _elements(found: Scored) -> list[str]:
    """The elements a decision is in force on."""
    held = [claim.element for status in found.entries for claim in status.holding]
    attached = [e for status in found.entries if status.holding for e in status.mentions]
    return list(dict.fromkeys(held + attached))


def _why(found: Scored, ranked: Ranked) -> str:
    said = ", ".join(found.explain)
    return f"“{ranked.texts.title(found.id)[:60]}” says {said}"
