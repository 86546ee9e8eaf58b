"""The options a record considered: which one was chosen, and what speaks against the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from precedent_client import adr_markdown
from precedent_client.adr_markdown import Section

_CHOSEN = re.compile(
    r"[\s>*_+-]*(?:chosen|selected|decided)\s+(?:option|alternative|solution)s?[*_]*\s*:[*_]*\s*(.*)",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "«": "»", "‘": "’"}
_AFTER_NAME = re.compile(r"\s+[–—-]\s+|:\s|\s\(|,\s|\.\s")


@dataclass
class Option:
    """One considered option: its name in plain words and everything said about it."""

    name: str
    said: str


def considered(options: list[Section], pros: list[Section]) -> tuple[list[Option], list[Section]]:
    """The options, with their arguments; and the sections of arguments that belong to none of them.

    `options` is the section that lists them, with those below it; `pros` the one that argues.
    """
    found = _listed(options)
    left = []
    for section in _joined(pros[1:]):
        option = match(adr_markdown.plain(section.heading), found)
        if option is None:
            left.append(section)
        else:
            option.said = "\n\n".join(part for part in (option.said, section.text) if part)
    if not found and pros:
        found, left = [Option(_name(part.heading), part.text) for part in _joined(pros[1:])], []
    head = [pros[0]] if pros and pros[0].text else []
    return [option for option in found if option.name], head + left


def with_reasons(options: list[Option]) -> list[Option]:
    """Alternatives written `name: why not`, taken apart."""
    found = []
    for option in options:
        parts = re.split(r":\s+|\s+[–—]\s+", option.name, maxsplit=1)
        if len(parts) == 2 and parts[0] and not option.said.strip():
            found.append(Option(parts[0], parts[1]))
        else:
            found.append(option)
    return found


def _listed(sections: list[Section]) -> list[Option]:
    if not sections:
        return []
    items = [
        Option(_name(head), _details(head, below))
        for head, below in adr_markdown.list_items(sections[0].lines)
    ]
    return items + [Option(_name(part.heading), part.text) for part in _joined(sections[1:])]


def _joined(sections: list[Section]) -> list[Section]:
    """Sections of the first one's level, each holding the deeper ones below it as Markdown."""
    found: list[Section] = []
    for section in sections:
        if found and section.level > found[-1].level:
            found[-1].lines[:] = [found[-1].text, "", section.markdown]
        else:
            found.append(Section(section.level, section.heading, list(section.lines)))
    return found


def _name(text: str) -> str:
    name = adr_markdown.plain(text)
    if name.startswith("[") and name.endswith("]"):  # MADR 2 left its template's brackets
        name = name[1:-1].strip()
    return name


def _details(head: str, below: list[str]) -> str:
    """What an item says beyond its name: the lines below it, and the addresses the name linked."""
    addresses = [f"<{address}>" for _, address in adr_markdown.links(head)]
    lines = [line.strip() for line in below]
    return "\n".join(part for part in ("\n".join(lines).strip(), " ".join(addresses)) if part)


def chosen(sections: list[Section], options: list[Option]) -> tuple[str, Option | None]:
    """What the outcome says was chosen, as written, and which of the options that is."""
    for section in sections:
        for index, line in enumerate(section.lines):
            stated = _CHOSEN.match(line)
            if stated:
                rest = [stated.group(1)]
                for more in section.lines[index + 1 : index + 6]:
                    if not more.strip():
                        break
                    rest.append(more.strip())
                text = " ".join(rest)
                for candidate in _candidates(text):
                    option = match(candidate, options)
                    if option is not None:
                        return candidate, option
                return _candidates(text)[0], None
    return "", None


def _candidates(text: str) -> list[str]:
    """What of a `Chosen option: …` line may be the name. A name may itself hold quotes or "because"."""
    plain = adr_markdown.plain(text)
    found = []
    close = _QUOTES.get(plain[:1])
    if close:
        ends = [match.start() for match in re.finditer(re.escape(close), plain[1:600])]
        likely = [end for end in ends if re.match(r"\s*(?:[,.;:]|because\b|$)", plain[end + 2 :])]
        found += [plain[1 : end + 1] for end in likely]
    found += [
        plain[: match.start()].rstrip(" ,") for match in re.finditer(r"\bbecause\b", plain[:600])
    ]
    found += [re.split(r"\.\s", plain, maxsplit=1)[0], plain]
    return [_name(candidate.strip(" .,;:")) for candidate in found if candidate.strip(" .,;:")] or [
        plain
    ]


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def match(text: str, options: list[Option]) -> Option | None:
    """The one option a text names: by its whole name, or by what stands before its explanation."""
    wanted = _key(text)
    if not wanted:
        return None
    tests: tuple[Callable[[str], bool], ...] = (
        lambda name: _key(name) == wanted,
        lambda name: _key(_AFTER_NAME.split(name, maxsplit=1)[0]) == wanted,
        lambda name: _key(name).startswith(wanted + " ") or wanted.startswith(_key(name) + " "),
    )
    for test in tests:
        found = [option for option in options if test(option.name)]
        if len(found) == 1:
            return found[0]
    return None
