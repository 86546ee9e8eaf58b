"""`precedent record`: from flags or JSON to a request, and from the answer to sentences."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import sys
from typing import Any

from precedent_client import canonical, escape, mutations, render
from precedent_client.faults import Fault, Refused, Usage
from precedent_client.render import items, members, objects
from precedent_client.seen import Seen, is_id
from precedent_client.service import Service
from precedent_client.terminal import Terminal, fenced

Json = dict[str, Any]
INPUT_LIMIT = 1024 * 1024


def content_flags(options: argparse.Namespace) -> list[str]:
    """The flags given that say what the decision is, which JSON on stdin says otherwise."""
    named = {
        "--title": options.title, "--rationale": options.rationale, "--outcome": options.outcome,
        "--reject": options.reject, "--ref": options.ref, "--date": options.date,
        "--on, --set, --link": options.changes, "--again": options.again,
    }  # fmt: skip
    return [flag for flag, found in named.items() if found]


def request_from(options: argparse.Namespace) -> Json:
    """The request as far as the command line says it: not yet `seen` and circumstances."""
    if options.source not in (None, "-"):
        raise Usage(
            f"{escape.line(options.source)} is not `-`, which reads the decision from stdin."
        )
    given = content_flags(options)
    if options.again and (len(given) > 1 or options.source or options.supersedes):
        raise Usage("--again records a decision as it was; what it says cannot be changed with it.")
    if options.again:
        return _with_key({"decision": {}}, options)
    if options.source == "-" or (not given and not sys.stdin.isatty()):
        if given:
            raise Usage(
                f"The decision comes from stdin, so {given[0]} has no place here. Of the flags only "
                "--supersedes, --overrule, --beside, --on-unseen, --key and --dry-run go with it."
            )
        request = _from_stdin()
    elif options.title is None:
        raise Usage(
            "A decision needs a --title (and should have a --rationale), or JSON on stdin.\n"
            "Examples: precedent record --help"
        )
    else:
        request = {"decision": _from_flags(options)}
    request = _with_key(request, options)
    if given and not options.changes:
        raise Usage(
            "What is it about? Nobody would ever be told of a decision about nothing: add\n"
            "  --on KIND:NAME, for example --on feature:product-search\n"
            "`precedent elements` lists the names there are."
        )
    return request


def _with_key(request: Json, options: argparse.Namespace) -> Json:
    _add_verdicts(request, options)
    request["key"] = options.key or request.get("key") or canonical.fresh_key()
    if not re.match(r"[A-Za-z0-9._-]{1,64}\Z", str(request["key"])):
        raise Usage("A key is 1 to 64 letters, digits, dots, underscores and hyphens.")
    return request


def _add_verdicts(request: Json, options: argparse.Namespace) -> None:
    """What the flags say about other decisions, on top of what the request says already."""
    for decision in [request["decision"]] if "decision" in request else request["decisions"]:
        if options.supersedes:
            decision["supersedes"] = _ids(items(decision, "supersedes") + options.supersedes)
    for name in ("overrule", "beside"):
        if getattr(options, name):
            request[name] = _ids(items(request, name) + getattr(options, name))
    if options.on_unseen:
        request["on_unseen"] = options.on_unseen


def _ids(found: list[Any]) -> list[Any]:
    flat = [part.strip() if isinstance(part, str) else part for part in found]
    for part in flat:
        if not is_id(part):
            raise Usage(f"{escape.line(part)} is no decision id: d_ and 24 hexadecimal digits.")
    return list(dict.fromkeys(flat))


def _from_stdin() -> Json:
    raw = sys.stdin.buffer.read(INPUT_LIMIT + 1)
    if len(raw) > INPUT_LIMIT:
        raise Usage("stdin holds more than 1 MiB, which is more than a request may.")
    if not raw.strip():
        raise Usage(
            "Nothing came in on stdin. Pipe a decision as JSON into `precedent record -`, or say it "
            "with flags: precedent record --help"
        )
    try:
        found = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_no)
    except (ValueError, RecursionError) as error:
        raise Usage(f"stdin is not JSON: {escape.line(error)}") from None
    if isinstance(found, dict) and isinstance(found.get("decision"), dict):
        return found
    many = found.get("decisions") if isinstance(found, dict) else None
    if isinstance(many, list) and many and all(isinstance(one, dict) for one in many):
        return dict(found)
    if isinstance(found, dict) and "title" in found:
        return {"decision": found}
    raise Usage(
        'stdin must hold a decision, {"title": …, "rationale": …, "mutations": […]}, or a whole '
        'request, {"decision": {…}, "overrule": […]}.'
    )


def _unique(pairs: list[Any]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object names a key twice")
    return found


def _no(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")


def _from_flags(options: argparse.Namespace) -> Json:
    decision: Json = {"title": options.title}
    if options.rationale:
        decision["rationale"] = options.rationale
    decision["outcome"] = options.outcome or "adopted"
    if options.reject:
        decision["rejected"] = [_alternative(text) for text in options.reject]
    changes = mutations.from_flags(options.changes or [])
    if changes:
        decision["mutations"] = changes
    if options.ref:
        decision["refs"] = [_ref(text) for text in options.ref]
    if options.date:
        decision["date"] = date(options.date, "--date")
    return decision


def _alternative(text: str) -> Json:
    # At a colon with a space after it, so that `http://…` and `std::map` stay whole.
    option, colon, reason = text.partition(": ")
    if not option.strip():
        raise Usage(f"--reject takes 'Option: reason', not {text!r}.")
    found = {"option": option.strip()}
    if colon and reason.strip():
        found["reason"] = reason.strip()
    return found


def _ref(text: str) -> Json:
    rel, equals, url = text.partition("=")
    if not equals or not rel.strip() or not url.strip():
        raise Usage(f"--ref takes rel=url, for example adr=docs/adr/0007.md, not {text!r}.")
    return {"rel": rel.strip(), "url": url.strip()}


def date(text: str, flag: str) -> str:
    """A day or an instant in UTC, checked."""
    pattern = r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,6})?Z)?\Z"
    try:
        if not re.match(pattern, text):
            raise ValueError
        dt.datetime.fromisoformat(text[:19])
    except ValueError:
        raise Usage(f"{flag} takes 2026-11-30 or 2026-11-30T20:38:14Z, not {text!r}.") from None
    return text


def record(service: Service, request: Json, seen: Seen, terminal: Terminal) -> int:
    """Send it, say what came of it, and remember what was recorded as read."""
    answer = send(service, request, seen)
    terminal.answer(answer, told(answer))
    remember(answer, seen)
    return 0


def again(service: Service, identity: str, request: Json, seen: Seen, terminal: Terminal) -> int:
    """Record a decision once more, word for word, so that it is in force again."""
    shown = service.get_of_project(f"/decisions/{identity}").body
    decision = members(shown, "decision")
    if not decision.get("title"):
        raise Refused(
            f"The text of {identity} is gone, so it cannot be recorded again.", "redacted"
        )
    seen.add([identity])  # who sends a text has it before them
    return record(service, {**request, "decision": decision}, seen, terminal)


def send(service: Service, request: Json, seen: Seen) -> Json:
    """The answer to a request, sent with what this session has read and where it is."""
    from precedent_client import repository, sending

    read = list(dict.fromkeys(items(request, "seen") + seen.ids()))
    request = {**request, "seen": read[-2000:]}
    here = repository.circumstances()
    if here or members(request, "circumstances"):
        request["circumstances"] = {**here, **members(request, "circumstances")}
    try:
        return sending.record(service, request).body
    except Refused as fault:
        raise _explained(fault) from None


def told(answer: Json) -> list[str]:
    """What became of each decision."""
    lines = [line for result in objects(answer, "results") for line in _result(result)] or [
        "The service took it, and did not say what became of it."
    ]
    if answer.get("projected") is False:
        lines.append("It is durable; recall will show it in a moment (not projected yet).")
    return lines


def remember(answer: Json, seen: Seen) -> None:
    """Who recorded a decision has read it."""
    held = ("recorded", "already_in_force", "already_recorded")
    results = objects(answer, "results")
    seen.add(str(result.get("id")) for result in results if result.get("status") in held)


def _result(result: Json) -> list[str]:
    identity, status = escape.line(result.get("id", "?")), result.get("status")
    dot = members(result, "dot")
    at = (
        f" as {escape.line(dot['writer'])}/{escape.line(dot.get('seq'))}"
        if dot.get("writer")
        else ""
    )
    said = {
        "recorded": f"Recorded {identity}{at}.",
        "already_in_force": f"{identity} is in force already; nothing was written.",
        "already_recorded": f"{identity} is in the history already; nothing was written.",
        "already_superseded": f"{identity} was recorded before and has been displaced since; nothing "
        f"was written.\nTo put it in force again: `precedent show {identity}`, then record it again "
        "without --on-unseen branch.",
    }
    lines = [said.get(str(status), f"{identity}: {escape.line(status)}{at}.")]
    for lost in objects(result, "overruled"):
        # A note holds nothing but itself, `@`.
        slots = ", ".join(escape.line(slot) for slot in items(lost, "slots") if slot != "@")
        how = f" ({escape.line(lost['by'])})" if lost.get("by") else ""
        lines.append(
            f"  displaced {escape.line(lost.get('id'))} {escape.line(lost.get('title', ''))}"
            + (f" on {slots}" if slots else "") + how
        )  # fmt: skip
        left = ", ".join(escape.line(slot) for slot in items(lost, "left"))
        if left:
            lines.append(f"    which leaves undecided: {left}")
    for former in objects(result, "restorable"):
        held = ", ".join(escape.line(slot) for slot in items(former, "held"))
        name = escape.line(former.get("id", "?"))
        lines += [
            f"  before it stood {name} {escape.line(former.get('title', ''))} on {held}",
            f"    to put it in force again: precedent record --again {name}",
        ]
    lines += [f"  conflict: {_conflict(conflict)}" for conflict in items(result, "conflicts")]
    lines += [f"  warning: {_sentence(warning)}" for warning in items(result, "warnings")]
    return lines


def _conflict(found: Any) -> str:
    if not isinstance(found, dict):
        return escape.line(found)
    slot = f"{escape.line(found.get('element', '?'))}.{escape.line(found.get('slot', '?'))}"
    heads = [
        f"{escape.value(head.get('value'))} by {escape.line(head.get('decision', '?'))}"
        for head in objects(found, "heads")
    ]
    return f"{slot} is now decided in ways that differ" + (f": {'; '.join(heads)}" if heads else "")


def _sentence(found: Any) -> str:
    if isinstance(found, dict):
        return escape.line(found.get("detail") or found.get("message") or escape.value(found))
    return escape.line(found)


def _explained(fault: Refused) -> Fault:
    problem: Json | None = fault.problem
    if fault.name == "unknown-decision" and problem and items(problem, "unknown"):
        names = ", ".join(escape.line(found) for found in items(problem, "unknown"))
        return Refused(f"{fault.message}\nNot known: {names}", fault.name, problem)
    if fault.name != "unseen-head" or not problem:
        return fault
    return Refused("\n".join(unseen_text(problem)), fault.name, problem)


def unseen_text(problem: Json) -> list[str]:
    """Each decision in the way in full, then the ways to answer."""
    heads: dict[str, list[Json]] = {}
    for head in objects(problem, "unseen"):
        found = members(head, "decision").get("id") or head.get("id") or "?"
        heads.setdefault(str(found), []).append(head)
    bodies: list[str] = []
    for identity, slots in heads.items():
        decision = members(slots[0], "decision")
        bodies.append(render.heading(identity, decision))
        bodies += [f"    holds {_slot(head)} = {escape.value(head.get('value'))}" for head in slots]
        bodies += [f"    holds {escape.line(slot)}" for slot in items(slots[0], "holds")]
        recorded = slots[0].get("recorded")
        bodies += render.provenance(recorded if isinstance(recorded, list) else [recorded])
        if render.is_full_text(decision):
            bodies += render.body(decision)
        else:
            bodies.append(
                f"    its text did not fit; read it: precedent show {escape.line(identity)}"
            )
    lines = ["Nothing was recorded. Decisions you have not read hold what you would set.", ""]
    lines += fenced(bodies, "the decisions in the way")
    lines += ["", "Read them. Then run the same command again with one answer for each:"]
    for identity, slots in heads.items():
        name = escape.line(identity)
        lines += [
            f"  --supersedes {name}   yours replaces it, everywhere it holds",
            f"  --overrule {name}     yours replaces it on {', '.join(map(_slot, slots))} only",
            f"  --beside {name}       both stand, knowingly, and the difference stays visible",
        ]
    return [*lines, "or drop the change."]


def _slot(head: Json) -> str:
    return f"{escape.line(head.get('element', '?'))}.{escape.line(head.get('slot', '?'))}"
