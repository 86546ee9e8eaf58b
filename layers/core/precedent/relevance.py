"""How well a text answers a question: BM25 over weighted fields (BM25F), with fixed lengths for what is usual.

A term's weight in a text depends on that text alone, so it can be written down beside it and never goes stale; only
how rare a term is comes from the store, when it is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log
from typing import Any

from precedent.terms import terms_of

K1 = 1.2
"""How soon saying a word again stops mattering."""

B = 0.75
"""How much a longer text is held against it. Both are BM25's usual values."""


@dataclass(frozen=True, slots=True)
class Field:
    """A part of a decision: what a word in it counts, and how many words are usual there."""

    name: str
    weight: float
    usual: int


FIELDS = (
    Field("title", 3, 7),
    Field("names", 1, 5),
    Field("values", 1, 8),
    Field("rationale", 1, 90),
    Field("rejected", 1, 30),
)


def texts_of(content: Mapping[str, Any]) -> dict[str, list[str]]:
    """A decision's texts by field, each as written.

    What a later version may have written in another shape is passed over: it must not keep an entry from arriving.
    """
    rejected = _objects(content.get("rejected"))
    mutations = _objects(content.get("mutations"))
    return {
        "title": [str(content.get("title", ""))],
        "names": list(dict.fromkeys(text for each in mutations for text in _names(each))),
        "values": [text for each in mutations for text in _values(each)],
        "rationale": [str(content.get("rationale", ""))],
        "rejected": [f"{each.get('option', '')}: {each.get('reason', '')}" for each in rejected],
    }


def _objects(found: Any) -> list[dict[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _names(mutation: Mapping[str, Any]) -> Iterator[str]:
    if "kind" in mutation and "name" in mutation:
        yield f"{mutation['kind']}:{mutation['name']}"
    yield from (str(mutation[end]) for end in ("element", "from", "to") if end in mutation)


def _values(mutation: Mapping[str, Any]) -> Iterator[str]:
    if "link" in mutation:
        yield str(mutation["link"])
    found = mutation.get("props")
    props = dict(found) if isinstance(found, dict) else {}
    if "key" in mutation:
        props[str(mutation["key"])] = mutation.get("value")
    for key, value in props.items():
        told = ", ".join(map(str, value)) if isinstance(value, list) else value
        yield f"{key}: {told}"


def weights_of(content: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Term → field → how much it stands there, before it is dampened by being said again."""
    found: dict[str, dict[str, float]] = {}
    texts = texts_of(content)
    for field in FIELDS:
        terms = [term for text in texts[field.name] for term in terms_of(text)]
        length = 1 - B + B * len(terms) / field.usual
        for term, times in Counter(terms).items():
            found.setdefault(term, {})[field.name] = field.weight * times / length
    return found


def saturated(weight: float) -> float:
    """A term's part in a score, from 0 to 1: saying it ten times is little more than twice."""
    return weight / (weight + K1)


def rarity(holding: float, decisions: int) -> float:
    """How much finding a term says: BM25's inverse document frequency."""
    return log(1 + (decisions - holding + 0.5) / (holding + 0.5)) if holding <= decisions else 0.1
