"""`precedent import vault`: what was edited in a vault, recorded as decisions.

What an edit replaces is what its note was made of, and nothing else: that is named as overruled or superseded. What
was decided since then stands beside it, as a conflict. A note that was taken away decides nothing.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from precedent_client import (
    adr_plan,
    canonical,
    durable,
    escape,
    export_folder,
    export_vault,
    import_log,
    log_file,
    moving,
    vault_notes,
)
from precedent_client.faults import Usage
from precedent_client.log_state import State
from precedent_client.render import items, members
from precedent_client.service import Service
from precedent_client.vault_names import ENDING

Json = dict[str, Any]
SIZE_LIMIT = 1024 * 1024
REF = "vault"
"""The reference that says of which state of the project a note was edited: its digest."""


@dataclass
class Vault:
    """A vault being read: the state it was made of, and what its notes say now."""

    state: State
    digest: str
    rationale: str
    made: dict[str, str]
    taken: dict[str, str]
    """Of notes that were imported before: what a manifest has of them as they were then."""
    entries: list[Json] = field(default_factory=list)
    unread: list[Json] = field(default_factory=list)
    kept: list[Json] = field(default_factory=list)
    edited: dict[str, str] = field(default_factory=dict)
    before: int = 0


def plan(folder: str, rationale: str, service: Service) -> Json:
    """What would be recorded. In another project all that the vault was made of comes first."""
    manifest = export_folder.read_manifest(folder)
    raw = durable.read(os.path.join(folder, export_vault.LOG), import_log.LIMIT)
    if manifest is None or raw is None:
        raise Usage(f"{escape.line(folder)} is no vault that `precedent export --vault` wrote.")
    head, state = log_file.read(raw, os.path.join(folder, export_vault.LOG))
    me = service.get("/whoami").body
    is_home = (me.get("tenant"), service.config.project) == (head["tenant"], head["project"])
    taken = members(manifest, "taken") if is_home else {}
    vault = Vault(state, state.digest, rationale, export_vault.notes(state), taken)
    _read(folder, vault)
    moved = [] if is_home else moving.plan(import_log.told_by(state))
    ids = {entry["origin"]: entry["id"] for entry in moved}
    return {
        "entries": [*moved, *(_sent(entry, ids) for entry in vault.entries)],
        "unread": vault.unread,
        "kept": vault.kept,
        "notes": _notes(folder, vault),
        "taken": {"folder": folder, "files": vault.edited if is_home else {}},
    }


def remember(plan: Json) -> None:
    """Note in the vault which edits were recorded, so that it can be exported to again."""
    folder, files = plan["taken"]["folder"], plan["taken"]["files"]
    manifest = export_folder.read_manifest(folder)
    if manifest is None or not files:
        return
    manifest["taken"] = {**manifest.get("taken", {}), **files}
    told = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    durable.write(os.path.join(folder, export_folder.MANIFEST), told.encode())


def _read(folder: str, vault: Vault) -> None:
    by_id = vault_notes.by_identity(vault.made)
    seen: dict[str, str] = {}
    for name in _files(folder):
        path = os.path.join(folder, *name.split("/"))
        try:
            raw = _bytes(folder, path)
            text = raw.decode("utf-8")
            if vault.made.get(name) == text:
                continue
            if vault.taken.get(name) == export_folder.fingerprint(raw):
                vault.before += 1
                continue
            note = vault_notes.read(text)
            if note.identity in seen:
                raise ValueError(f"it is the same note as {seen[note.identity]}")
            base = by_id.get(note.identity) if note.identity else None
            if note.identity:
                seen[note.identity] = name
            if base is not None and vault.made[base] == text.replace("\r\n", "\n"):
                continue  # it was moved, or its line ends were
            if _take(vault, name, note, base):
                vault.edited[name] = export_folder.fingerprint(raw)
        except (OSError, ValueError) as error:
            vault.unread.append({"file": escape.line(name), "reason": escape.line(error)})


def _bytes(folder: str, path: str) -> bytes:
    inside = os.path.realpath(folder) + os.sep
    if not os.path.realpath(path).startswith(inside) or not os.path.isfile(path):
        raise ValueError("it is no file of the folder")
    with open(path, "rb") as file:
        raw = file.read(SIZE_LIMIT + 1)
    if len(raw) > SIZE_LIMIT:
        raise ValueError("it is larger than 1 MiB")
    return raw


def _files(folder: str) -> list[str]:
    found = []
    for room in ("elements", "decisions"):
        for path, folders, names in os.walk(os.path.join(folder, room)):
            folders[:] = [name for name in folders if name[0] != "."]
            found += [os.path.relpath(os.path.join(path, name), folder).replace(os.sep, "/")
                      for name in names if name.endswith(ENDING) and name[0] != "."]  # fmt: skip
    return sorted(found)


def _take(vault: Vault, name: str, note: vault_notes.Note, base: str | None) -> bool:
    """Make a decision of an edited note; whether there was one to make. Raises ValueError."""
    made = vault_notes.read(vault.made[base]) if base is not None else None
    if name.startswith("decisions/") or str(note.identity).startswith("d_"):
        if made is None:
            raise ValueError("it was not exported from here; record it with `precedent record`")
        return _decision(vault, name, note, made)
    if made is None and note.identity:
        raise ValueError("the vault was made of nothing with its id; take `precedent` out of it")
    return _element(vault, name, note, made)


def _decision(vault: Vault, name: str, note: vault_notes.Note, made: vault_notes.Note) -> bool:
    entries = vault.state.of_decision()[str(note.identity)]
    former = entries[0].decision or {}
    anew = vault_notes.decision_edits(former, note, made)
    if note.properties != made.properties:
        raise ValueError("properties of a decision are not edited; only its texts are taken")
    if not anew:
        raise ValueError("only what stands between its marks is taken, and that is as it was")
    if not any(entry.holding for entry in entries):
        reason = "what it was made of is not in force; not recorded"
        vault.kept.append({"file": name, "id": entries[0].id, "reason": reason})
        return False
    decision = {key: value for key, value in former.items() if key not in ("date", "supersedes")}
    decision = {**decision, **anew, "supersedes": [entries[0].id]}
    decision = {key: value for key, value in decision.items() if value != []}
    _add(vault, name, decision, {})
    return True


def _element(
    vault: Vault, name: str, note: vault_notes.Note, made: vault_notes.Note | None
) -> bool:
    edits = vault_notes.element_edits(vault.state, note, made)
    if not edits.mutations:
        raise ValueError("only its properties and its links are taken, and these are as they were")
    what = ", ".join(edits.what)
    title = adr_plan.shortened(f"{edits.label}: {what}", adr_plan.TITLE, "", "the title", [])
    decision = {"title": title, "rationale": vault.rationale, "mutations": edits.mutations}
    _add(vault, name, decision, {"overrule": edits.heads} if edits.heads else {}, edits.warnings)
    return True


def _add(
    vault: Vault, name: str, decision: Json, verdicts: Json, warnings: list[str] | None = None
) -> None:
    refs = [one for one in items(decision, "refs") if one.get("rel") != REF]
    decision["refs"] = [*refs, {"rel": REF, "url": vault.digest}]
    vault.entries.append(
        {
            "name": name,
            "origin": "",
            "time": 1,
            "decision": decision,
            "verdicts": {"on_unseen": "branch", **verdicts},
            "warnings": warnings or [],
        }
    )


def _sent(entry: Json, ids: dict[str, str]) -> Json:
    """An edit as it is sent: under the ids that what it replaces has here."""
    decision, verdicts = dict(entry["decision"]), dict(entry["verdicts"])
    for place, name in ((decision, "supersedes"), (verdicts, "overrule")):
        if name in place:
            place[name] = [ids.get(one, one) for one in place[name]]
    return {
        **entry,
        "id": canonical.decision_id(decision),
        "decision": decision,
        "verdicts": verdicts,
    }


def _notes(folder: str, vault: Vault) -> list[str]:
    here = set(_files(folder))
    left = sorted(name for name in vault.made if name not in here)
    said = []
    if vault.before:
        said.append(f"{vault.before} edited notes were recorded before, as they are now")
    if left:
        said.append(f"{len(left)} notes are not where they were; what they told stays in force")
    return said
