"""An exported folder: each file whole or as it was, and nothing of anybody else's touched.

`.precedent-export.json` in it says what it is and has a hash of every file, so that an earlier export is known from
a folder of somebody's own, and an edited file from one that is as it was written.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from typing import Any

from precedent_client import durable, escape
from precedent_client.faults import Refused, Usage

Json = dict[str, Any]
MANIFEST = ".precedent-export.json"
NEXT = ".precedent-export.next"
NAMED = 10


def read_manifest(folder: str, name: str = MANIFEST) -> Json | None:
    """What an exported folder says of itself, None for one that is none."""
    raw = durable.read(os.path.join(folder, name), 1 << 28)
    try:
        found = json.loads(raw) if raw is not None else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
        return None
    return found if str(found.get("format", "")).startswith("precedent-") else None


def check(folder: str, force: bool) -> None:
    """Raise Usage or Refused where an export into a folder would take something of somebody's."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise Usage(f"{escape.line(folder)} is no folder.")
    if force or not os.path.isdir(folder) or not os.listdir(folder):
        return
    known = read_manifest(folder)
    if known is None:
        raise Refused(
            f"{escape.line(folder)} is not empty and no earlier export. Name another folder, or add --force: "
            "files of the same names are replaced then, and nothing else.",
            "in-the-way",
        )
    edited = edited_files(folder, known)
    if edited:
        some = ", ".join(escape.line(name) for name in edited[:NAMED])
        more = f" and {len(edited) - NAMED} more" if len(edited) > NAMED else ""
        raise Refused(
            f"Edited since they were exported: {some}{more}. Import them first, or add --force to lose that.",
            "edited",
        )


def edited_files(folder: str, known: Json) -> list[str]:
    """The files that are neither as they were exported, nor as they were when they were imported."""
    others = [
        known,
        read_manifest(folder, NEXT) or {"files": {}},
        {"files": known.get("taken", {})},
    ]
    found = []
    for name in sorted({name for one in others for name in one["files"]}):
        raw = durable.read(os.path.join(folder, *name.split("/")), 1 << 28)
        if raw is not None and fingerprint(raw) not in [one["files"].get(name) for one in others]:
            found.append(name)
    return found


def fingerprint(raw: bytes) -> str:
    """What a manifest has of a file."""
    return hashlib.sha256(raw).hexdigest()


def write(folder: str, whose: Json, files: dict[str, bytes], force: bool) -> None:
    """Put an export in place. A fresh folder appears whole; of an earlier one each file is replaced whole.

    Where that is cut short, the same command again completes it.
    """
    check(folder, force)
    folder = os.path.abspath(folder)
    manifest = {**whose, "files": {name: fingerprint(raw) for name, raw in files.items()}}
    told = (json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=True) + "\n").encode()
    if not os.path.isdir(folder) or not os.listdir(folder):
        _appear(folder, {**files, MANIFEST: told})
        return
    known = read_manifest(folder) or {"files": {}}
    # First, so that a half-replaced folder is known for what it is.
    durable.write(os.path.join(folder, NEXT), told)
    for name, raw in files.items():
        path = _inside(folder, name)
        if durable.read(path, len(raw) + 1) != raw:
            durable.write(path, raw)
    for name in known["files"].keys() - files.keys():
        _take_away(folder, name)
    os.replace(os.path.join(folder, NEXT), os.path.join(folder, MANIFEST))


def _appear(folder: str, files: dict[str, bytes]) -> None:
    parent = os.path.dirname(folder)
    os.makedirs(parent, exist_ok=True)
    fresh = os.path.join(parent, f".{os.path.basename(folder)[:100]}.{os.urandom(4).hex()}.tmp")
    try:
        os.mkdir(fresh)
        for name, raw in files.items():
            durable.write(_inside(fresh, name), raw)
        if os.path.isdir(folder):
            os.rmdir(folder)  # it is empty, or this fails
        os.rename(fresh, folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _inside(folder: str, name: str) -> str:
    """Where a file of an export lies: below the folder, whatever it is called and whatever links are there."""
    path = os.path.join(folder, *name.split("/"))
    within = os.path.realpath(folder)
    if os.path.commonpath([within, os.path.realpath(os.path.dirname(path))]) != within:
        raise Refused(f"{escape.line(name)} would be written outside of the folder.", "in-the-way")
    return path


def _take_away(folder: str, name: str) -> None:
    """Remove what an earlier export wrote and this one does not, and the folders that leaves empty."""
    path = _inside(folder, name)
    durable.remove(path)
    parent = os.path.dirname(path)
    while parent != folder:
        try:
            os.rmdir(parent)
        except OSError:
            return
        parent = os.path.dirname(parent)
