"""A record's status and what it says about other records."""

from __future__ import annotations

import re
from dataclasses import dataclass

from precedent_client import adr_markdown

STANDINGS = {
    "accepted": "adopted", "approved": "adopted", "adopted": "adopted",
    "rejected": "rejected", "declined": "rejected",
    "pending": "note", "proposed": "note", "draft": "note",
    "deprecated": "deprecated", "superseded": "superseded",
}  # fmt: skip
"""What a status word means here. Any other is a note, and named."""

_WORD = re.compile(r"[a-z]+(?:[ -][a-z]+)?", re.IGNORECASE)
_SUPERSEDED = r"(?:super[sc]ee?ded|replaced|obsoleted)"
_SUPERSEDES = r"(?:super[sc]ee?des|replaces|obsoletes)"
_PARTLY = r"(?:partly|partially|in\s+part)"
_RELATIONS = re.compile(
    rf"(?P<partly_superseded_by>\b{_PARTLY}\s+{_SUPERSEDED}|\b{_SUPERSEDED}\s+{_PARTLY})"
    rf"|(?P<partly_supersedes>\b{_PARTLY}\s+{_SUPERSEDES}|\b{_SUPERSEDES}\s+{_PARTLY})"
    rf"|(?P<superseded_by>\b{_SUPERSEDED}\b)"
    rf"|(?P<supersedes>\b{_SUPERSEDES}\b)"
    r"|(?P<amended_by>\bamended\s+by\b)"
    r"|(?P<amends>\bamends\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:\bADR[\s#-]{0,3}|#|\b)0*(\d{1,6})\b", re.IGNORECASE)
_ITSELF = re.compile(r"\bthis\s+(?:adr|record|decision|document)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Relation:
    """`rel` as it goes into a ref; the target as written: an address, or a number as a text."""

    rel: str
    target: str


@dataclass
class Status:
    """`written` is what the file says, `standing` what that means here."""

    written: str
    standing: str
    relations: list[Relation]
    rest: list[str]


def parse(lines: list[str]) -> Status:
    """A status from its lines; the last word that is a status counts, for some keep a log of them."""
    written, standing = "", ""
    relations: list[Relation] = []
    rest: list[str] = []
    for line in lines:
        text = re.sub(r"~~[^~]{0,500}~~", "", line).strip()
        bare = adr_markdown.plain(re.sub(r"^[\s>*+|-]+", "", text)).strip("[]{}|\"' ")
        if not bare:
            continue
        found = relations_in(text)
        relations += found
        word = _standing_of(bare)
        if word == "superseded" and any(one.rel == "partly-superseded-by" for one in found):
            word = "adopted"
        only_amended = written and {one.rel for one in found} <= {"amends", "amended-by"} and found
        if (word and not only_amended) or (not written and not found):
            written, standing = bare, word or "unknown"
        elif not found:
            rest.append(line)
    if any(one.rel == "superseded-by" for one in relations):
        standing = "superseded"
        written = next(
            (adr_markdown.plain(line).strip() for line in lines if _RELATIONS.search(line)), written
        )
    return Status(written, standing or "adopted", relations, rest)


def _standing_of(bare: str) -> str:
    # A log begins its lines with a date: `2020-01-01: accepted`.
    bare = re.sub(r"^\d{4}-\d\d-\d\d[\s:,-]*", "", bare)
    if "|" in bare and len({word for word in STANDINGS if word in bare.lower()}) > 1:
        return ""  # the template's own list of choices, never filled in
    relation = _RELATIONS.match(bare)
    if relation:
        return {
            "superseded_by": "superseded",
            "partly_superseded_by": "adopted",
            "amended_by": "adopted",
            "amends": "adopted",
        }.get(str(relation.lastgroup), "")
    first = re.match(r"[a-z]+", bare, re.IGNORECASE)
    return STANDINGS.get(first.group().lower(), "") if first else ""


def relations_in(text: str) -> list[Relation]:
    """What one line says of other records: each verb with the links, or else the numbers, after it."""
    found = []
    verbs = list(_RELATIONS.finditer(text))
    for index, verb in enumerate(verbs):
        end = verbs[index + 1].start() if index + 1 < len(verbs) else len(text)
        part = text[verb.start() : end]
        rel = str(verb.lastgroup).replace("_", "-")
        targets = [address for _, address in adr_markdown.links(part)]
        if not targets:
            undated = re.sub(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}", " ", part)
            targets = [match.group(1) for match in _NUMBER.finditer(undated)]
        found += [Relation(rel, target) for target in targets]
        if not targets and rel in ("partly-superseded-by", "superseded-by"):
            found.append(Relation(rel, ""))
    return found


def relations_in_body(lines: list[str]) -> list[Relation]:
    """What running text says of other records, where it links them.

    Only "this record supersedes …", or a line that begins with the verb, says it of the record as a
    whole. "These ranges have been superseded by …" says it of a part, so it becomes a reference and
    takes nothing out of force.
    """
    found = []
    for line in lines:
        if not adr_markdown.links(line):
            continue
        for relation in relations_in(line):
            rel = relation.rel
            whole = _ITSELF.search(line) or _RELATIONS.match(re.sub(r"^[\s>*+_-]+", "", line))
            if rel in ("supersedes", "superseded-by") and not whole:
                rel = f"partly-{rel}"
            if relation.target:
                found.append(Relation(rel, relation.target))
    return found
