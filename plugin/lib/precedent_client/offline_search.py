"""Search without the service: in what `precedent pull` put onto this machine.

Simpler than the service's: words by their stems as far as a few English endings tell, phrases and what must not be
there; no misspelling is forgiven, and only what is in force and dead ends are there to be found.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from typing import Any

from precedent_client import offline
from precedent_client.faults import Usage
from precedent_client.render import items, members, objects

Json = dict[str, Any]

_PIECE = re.compile(r'(-?)(?:(kind|path|by|since|tag):)?(?:"([^"]*)"|(\S+))')
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\da-zA-Z_]+")
_ENDINGS = re.compile(r"(?<=[a-z]{3})(ies|ing|ed|es|s|y|e)$")
_WEIGHTS = (("title", 3.0), ("names", 1.0), ("rationale", 1.0), ("rejected", 1.0))
_STOP_WORDS = (
    "a an and are as at be by do for how in is it of on or our the to we what why which with"
)
_STOP = frozenset(_STOP_WORDS.split())
_SNIPPET = 240
_SHOWN = 10


def found(url: str, project: str, asked: Json) -> Json | None:
    """An answer like the service's, with `copy_of`; None where there is no copy. Raises Usage for filters."""
    sought, phrases, without = _read(str(asked["q"]))
    copy = offline.snapshot(url, project)
    if copy is None:
        return None
    whole, at = copy
    texts = {one: _texts(one, whole) for one in members(whole, "decisions")}
    ends = {one for element in objects(whole, "elements") for one in items(element, "dead_ends")}
    conflicts = _contested(whole)
    dead_ends = asked.get("include") in ("dead_ends", "all")
    words = {one: {name: _words(text) for name, text in texts[one].items()} for one in texts}
    holding = Counter(word for fields in words.values() for word in set().union(*fields.values()))
    hits = []
    for one, fields in words.items():
        if (one in ends and not dead_ends) or not _answers(fields, phrases, without):
            continue
        score = sum(
            math.log(1 + len(words) / holding[word]) * weight / (weight + 1.2)
            for word in sought
            if (weight := sum(w * min(fields[name].count(word), 3) for name, w in _WEIGHTS))
        )
        if score:
            decision = whole["decisions"][one]
            hits.append(_hit(one, decision, texts[one], sought, score, one in ends, conflicts))
    hits.sort(key=lambda hit: (-hit["score"], hit["id"]))
    limit = int(asked.get("limit") or _SHOWN)
    return {
        "project": project, "state": "ok" if hits else "empty", "hits": hits[:limit], "count": len(hits),
        "corrected": {}, "common": [], "unread": [], "near": [], "copy_of": at,
    }  # fmt: skip


def _read(question: str) -> tuple[list[str], list[list[str]], list[list[str]]]:
    sought: list[str] = []
    phrases: list[list[str]] = []
    without: list[list[str]] = []
    for minus, name, quoted, bare in _PIECE.findall(question):
        if name:
            raise Usage(
                f"`{name}:` needs the service, which is away; this machine's copy is searched by words."
            )
        words = _words(quoted or bare)
        if minus and words:
            without.append(words)
        elif not minus:
            sought += [word for word in words if word not in _STOP]
            if len(words) > 1 and quoted:
                phrases.append(words)
    if not sought:
        raise Usage("That names nothing to look for. Write words that say what it is about.")
    return list(dict.fromkeys(sought)), phrases, without


def _words(text: str) -> list[str]:
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not "\u0300" <= c <= "\u036f")
    return [_ENDINGS.sub("", word.casefold()) for word in _WORD.findall(bare)]


def _texts(identity: str, whole: Json) -> dict[str, str]:
    decision = members(members(whole, "decisions"), identity)
    rejected = [
        f"{one.get('option', '')}: {one.get('reason', '')}" for one in objects(decision, "rejected")
    ]
    elements = [
        f"{element.get('kind')}:{element.get('name')}"
        for element in objects(whole, "elements")
        if identity in items(element, "in_force") or identity in items(element, "dead_ends")
    ]
    return {
        "title": str(decision.get("title", "")),
        "names": "; ".join([*elements, *map(str, items(decision, "holds"))]),
        "rationale": str(decision.get("rationale", "")),
        "rejected": "; ".join(rejected),
    }


def _answers(
    fields: dict[str, list[str]], phrases: list[list[str]], without: list[list[str]]
) -> bool:
    told = [f" {' '.join(words)} " for words in fields.values()]

    def stands(phrase: list[str]) -> bool:
        return any(f" {' '.join(phrase)} " in text for text in told)

    return all(map(stands, phrases)) and not any(map(stands, without))


def _contested(whole: Json) -> dict[str, list[str]]:
    """Decision → the slots it holds on which others stand against it."""
    against: dict[str, list[str]] = {}
    for element in objects(whole, "elements"):
        for slot in items(element, "conflicts"):
            for head in objects(members(element, "slots"), str(slot)):
                label = f"{element.get('kind')}:{element.get('name')}.{slot}"
                against.setdefault(str(head.get("decision")), []).append(label)
    return against


def _hit(
    identity: str,
    decision: Json,
    texts: dict[str, str],
    sought: list[str],
    score: float,
    dead_end: bool,
    conflicts: dict[str, list[str]],
) -> Json:
    shown = [_snippet(name, texts[name], sought) for name in ("title", "rationale", "rejected")]
    return {
        "id": identity, "title": texts["title"], "state": "dead_end" if dead_end else "in_force",
        "score": round(score, 3), "date": decision.get("date"), "recorded": items(decision, "recorded"),
        "holds": items(decision, "holds"), "conflicts": conflicts.get(identity, []), "displaced_by": [],
        "snippets": [one for one in shown if one["field"] == "title" or one["marks"]], "explain": None,
    }  # fmt: skip


def _snippet(name: str, text: str, sought: list[str]) -> Json:
    """The stretch of a text around the first word that matches."""
    flat = " ".join(text.split())
    places = [m for m in _WORD.finditer(flat) if set(_words(m.group())) & set(sought)]
    first = max(places[0].start() - 60, 0) if places else 0
    cut = flat[first : first + _SNIPPET]
    marks = [[m.start() - first, m.end() - first] for m in places if m.end() - first <= len(cut)]
    return {"field": name, "text": cut, "marks": marks}
