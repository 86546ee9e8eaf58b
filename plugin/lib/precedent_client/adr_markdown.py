"""As much Markdown as decision records need: front matter, headings, code fences, comments, links, lists.

Every pass is linear in the text, because the text is somebody else's and may be a megabyte of brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_FENCE = re.compile(r"\s{0,12}(`{3,}|~{3,})")
_ITEM = re.compile(r"( {0,3})(?:[*+-]|\d{1,9}[.)])[ \t]+(\S.*)$")
_ADDRESS = r"[^()]{0,2000}(?:\([^()]{0,500}\)[^()]{0,500})?"
_LINK = re.compile(rf"!?\[([^\[\]]{{0,500}})\](?:\(({_ADDRESS})\)|\[[^\[\]]{{0,500}}\])")
_AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]{1,30}:[^<>\s]{0,2000})>", re.IGNORECASE)
_FRONT_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_ -]{0,60}):(?:\s+(.*)|\s*)$")
FRONT_LINES = 200
"""Front matter longer than this is none: the `---` at the top was a rule."""


@dataclass
class Section:
    """A heading and the lines up to the next heading of any level. Level 0 is what precedes them all."""

    level: int
    heading: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(line if line.strip() else "" for line in self.lines).strip("\n")

    @property
    def markdown(self) -> str:
        """As it stood in the file."""
        head = f"{'#' * self.level} {self.heading}" if self.level else ""
        return "\n\n".join(part for part in (head, self.text) if part.strip())


@dataclass
class Document:
    """A file taken apart."""

    front: dict[str, list[str]]
    unread_front: list[str]
    sections: list[Section]


def parse(text: str) -> Document:
    """Take a file's text apart. Never fails: what is no front matter or heading is text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    front, unread, start = _front_matter(lines)
    return Document(front, unread, _sections(_without_comments(lines[start:])))


def _front_matter(lines: list[str]) -> tuple[dict[str, list[str]], list[str], int]:
    """Simple YAML: `key: value`, `key: [a, b]`, and `key:` with `- item` lines; the rest is named."""
    if not lines or lines[0].rstrip() != "---":
        return {}, [], 0
    end = next(
        (n for n, line in enumerate(lines[1:FRONT_LINES], 1) if line.rstrip() in ("---", "...")), 0
    )
    if not end:
        return {}, [], 0
    front: dict[str, list[str]] = {}
    unread: list[str] = []
    current = ""
    for line in lines[1:end]:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        key = _FRONT_KEY.match(line.rstrip())
        if key:
            current = key.group(1).strip().lower().replace("_", "-").replace(" ", "-")
            value = key.group(2) or ""
            if value[:1] in ("|", ">", "&", "*", "{", "!"):
                unread.append(bare)
                current = ""
            else:
                front[current] = _scalars(value)
        elif bare.startswith("- ") and current in front:
            front[current] += _scalars(bare[2:])
        else:
            unread.append(bare)
    return front, unread, end + 1


def _scalars(text: str) -> list[str]:
    text = text.strip()
    if text[:1] not in ("'", '"'):
        text = re.split(r"(?:^|\s)#", text, maxsplit=1)[0].strip()  # a comment
    # `[a, b]` is a list; `[ADR-0005](0005-x.md)` is a link.
    listed = text.startswith("[") and text.endswith("]")
    parts = text[1:-1].split(",") if listed else [text]
    return [bare for bare in (_unquoted(part) for part in parts) if bare]


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].strip()
    return text


def _without_comments(lines: list[str]) -> list[str]:
    """The lines with `<!-- … -->` taken out, except inside code fences. An open end hides nothing."""
    kept: list[str] = []
    fence = ""
    hidden: list[str] | None = None
    for whole in lines:
        line = whole
        if hidden is not None:
            hidden.append(whole)
            end = whole.find("-->")
            line = whole[end + 3 :]
            if end < 0:
                continue
            hidden = None
            if not line.strip():
                continue
        fence = _fence_after(fence, line)
        if fence or "<!--" not in line:
            kept.append(line)
            continue
        shown, left = _shown(line)
        if left:
            hidden = [left]
        if shown.strip():
            kept.append(shown)
    return kept + (hidden or [])


def _shown(line: str) -> tuple[str, str]:
    """A line without its comments, and the beginning of one that does not end on it.

    What stands in a code span is shown. Searched by hand, because a pattern would look for an end once
    for every beginning.
    """
    parts: list[str] = []
    place = 0
    while True:
        mark = re.compile("`|<!--").search(line, place)
        if mark is None:
            return "".join([*parts, line[place:]]), ""
        parts.append(line[place : mark.start()])
        closing = "`" if mark.group() == "`" else "-->"
        end = line.find(closing, mark.end())
        if end < 0:
            rest = line[mark.start() :]
            return ("".join([*parts, rest]), "") if closing == "`" else ("".join(parts), rest)
        if closing == "`":
            parts.append(line[mark.start() : end + 1])
        place = end + len(closing)


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open after a line, "" if none."""
    match = _FENCE.match(line)
    if not match:
        return fence
    mark = match.group(1)
    if not fence:
        # An inline code span that happens to begin a line is not a fence.
        return "" if mark[0] == "`" and "`" in line[match.end() :] else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not line[match.end() :].strip()
    return "" if closes else fence


def _sections(lines: list[str]) -> list[Section]:
    sections = [Section(0, "")]
    fence = ""
    for line in lines:
        before, fence = fence, _fence_after(fence, line)
        if before or fence:
            sections[-1].lines.append(line)
            continue
        heading = _HEADING.match(line.rstrip())
        above = sections[-1].lines
        if heading:
            text = re.sub(r"[ \t]+#+$", "", heading.group(2) or "").strip()
            sections.append(Section(len(heading.group(1)), text))
        elif _underlines(line, above):
            sections.append(Section(1 if line.lstrip()[0] == "=" else 2, above.pop().strip()))
        else:
            above.append(line)
    return sections


def _underlines(line: str, above: list[str]) -> bool:
    """Whether it makes the one line above it a heading (`Title` over `=====`)."""
    if not re.match(r" {0,3}(=+|-{2,})\s*$", line) or not above or not above[-1].strip():
        return False
    if len(above) > 1 and above[-2].strip():
        return False
    return not (_ITEM.match(above[-1]) or above[-1].lstrip()[:1] in (">", "|", "#"))


def plain(text: str) -> str:
    """Inline Markdown as its words: links as their text, no emphasis, no code marks."""
    text = _LINK.sub(lambda match: match.group(1), text)
    parts = text.split("`")
    # Between backticks (the odd parts) nothing is markup.
    parts[::2] = [_without_emphasis(part) for part in parts[::2]]
    return " ".join("".join(parts).split())


def _without_emphasis(text: str) -> str:
    text = _AUTOLINK.sub(lambda match: match.group(1), text)
    text = re.sub(r"\*\*|__|~~", "", text)
    return re.sub(r"(?<![\w*])\*([^*\s][^*]{0,500})\*(?![\w*])", r"\1", text)


def links(text: str) -> list[tuple[str, str]]:
    """Each link's text and address, in order; a title after the address is left out."""
    found = []
    for match in _LINK.finditer(text):
        if match.group(2) and not match.group().startswith("!"):
            address = match.group(2).strip()
            # `(<a b.md>)` and `(a.md "title")`
            address = re.sub(r"\s+(\"[^\"]*\"|'[^']*')$", "", address).strip("<>")
            found.append((match.group(1), address))
    return found


def list_items(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each item of the outermost lists: its first paragraph on one line, and the lines below it."""
    head, inside, fence, indent = "", False, "", 0
    below: list[str] = []
    for line in lines:
        before, fence = fence, _fence_after(fence, line)
        item = None if before or fence else _ITEM.match(line)
        if item and not (inside and len(item.group(1)) > indent + 1):
            if inside:
                yield head, below
            head, below, inside, indent = item.group(2).strip(), [], True, len(item.group(1))
        elif (
            inside
            and not below
            and line.strip()
            and not re.match(r"\s+[*+-]\s", line)
            and not fence
        ):
            head += " " + line.strip()
        elif inside and (line.strip() or below):
            if line.strip() and not line.startswith((" ", "\t")) and not before and not fence:
                yield head, below  # a paragraph ends the list
                inside = False
            else:
                below.append(line)
        elif inside:
            below.append("")
    if inside:
        yield head, below
