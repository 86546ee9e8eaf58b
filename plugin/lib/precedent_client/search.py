"""`precedent search`: the decisions that answer a question asked in words."""

from __future__ import annotations

from typing import Any

from precedent_client import escape
from precedent_client.faults import Unreachable, Usage
from precedent_client.render import items, members, objects
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced

Json = dict[str, Any]

STATES = {"dead_end": "DEAD END", "superseded": "SUPERSEDED", "history": "HISTORY"}
"""How a hit is marked that is not in force."""


def search(service: Service, asked: Json, terminal: Terminal) -> int:
    """Print what was found, best first; `asked` are the service's parameters. Looks at no text in full,
    so nothing counts as read: `precedent show ID` prints one.
    """
    answer = _found(service, asked, terminal)
    source = f"project {escape.line(answer.get('project') or service.config.project)}"
    terminal.answer(answer, text(answer, str(asked["q"]), source, terminal))
    if answer.get("state") == "unavailable":
        raise Unreachable(
            "The recorded decisions could not be read: this is not the same as there being none.\n"
            "Run the same command again in a moment.",
            "unavailable",
        )
    return 0


def _found(service: Service, asked: Json, terminal: Terminal) -> Json:
    """The service's answer, or where it is away what this machine's copy has."""
    query = [(name, str(value)) for name, value in asked.items()]
    try:
        return service.get_of_project("/search", query).body
    except Unreachable as fault:
        from precedent_client import offline_search

        copy = offline_search.found(service.config.url, service.config.project, asked)
        if copy is None:
            raise
        why = fault.message.partition("\n")[0]
        terminal.warn(f"{why} This is this machine's copy of {escape.line(copy['copy_of'])}.")
        return copy


def text(answer: Json, question: str, source: str, terminal: Terminal) -> list[str]:
    """The hits with the places that matched, then what was not looked at."""
    if answer.get("state") == "unavailable":
        return []
    hits = objects(answer, "hits")
    if not hits:
        copy = answer.get("copy_of")
        how = f" (So says a copy of {escape.line(copy)}.)" if copy else ""
        lines = [f"Nothing in {source} answers: {escape.line(question)}{how}"]
    else:
        lines = fenced([line for hit in hits for line in _hit(hit, terminal)], source)
    return lines + _remarks(answer, len(hits))


def _hit(hit: Json, terminal: Terminal) -> list[str]:
    state = str(hit.get("state"))
    mark = f"  {STATES.get(state, escape.line(state))}" if state != "in_force" else ""
    lines = [f"{escape.line(hit.get('id', '?'))}  {_marked(_title(hit), terminal)}{mark}"]
    by = ", ".join(escape.line(one) for one in items(hit, "displaced_by"))
    if by:
        lines.append(f"    displaced by {by}")
    holds = ", ".join(escape.line(slot) for slot in items(hit, "holds"))
    if holds:
        lines.append(f"    holds {holds}")
    lines += [
        f"    IN CONFLICT on {escape.line(slot)}: precedent conflicts"
        for slot in items(hit, "conflicts")
    ]
    lines += [
        f"    {escape.line(snippet.get('field'))}: {_marked(snippet, terminal)}"
        for snippet in objects(hit, "snippets")
        if snippet.get("field") != "title"
    ]
    explained = members(hit, "explain")
    lines += [_explained(word, members(explained, word)) for word in explained]
    return [*lines, ""]


def _explained(word: str, told: Json) -> str:
    fields = members(told, "fields")
    where = ", ".join(f"{escape.line(name)} {escape.line(fields[name])}" for name in fields)
    score, rarity = escape.line(told.get("score")), escape.line(told.get("rarity"))
    return f"    {escape.line(word)}: {score} (rarity {rarity}; {where})"


def _title(hit: Json) -> Json:
    for snippet in objects(hit, "snippets"):
        if snippet.get("field") == "title" and snippet.get("text"):
            return snippet
    return {"text": hit.get("title") or "(redacted)", "marks": []}


def _marked(snippet: Json, terminal: Terminal) -> str:
    """A snippet with the words that matched between `[` and `]`, or bold where the terminal can."""
    whole, told, end = str(snippet.get("text", "")), [], 0
    for mark in items(snippet, "marks"):
        if not (isinstance(mark, list) and len(mark) == 2 and all(type(n) is int for n in mark)):
            continue
        start, stop = mark
        if not end <= start < stop <= len(whole):
            continue
        told += [escape.text(whole[end:start]), terminal.mark(escape.text(whole[start:stop]))]
        end = stop
    told.append(escape.text(whole[end:]))
    return " ".join("".join(told).split())


def _remarks(answer: Json, shown: int) -> list[str]:
    lines = []
    count = answer.get("count")
    if isinstance(count, int) and count > shown:
        lines.append(f"{count - shown} more found: --limit {min(count, 50)} prints them.")
    corrected = members(answer, "corrected")
    for word in corrected:
        told = ", ".join(escape.line(one) for one in items(corrected, word))
        lines.append(f"Nobody wrote “{escape.line(word)}”; read as {told}.")
    for name, said in (
        ("common", "So common that only where they weigh most was looked at"),
        ("unread", "Words past the limit, not looked for"),
        ("near", "Words that would find something"),
    ):
        words = ", ".join(escape.line(word) for word in items(answer, name))
        if words:
            lines.append(f"{said}: {words}.")
    return lines


def asked_from(options: Any) -> Json:
    """The parameters of a command line. Raises Usage."""
    question = " ".join(options.words).strip()
    if not question:
        raise Usage("For what? Write words.\nExamples: precedent search --help")
    asked: Json = {"q": question}
    if options.include:
        asked["include"] = options.include.replace("-", "_")
    if options.limit is not None:
        asked["limit"] = options.limit
    if options.explain:
        asked["explain"] = "true"
    return asked
