"""One file, read as an architecture decision record: Nygard's form or MADR's, or something in between."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from precedent_client import adr_dates, adr_markdown, adr_options, adr_status, export_adr
from precedent_client.adr_markdown import Document, Section
from precedent_client.adr_options import Option
from precedent_client.adr_status import Relation
from precedent_client.seen import is_id

_FIELD = re.compile(
    r"[\s*+|-]*[*_]{0,2}(status|date)[*_]{0,2}\s*[:|][*_]{0,2}\s*(.*?)[\s|]*$", re.IGNORECASE
)
_OPTIONS = re.compile(r"(considered |possible |the )?(options|alternatives)( considered)?$")
_ALTERNATIVES = re.compile(r"(rejected (options|alternatives)|alternatives( considered)?)$")
_PROS = re.compile(r"pros and cons( of the (options|alternatives))?$")
_DECISION = re.compile(r"(the )?(decision|decision outcome|outcome|proposal|resolution|solution)$")
_PEOPLE = ("deciders", "decision-makers", "consulted", "informed")
_RELATION_KEYS = ("supersedes", "superseded-by", "amends", "amended-by")
_EXPORTED = ("precedent", "precedent-exported")
_USED = ("title", "status", "date", *_PEOPLE, *_RELATION_KEYS, *_EXPORTED)


class NotARecord(Exception):
    """A Markdown file that is something else, and what."""


class Unreadable(Exception):
    """A file that should have been a record, and why it is not."""


@dataclass
class Record:
    """What a file says, before anything is known of the others."""

    file: str
    number: int | None
    title: str
    status: str
    standing: str
    date: str | None
    rationale: str
    rejected: list[Option]
    relations: list[Relation]
    warnings: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    """Front matter keys that say nothing about the decision."""
    origin: dict[str, Any] | None = None
    """Where `precedent export --adr` made it: the decision's `id` and `status` then, and whether it is `unchanged`."""


def read(text: str, file: str) -> Record:
    """Read one file. Raises NotARecord or Unreadable with the reason."""
    if not text.strip():
        raise Unreadable("it is empty")
    document = adr_markdown.parse(text.lstrip("\ufeff"))
    number = number_of(file)
    warnings: list[str] = []
    title, sections = _title(document, file, number, warnings)
    named = [(_heading(section.heading), section) for section in sections]
    _refuse_other_things(file, title, number, [name for name, _ in named], document, sections)
    status, date = _fields(document, sections, named, warnings)
    relations = status.relations + _stated(document)
    for name, section in named:
        if name not in ("status", "date"):
            relations += adr_status.relations_in_body(_unfenced(section.lines))
    rejected, kept = _options(named, status.standing, warnings)
    rationale = [section.markdown for section in kept]
    if status.rest:
        rationale.append("\n".join(["## Status", "", *status.rest]))
    rationale += [
        f"{key.replace('-', ' ').capitalize()}: {', '.join(document.front[key])}"
        for key in _PEOPLE
        if document.front.get(key)
    ]
    if document.unread_front:
        warnings.append(
            f"{len(document.unread_front)} lines of front matter not read: "
            + "; ".join(document.unread_front[:5])
        )
    return Record(
        file, number, title, status.written, status.standing, date,
        "\n\n".join(part.strip("\n") for part in rationale if part.strip()),
        rejected, list(dict.fromkeys(relations)), warnings,
        sorted(set(document.front) - set(_USED)), _origin(document, text),
    )  # fmt: skip


def _origin(document: Document, text: str) -> dict[str, Any] | None:
    stated = [" ".join(document.front.get(key, [])) for key in _EXPORTED]
    status, _, fingerprint = stated[1].partition(" ")
    if not is_id(stated[0]) or not fingerprint:
        return None
    below = text.replace("\r\n", "\n").split("\n---\n", 1)[-1]
    return {
        "id": stated[0],
        "status": status,
        "unchanged": export_adr.fingerprint(below) == fingerprint,
    }


def number_of(file: str) -> int | None:
    """The number a file's name begins with; a date is none."""
    match = re.match(r"(?:adr[-_]?)?(\d{1,6})(?=[-_. ]|$)", file.rsplit("/", 1)[-1], re.IGNORECASE)
    if match is None or re.match(r"\d{4}-\d\d-\d\d", file.rsplit("/", 1)[-1]):
        return None
    return int(match.group(1))


def _heading(text: str) -> str:
    """A heading as it is compared: no numbering, no emphasis, no colon."""
    plain = adr_markdown.plain(text).casefold().strip(" :.")
    return re.sub(r"^\d{1,3}(\.\d{1,3})*[.)]?\s+", "", plain)


def _is_part(name: str) -> bool:
    known = ("status", "date", "context", "consequences", "context and problem statement", "links")
    return name in known or any(
        pattern.match(name) for pattern in (_OPTIONS, _ALTERNATIVES, _PROS, _DECISION)
    )


def _title(
    document: Document, file: str, number: int | None, warnings: list[str]
) -> tuple[str, list[Section]]:
    """The title without its number, and the sections without the title's heading."""
    sections = document.sections
    heads = [
        section for section in sections if section.level and not _is_part(_heading(section.heading))
    ]
    first = next((section for section in heads if section.level == 1), None)
    if first is None and heads and heads[0] is sections[min(1, len(sections) - 1)]:
        first = heads[0]  # the levels are off, but it comes before everything else
    stated = " ".join(document.front.get("title", []))
    title = _without_number(first.heading if first else stated, number, warnings)
    if not title:
        stem = re.sub(r"\.[^.]*$", "", file.rsplit("/", 1)[-1])
        words = re.sub(r"^(?:adr[-_]?)?[\d.-]*\d[-_. ]+", "", stem, flags=re.IGNORECASE)
        title = re.sub(r"[-_\s]+", " ", words).strip().capitalize()
        if not title or not any(_is_part(_heading(section.heading)) for section in sections):
            raise Unreadable("it has no title and no section of a decision record")
        warnings.append("no title; taken from the file's name")
    rest = [Section(0, "", section.lines) if section is first else section for section in sections]
    return title, [section for section in rest if section.level or section.text.strip()]


def _without_number(heading: str, number: int | None, warnings: list[str]) -> str:
    plain = adr_markdown.plain(heading)
    match = re.match(
        r"(?:ADR[\s#_-]{0,3}(\d{1,6})\s*[:.)–—-]?|\[?ADR[\s#_-]{0,3}(\d{1,6})\]"
        r"|(\d{1,6})\s*(?:[:.)]|\s[–—-])(?=\s)|(0\d{1,5})(?=\s))\s*",
        plain,
        re.IGNORECASE,
    )
    if match is None:
        return plain
    said = int(next(group for group in match.groups() if group))
    if number is not None and said != number:
        warnings.append(
            f"the heading says number {said}, the file's name {number}; the name counts"
        )
    return plain[match.end() :].strip() or plain


def _refuse_other_things(
    file: str,
    title: str,
    number: int | None,
    names: list[str],
    document: Document,
    sections: list[Section],
) -> None:
    base = file.rsplit("/", 1)[-1].lower()
    if "template" in base or re.match(r"[{\[].*[}\]]$", title) or title.lower() == "adr template":
        raise NotARecord("it is a template")
    parts = [name for name in names if _is_part(name)]
    stated = "status" in document.front or any(
        _FIELD.match(line) for section in sections[:1] for line in section.lines
    )
    if number is None and not any(_DECISION.match(name) for name in names) and not stated:
        raise NotARecord("it has neither a number nor a status nor a decision")
    if not parts and not stated and not any(section.text.strip() for section in sections):
        raise Unreadable("it has a title and nothing else")


def _fields(
    document: Document,
    sections: list[Section],
    named: list[tuple[str, Section]],
    warnings: list[str],
) -> tuple[adr_status.Status, str | None]:
    """Status and date, wherever the form puts them; their lines leave the running text."""
    status = list(document.front.get("status", []))
    dates = list(document.front.get("date", []))
    for name, section in named:
        if name == "status":
            status += section.lines
        if name == "date":
            dates += [line for line in section.lines if line.strip()]
    for section in [part for part in sections if part.level == 0] + [
        s for n, s in named if n == "status"
    ]:
        kept = []
        for line in section.lines:
            found = _FIELD.match(line)
            if found is None:
                kept.append(line)
            elif found.group(1).lower() == "date":
                dates.append(found.group(2))
            elif section.level == 0:
                status.append(found.group(2))
        section.lines[:] = kept
    dates = [date for date in dates if date.strip()]
    date = next((read for read in map(adr_dates.read, dates) if read), None)
    if dates and date is None:
        warnings.append(f"its date cannot be read: {dates[0].strip()[:60]}")
    status_lines = [line for line in status if not _is_date_line(line)]
    return adr_status.parse(status_lines), date


def _is_date_line(line: str) -> bool:
    found = _FIELD.match(line)
    return found is not None and found.group(1).lower() == "date"


def _stated(document: Document) -> list[Relation]:
    found = []
    for key in _RELATION_KEYS:
        for value in document.front.get(key, []):
            found += adr_status.relations_in(f"{key.replace('-', ' ')} {value}")
    return found


def _unfenced(lines: list[str]) -> list[str]:
    kept, fence = [], ""
    for line in lines:
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and (not fence or mark == fence):
            fence = "" if fence else mark
        elif not fence:
            kept.append(line)
    return kept


def _options(
    named: list[tuple[str, Section]], standing: str, warnings: list[str]
) -> tuple[list[Option], list[Section]]:
    """The rejected alternatives, and the sections that stay in the rationale, in their order."""
    options = _with_below(named, _OPTIONS)
    pros = _with_below(named, _PROS)
    alternatives = _with_below(named, _ALTERNATIVES)
    every, unmatched = adr_options.considered(options or alternatives, pros)
    if alternatives:
        every = adr_options.with_reasons(every)
    decision = [section for name, section in named if _DECISION.match(name)]
    said, choice = adr_options.chosen(decision, every)
    taken = {id(section) for section in options + pros + alternatives}
    status = [section for name, section in named if name in ("status", "date")]
    taken |= {id(section) for section in status}
    if every and choice is None and not (alternatives and not said):
        # Who does not know what was chosen must not say that it was rejected.
        if standing in ("adopted", "superseded", "deprecated"):
            what = (
                f"the chosen option ({said}) is none of them"
                if said
                else "no option is named as chosen"
            )
            warnings.append(f"{len(every)} options stay in the rationale: {what}")
        taken = {id(section) for section in status}
        return [], [section for _, section in named if id(section) not in taken]
    kept = [section for _, section in named if id(section) not in taken]
    if choice is not None and choice.said.strip():
        kept.append(Section(2, f"Said of the chosen option: {choice.name}", [choice.said]))
    return [option for option in every if option is not choice], kept + [
        section for section in unmatched if section.text.strip()
    ]


def _with_below(named: list[tuple[str, Section]], pattern: re.Pattern[str]) -> list[Section]:
    """The first section a pattern names, with the deeper ones right after it."""
    for index, (name, section) in enumerate(named):
        if pattern.match(name) and section.level:
            found = [section]
            for _, below in named[index + 1 :]:
                if below.level <= section.level:
                    break
                found.append(below)
            return found
    return []
