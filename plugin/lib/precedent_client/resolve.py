"""`precedent resolve`: both sides of a conflict in full, and one decision that takes the place of both.

A side that holds nothing but the contested slot is superseded. One that holds more is overruled on this slot
only: superseding it by name would take out everything else it decided as well. A side that agrees with
what is decided now and holds more simply stands.
"""

from __future__ import annotations

import argparse
from typing import Any

from precedent_client import canonical, escape, mutations, reading, record, render
from precedent_client.faults import Refused, Usage
from precedent_client.render import items, members, objects
from precedent_client.seen import Seen
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced

Json = dict[str, Any]
TITLE = 200
OPTION = 1000


def check(options: argparse.Namespace) -> None:
    """Refuse what cannot be meant, before anything is sent. Raises Usage."""
    if (options.element is None) != (options.slot is None):
        raise Usage(
            "Name the element and the slot, as `precedent conflicts` prints them, or neither."
        )
    if options.element is not None:
        mutations.element_id(options.element)
    if options.keep is not None and options.value is not None:
        raise Usage("--keep takes a side's value and --value another one: give one of them.")
    settles = options.keep is not None or options.value is not None
    if settles and not (options.rationale or "").strip():
        raise Usage("Settling a conflict needs a --rationale: the next reader asks why.")
    if not settles and (options.title or options.rationale):
        raise Usage("Say what it is settled to: --keep ID, or --value VALUE.")


def resolve(service: Service, options: argparse.Namespace, seen: Seen, terminal: Terminal) -> int:
    """Show a conflict; with --keep or --value, settle it."""
    conflict = _chosen(service, options)
    sides = [
        {**side, "shown": service.get_of_project(f"/decisions/{side['decision']}").body}
        for side in objects(conflict, "heads")
        if side.get("decision")
    ]
    lines = reading.conflict(conflict) + [line for side in _each(sides) for line in _told(side)]
    lines = fenced(lines, f"project {service.config.project}")
    answer: Json = {"conflict": conflict, "sides": [side["shown"] for side in _each(sides)]}
    if options.keep is None and options.value is None:
        terminal.answer({**answer, "recorded": None}, lines + _ways(conflict, sides))
    else:
        request, notes = settling(conflict, sides, options)
        recorded = record.send(service, request, seen)
        told = ["", *notes, *record.told(recorded)]
        terminal.answer({**answer, "notes": notes, "recorded": recorded}, lines + told)
        record.remember(recorded, seen)
    seen.add(
        str(side["decision"])
        for side in sides
        if render.is_full_text(members(side["shown"], "decision"))
    )
    return 0


def _each(sides: list[Json]) -> list[Json]:
    """One side a decision, however many entries recorded it."""
    return list({side["decision"]: side for side in sides}.values())


def _chosen(service: Service, options: argparse.Namespace) -> Json:
    found, _ = reading.pages(service, "/conflicts", "conflicts")
    if options.element is None:
        if len(found) == 1:
            return found[0]
        if not found:
            raise Refused(
                f"There is no conflict in project {service.config.project}.", "no-conflict"
            )
        named = "\n".join(f"  precedent resolve {_words(one)}" for one in found)
        raise Usage(f"There are {len(found)} conflicts; name one:\n{named}")
    wanted = (mutations.element_id(options.element), _slot(options.slot))
    for one in found:
        if (_element_id(one), _slot(str(one.get("slot", "")))) == wanted:
            return one
    raise Refused(
        f"There is no conflict on {escape.line(options.element)} {escape.line(options.slot)}. "
        "`precedent conflicts` lists those there are.",
        "no-conflict",
    )


def _words(conflict: Json) -> str:
    import shlex

    return " ".join(shlex.quote(escape.line(conflict.get(name))) for name in ("element", "slot"))


def _element_id(conflict: Json) -> str:
    try:
        return mutations.element_id(str(conflict.get("element", "")))
    except Usage:
        return ""


def _slot(written: str) -> tuple[str, str]:
    """A slot as it is compared: a property's key, or a link's kind and the id of its far end."""
    for mark in ("→", "="):
        kind, found, end = written.partition(mark)
        if found and ":" in end:
            return canonical.normalised(kind), mutations.element_id(end.strip())
    return canonical.normalised(written), ""


def _told(side: Json) -> list[str]:
    return ["", *render.whole(str(side["decision"]), side["shown"])]


def _ways(conflict: Json, sides: list[Json]) -> list[str]:
    words = _words(conflict)
    return [
        "",
        "Nothing was recorded. To settle it:",
        *(
            f"  precedent resolve {words} --keep {escape.line(side['decision'])} --rationale WHY"
            for side in _each(sides)
        ),
        f"  precedent resolve {words} --value VALUE --rationale WHY",
    ]


def settling(
    conflict: Json, sides: list[Json], options: argparse.Namespace
) -> tuple[Json, list[str]]:
    """The request that settles it, and a line on what becomes of each side."""
    value = _value(sides, options)
    mutation = _mutation(conflict, sides, value)
    where = f"{escape.line(conflict.get('element'))} {escape.line(conflict.get('slot'))}"
    supersedes, overrule, notes = [], [], []
    for side in _each(sides):
        name, shown = str(side["decision"]), side["shown"]
        rest = [slot for slot in items(shown, "holds") if not _is(str(slot), conflict)]
        also = ", ".join(escape.line(slot) for slot in rest)
        if not rest:
            supersedes.append(name)
            notes.append(f"{name} holds nothing else: superseded.")
        elif _same(side.get("value"), value):
            notes.append(f"{name} agrees, and stands; it also holds {also}.")
        else:
            overrule.append(name)
            notes.append(f"{name} is overruled on this slot; it still holds {also}.")
    title = options.title or f"Settled: {where} is {escape.value(value)}"
    decision: Json = {
        "title": title if options.title else title[:TITLE],
        "rationale": options.rationale,
        "outcome": "adopted",
        "mutations": [mutation],
    }
    if rejected := _rejected(sides, value):
        decision["rejected"] = rejected
    if supersedes:
        decision["supersedes"] = sorted(supersedes)
    request: Json = {"decision": decision, "key": canonical.fresh_key()}
    if overrule:
        request["overrule"] = sorted(overrule)
    return request, notes


def _value(sides: list[Json], options: argparse.Namespace) -> Any:
    if options.keep is None:
        return mutations.value(options.value)
    for side in sides:
        if side["decision"] == options.keep:
            return side.get("value")
    named = ", ".join(escape.line(side["decision"]) for side in _each(sides))
    raise Usage(f"{escape.line(options.keep)} is no side of this conflict; those are {named}.")


def _mutation(conflict: Json, sides: list[Json], value: Any) -> Json:
    """What sets the slot, with its names written as a side wrote them."""
    element, slot = _element_id(conflict), _slot(str(conflict.get("slot", "")))
    for side in sides:
        for found in objects(members(side["shown"], "decision"), "mutations"):
            for one in _single(found):
                if _sets(one) == (element, slot):
                    return _with(one, value)
    raise Refused(
        "The text of every side is gone, and with it the names this needs. Record a decision that "
        "supersedes them: precedent record --help",
        "redacted",
    )


def _single(mutation: Json) -> list[Json]:
    """A mutation as those that set one slot each; an alias is never contested."""
    if mutation.get("op") == "alias":
        return []
    if mutation.get("op") != "upsert_element":
        return [mutation]
    element = f"{mutation.get('kind')}:{mutation.get('name')}"
    return [
        {"op": "set_prop", "element": element, "key": key} for key in members(mutation, "props")
    ]


def _sets(mutation: Json) -> tuple[str, tuple[str, str]]:
    if mutation.get("op") == "set_prop":
        key = canonical.normalised(str(mutation.get("key")))
        return mutations.element_id(str(mutation.get("element"))), (key, "")
    kind = canonical.normalised(str(mutation.get("link")))
    end = mutations.element_id(str(mutation.get("to")))
    return mutations.element_id(str(mutation.get("from"))), (kind, end)


def _with(mutation: Json, value: Any) -> Json:
    if mutation["op"] == "set_prop":
        return {**mutation, "value": value}
    if not isinstance(value, bool):
        raise Usage("A link is there or not: --value true or --value false.")
    return {**mutation, "op": "add_link" if value else "retire_link"}


def _is(held: str, conflict: Json) -> bool:
    return held == f"{conflict.get('element')}.{conflict.get('slot')}"


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _rejected(sides: list[Json], value: Any) -> list[Json]:
    """The values that lost, each with who had decided it."""
    lost: dict[str, list[str]] = {}
    for side in _each(sides):
        if not _same(side.get("value"), value):
            title = str(side.get("title") or "redacted")
            lost.setdefault(escape.value(side.get("value")), []).append(
                f"{side['decision']} ({title})"
            )
    return [
        {"option": option[:OPTION], "reason": f"As decided by {', '.join(by)}"[:OPTION]}
        for option, by in lost.items()
    ]
