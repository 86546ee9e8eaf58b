"""`precedent import jsonl`: the log of another project, recorded anew."""

from __future__ import annotations

from precedent_client import durable, escape, log_file
from precedent_client.faults import Refused, Usage
from precedent_client.log_state import Dot, Entry, State
from precedent_client.moving import AUTHOR, Told
from precedent_client.service import Service

LIMIT = 4 << 30


def read(path: str, service: Service) -> list[Told]:
    """What an exported log tells. Raises Usage where it is none, Refused where it is this very project's."""
    raw = durable.read(path, LIMIT)
    if raw is None:
        raise Usage(f"{escape.line(path)} cannot be read.")
    head, state = log_file.read(raw, path)
    refuse_this_project(service, str(head["tenant"]), str(head["project"]))
    return told_by(state)


def refuse_this_project(service: Service, tenant: str, project: str) -> None:
    """Raise Refused where an export would be recorded anew in the project it was made of."""
    me = service.get("/whoami").body
    if (me.get("tenant"), service.config.project) == (tenant, project):
        raise Refused(
            "That is an export of this very project: what is in it is here. To bring back what was lost, an "
            "operator runs `precedent-admin import`.",
            "same-project",
        )


def told_by(state: State) -> list[Told]:
    """Every recording of every decision that was not redacted, with what it took out of force."""
    found = []
    former: dict[str, Entry] = {}
    for dot in sorted(state.entries, key=lambda one: (state.entries[one].at, one)):
        entry = state.entries[dot]
        if entry.decision is None:
            continue
        told = _told(state, entry, entry.decision)
        if entry.id in former:
            # It was put back in force by somebody who had read what had taken it out.
            before = former[entry.id]
            read = state.displacers(before)
            told.beside = [one for one in read if one not in (*told.seen, *told.overrule)]
            told.after.append(_name(before.dot))
        former[entry.id] = entry
        found.append(told)
    return found


def _told(state: State, entry: Entry, decision: dict[str, object]) -> Told:
    told = Told(
        name=_name(entry.dot),
        origin=entry.id,
        decision=decision,
        date=entry.date,
        order=(entry.at, entry.dot.writer, f"{entry.dot.seq:012d}"),
        refs=[(AUTHOR, entry.dot.writer)],
        on_unseen="historical" if entry.historical else "branch",
    )
    told.after = [_name(dot) for _, dot, _ in entry.displaces]
    if entry.dot.seq > 1:
        told.after.append(_name(Dot(entry.dot.writer, entry.dot.seq - 1)))
    for _, dot, why in entry.displaces:
        gone = state.entries.get(dot)
        if gone is not None and why in ("seen", "overrule"):
            verdicts = told.seen if why == "seen" else told.overrule
            if gone.id not in verdicts:
                verdicts.append(gone.id)
    return told


def _name(dot: Dot) -> str:
    return f"{dot.writer}/{dot.seq}"
