"""`precedent recall` and `precedent show`: what was decided, in full, and remembered as read."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from precedent_client import escape, feedback, render
from precedent_client.faults import Unreachable, Usage
from precedent_client.render import items, members, objects
from precedent_client.seen import Seen, is_id
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced

Json = dict[str, Any]

PAGES = 50
"""Pages fetched for one answer; what is beyond is counted and named as far as it is known."""
NAMES_A_REQUEST = 100
"""Elements, or files, the service takes at once."""


@dataclass(frozen=True)
class Area:
    """What is asked about: elements as `kind:name`, files by their path from the repository's root."""

    elements: Sequence[str]
    paths: Sequence[str] = ()
    words: Sequence[str] = ()
    """Looked for in this machine's copy only."""
    as_of: str | None = None
    """The date it is about; None for now."""
    task: Json = field(default_factory=dict)
    """`q`, `task`, `branch` and `explain`: what the answer is ranked by, all of it in one request."""

    @property
    def asked(self) -> list[str]:
        """What was asked in words."""
        return [str(self.task[name]) for name in ("q", "task") if name in self.task]

    def requests(self) -> list[Json]:
        """The area in as many requests as the service wants it in."""
        when = {"as_of": self.as_of} if self.as_of else {}
        if self.task:
            return [{"element": list(self.elements), "path": list(self.paths), **when, **self.task}]
        return [
            {name: list(asked[start : start + NAMES_A_REQUEST]), **when}
            for name, asked in (("element", self.elements), ("path", self.paths))
            for start in range(0, len(asked), NAMES_A_REQUEST)
        ]


def recall(service: Service, area: Area, seen: Seen, terminal: Terminal) -> int:
    """Print everything in force on the elements, and on those whose `paths` cover the files."""
    answer = (
        _from_copy(service, area, terminal) if area.words else _fetched(service, area, terminal)
    )
    return tell(
        service, answer, [*area.elements, *area.paths, *area.words, *area.asked], seen, terminal
    )


def _fetched(service: Service, area: Area, terminal: Terminal) -> Json:
    """The service's answer, or where there is none this machine's copy, which says so."""
    try:
        return fetch(service, area)
    except Unreachable as fault:
        if area.as_of or not (area.elements or area.paths):
            raise  # a copy knows only what is in force now; for words `search` looks into it
        try:
            return _from_copy(service, area, terminal, fault.message.partition("\n")[0])
        except Usage:
            raise fault from None


def _from_copy(service: Service, area: Area, terminal: Terminal, why: str = "") -> Json:
    from precedent_client import offline

    config = service.config
    copy = offline.recalled(config.url, config.project, area.elements, area.paths, area.words)
    if copy is None:
        raise Usage("This machine has no copy of the project: precedent pull")
    terminal.warn(f"{why} This is this machine's copy of {escape.line(copy['copy_of'])}.".lstrip())
    return copy


def tell(
    service: Service, answer: Json, asked: Sequence[str], seen: Seen, terminal: Terminal
) -> int:
    """Print an answer, and remember what it told in full."""
    source = f"project {escape.line(answer.get('project') or service.config.project)}"
    terminal.answer(answer, text(answer, asked, source, terminal))
    if answer["state"] == "unavailable":
        raise Unreachable(
            "The recorded decisions could not be read: this is not the same as there being none.\n"
            "Run the same command again in a moment.",
            "unavailable",
        )
    decisions = members(answer, "decisions")
    # The service says whose full text came along; a redacted decision looks like one without a reason.
    seen.add(found for found in answer["shown"] if render.is_full_text(decisions.get(found, {})))
    return 0


def recall_text(
    service: Service, area: Area, budget: int | None, seen: Seen, terminal: Terminal
) -> int:
    """Print the text an agent is given: composed, cut to a budget and fenced by the service."""
    asked: Json = {"element": list(area.elements), "path": list(area.paths), **area.task}
    if budget is not None:
        asked["budget"] = budget
    if area.as_of:
        asked["as_of"] = area.as_of
    found = service.recall_text(asked)
    shown = {"text": found.text, "shown": found.shown, "omitted": found.omitted}
    terminal.answer(shown, escape.text(found.text).rstrip("\n").split("\n"))
    seen.add(found.shown)
    return 0


def fetch(service: Service, area: Area, pages: int | None = PAGES) -> Json:
    """One answer out of however many pages it came in; `pages` None fetches all there are."""
    merged = _nothing()
    for asked in area.requests():
        _follow(merged, _asking(service, asked), pages)
    return merged


def _asking(service: Service, asked: Json) -> Callable[[dict[str, str]], Json]:
    return lambda cursor: service.recall({**asked, **cursor}).body


def fetch_element(service: Service, identity: str, as_of: str | None) -> Json:
    """What is in force on one element, or was, by its id."""
    merged = _nothing()
    path, when = f"/elements/{identity}", {"as_of": as_of} if as_of else {}
    _follow(
        merged,
        lambda cursor: service.get_of_project(path, list({**when, **cursor}.items())).body,
        PAGES,
    )
    return merged


def _nothing() -> Json:
    return {
        "project": None, "state": "empty", "elements": [], "decisions": {},
        "shown": [], "omitted": {"count": 0, "ids": []}, "cursor": None,
    }  # fmt: skip


def _follow(merged: Json, page: Callable[[dict[str, str]], Json], pages: int | None) -> None:
    """Put the pages of one question together, as far as they may go."""
    cursor: dict[str, str] = {}
    left = pages
    while left != 0:
        answer = page(cursor)
        _merge(merged, answer)
        left = left - 1 if left is not None else None
        if not answer.get("cursor"):
            return
        cursor = {"cursor": str(answer["cursor"])}
    merged.update(cursor)


def _merge(merged: Json, page: Json) -> None:
    rank = {"empty": 0, "ok": 1, "unavailable": 2}
    state = page.get("state", "ok" if page.get("decisions") else "empty")
    if rank.get(state, 1) > rank[merged["state"]]:
        merged["state"] = state if state in rank else "ok"
    merged["project"] = page.get("project", merged["project"])
    known = {element.get("id"): element for element in merged["elements"]}
    for element in objects(page, "elements"):
        earlier = known.get(element.get("id"))
        if earlier is None:
            merged["elements"].append(element)
        else:
            _merge_element(earlier, element)
    merged["decisions"].update(members(page, "decisions"))
    merged["shown"] += [found for found in items(page, "shown") if found not in merged["shown"]]
    omitted = members(page, "omitted")
    merged["omitted"]["ids"] += items(omitted, "ids")
    if isinstance(omitted.get("count"), int):
        merged["omitted"]["count"] += omitted["count"]
    for name in page.keys() - merged.keys():
        merged[name] = page[name]


def _merge_element(earlier: Json, later: Json) -> None:
    for name, value in later.items():
        if isinstance(value, list):
            have = items(earlier, name)
            earlier[name] = have + [item for item in value if item not in have]
        elif isinstance(value, dict):
            slots = dict(members(earlier, name))
            for slot, heads in value.items():
                have = items(slots, slot)
                both = isinstance(heads, list) and have
                slots[slot] = have + [head for head in heads if head not in have] if both else heads
            earlier[name] = slots


def text(answer: Json, asked: Sequence[str], source: str, terminal: Terminal) -> list[str]:
    """Conflicts first, then what is in force with its reasons, then dead ends."""
    if answer["state"] == "unavailable":
        return []
    elements, decisions = answer["elements"], answer["decisions"]
    if answer["state"] == "empty" and not decisions:
        names = ", ".join(escape.line(name) for name in asked)
        copy = answer.get("copy_of")
        how = f"So says a copy of {escape.line(copy)}" if copy else "The service answered"
        # What is over is not recalled, so this answer does not say whether there was anything.
        past = [
            f"Its past, if any: precedent history {escape.line(shlex.quote(name))}"
            for name in asked
            if ":" in name or name.startswith("el_")
        ]
        then = (
            f"was in force as of {escape.line(answer['as_of'])}"
            if answer.get("as_of")
            else "is in force"
        )
        return [f"Nothing {then} in {source} about {names}. ({how}.)", *past]
    dead = _named(elements, "dead_ends") or [
        found for found, decision in decisions.items()
        if isinstance(decision, dict) and decision.get("outcome") == "rejected"
    ]  # fmt: skip
    force = [found for found in _named(elements, "in_force") if found not in dead]
    rest = [found for found in decisions if found not in force and found not in dead]
    lines = [line for element in elements for line in _element(element)]
    conflicts = [line for element in elements for line in _conflicts(element, elements)]
    if conflicts:
        lines += ["", terminal.heading("CONFLICTS: settle these before building on either side")]
        lines += conflicts
    was = f" AS OF {escape.line(answer['as_of'])}" if answer.get("as_of") else ""
    for title, ids in ((f"IN FORCE{was}", force), ("DEAD ENDS", dead), ("ALSO FOUND", rest)):
        if ids:
            lines += ["", terminal.heading(title)]
        for found in ids:
            lines += _decision(found, decisions.get(found))
    return fenced(lines, source) + _scores(answer) + _left_out(answer)


def _named(elements: Sequence[Json], name: str) -> list[str]:
    return list(dict.fromkeys(str(found) for element in elements for found in items(element, name)))


def _label(element: Json) -> str:
    if element.get("kind") or element.get("name"):
        return f"{escape.line(element.get('kind'))}:{escape.line(element.get('name'))}"
    return escape.line(element.get("id", "?"))


def _element(element: Json) -> list[str]:
    # "element" is the plainest reason there is: it was asked for by name.
    why = element.get("why", "element")
    why = "" if why == "element" else f"  ({escape.line(why)})"
    lines = [_label(element) + why]
    for slot, heads in members(element, "slots").items():
        for head in heads if isinstance(heads, list) else []:
            if isinstance(head, dict):
                value = escape.value(head.get("value"))
                lines.append(
                    f"    {escape.line(slot)} = {value}  {escape.line(head.get('decision', ''))}"
                )
    for link in objects(element, "links"):
        start, kind, end = (escape.line(link.get(name, "?")) for name in ("from", "kind", "to"))
        retired = "" if link.get("value", True) else " (retired)"
        lines.append(
            f"    {start} —{kind}→ {end}{retired}  {escape.line(link.get('decision', ''))}"
        )
    if not lines[1:] and not (items(element, "in_force") or items(element, "dead_ends")):
        lines[0] += "  (nothing recorded)"
    return lines


def _conflicts(element: Json, elements: Sequence[Json]) -> list[str]:
    """What is contested on an element: by itself, or by another that is the same thing."""
    lines = []
    same = [other for other in elements if other.get("id") in items(element, "same_as")]
    for conflict in items(element, "conflicts"):
        slot = conflict.get("slot", "?") if isinstance(conflict, dict) else conflict
        lines.append(f"{_label(element)}.{escape.line(slot)} is decided in ways that differ:")
        heads = members(element, "slots").get(str(slot)) or items(conflict, "heads")
        for head in heads if isinstance(heads, list) else []:
            if isinstance(head, dict):
                value = escape.value(head.get("value"))
                lines.append(f"    {value}  by {escape.line(head.get('decision', '?'))}")
        lines += [line for other in same for line in _other_side(other, str(slot))]
    return lines


def _other_side(element: Json, slot: str) -> list[str]:
    return [
        f"    {escape.value(head.get('value'))}  by {escape.line(head.get('decision', '?'))} on {_label(element)}"
        for head in objects(members(element, "slots"), slot)
    ]


def _decision(identity: str, decision: Any) -> list[str]:
    if not isinstance(decision, dict):
        name = escape.line(identity)
        return [f"{name}  (its text did not come along: `precedent show {name}` prints it)"]
    lines = [render.heading(identity, decision)]
    sets = objects(decision, "sets")
    valued = [str(one.get("slot")) for one in sets]
    holds = ", ".join(escape.line(slot) for slot in items(decision, "holds") if slot not in valued)
    if holds:
        lines.append(f"    holds {holds}")
    would = "sets" if decision.get("outcome", "adopted") == "adopted" else "would have set"
    lines += [f"    {would} {render.setting(one)}" for one in sets]
    if decision.get("date"):
        lines.append(f"    dated {escape.line(decision['date'])}")
    lines += render.provenance(items(decision, "recorded"))
    trust = decision.get("trust")
    if trust and trust != "writer":
        lines.append(f"    trust: {escape.line(trust)}")
    return lines + render.body(decision)


def _scores(answer: Json) -> list[str]:
    """What each decision was ranked by, where that was asked for."""
    scores = members(members(answer, "ranked"), "scores")
    lines = []
    for name in scores:
        parts = members(scores, name)
        told = ", ".join(f"{escape.line(part)} {escape.line(parts[part])}" for part in parts)
        lines.append(f"score of {escape.line(name)}: {told}")
    return lines


def _left_out(answer: Json) -> list[str]:
    lines = []
    omitted = answer["omitted"]
    if omitted["count"] or omitted["ids"]:
        count = max(omitted["count"], len(omitted["ids"]))
        names = " ".join(escape.line(found) for found in omitted["ids"][:50])
        lines.append(
            f"{count} more left out by the service. `precedent show ID` prints one: {names}"
        )
    if answer["cursor"]:
        lines.append(
            f"There is more: only the first {PAGES} pages were fetched. Ask for fewer elements."
        )
    return lines


def show(service: Service, ids: Sequence[str], seen: Seen, terminal: Terminal) -> int:
    """Print decisions in full."""
    for found in ids:
        if not is_id(found):
            raise Usage(f"{escape.line(found)} is no decision id: d_ and 24 hexadecimal digits.")
    answers: list[tuple[str, Json]] = [
        (found, service.get_of_project(f"/decisions/{found}").body) for found in ids
    ]
    said = feedback.counts(service, ids, terminal)
    lines = []
    for found, answer in answers:
        lines += [*render.whole(found, answer), *feedback.line(said.get(found))]
        answer["feedback"] = said.get(found, {})
    shown: Any = answers[0][1] if len(answers) == 1 else [answer for _, answer in answers]
    terminal.answer(shown, fenced(lines, f"project {service.config.project}"))
    seen.add(
        found
        for found, answer in answers
        if render.is_full_text(members(answer, "decision") or answer)
    )
    return 0
