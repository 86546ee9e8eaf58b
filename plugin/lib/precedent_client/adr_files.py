"""Which files of a folder are read as decision records, and which are not and why."""

from __future__ import annotations

import os
import re

from precedent_client import adr_record
from precedent_client.adr_record import NotARecord, Record, Unreadable
from precedent_client.faults import Usage

SIZE_LIMIT = 1024 * 1024
MARKDOWN = (".md", ".markdown")
NOT_ENTERED = ("node_modules",)

Named = dict[str, str]
"""`{"file": …, "reason": …}`"""


def read_folder(folder: str) -> tuple[list[Record], list[Named], list[Named]]:
    """The records in the order of their names; what could not be read; what is something else."""
    if not os.path.isdir(folder):
        raise Usage(f"{folder} is not a folder. Name the one your decision records are in.")
    records: list[Record] = []
    unread: list[Named] = []
    skipped: list[Named] = []
    for name in sorted(_files(folder, unread), key=_natural):
        try:
            records.append(_read(folder, name))
        except NotARecord as reason:
            skipped.append({"file": _written(name), "reason": str(reason)})
        except Unreadable as reason:
            unread.append({"file": _written(name), "reason": str(reason)})
    return records, unread, skipped


def _files(folder: str, unread: list[Named]) -> list[str]:
    """Paths relative to the folder, with `/`. Hidden folders are not entered."""

    def failed(error: OSError) -> None:
        name = os.path.relpath(error.filename or folder, folder)
        unread.append({"file": _written(name), "reason": error.strerror or "it cannot be listed"})

    found = []
    for path, folders, files in os.walk(folder, onerror=failed):
        folders[:] = [name for name in folders if name[0] != "." and name not in NOT_ENTERED]
        found += [
            os.path.relpath(os.path.join(path, name), folder).replace(os.sep, "/")
            for name in files
            if name[0] != "."
        ]
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    """`2-b` before `10-a`, whether or not the numbers are padded."""
    parts = re.split(r"(\d+)", name)
    return [(int(part[:18]), part) if part.isdigit() else (-1, part) for part in parts]


def _read(folder: str, name: str) -> Record:
    if not name.lower().endswith(MARKDOWN):
        raise NotARecord("it is not Markdown")
    path = os.path.join(folder, *name.split("/"))
    inside = os.path.realpath(folder) + os.sep
    if not os.path.realpath(path).startswith(inside):
        # A link in a clone must not carry a file from elsewhere into the team's memory.
        raise Unreadable("it is a link that leads out of the folder")
    if not os.path.isfile(path):
        raise Unreadable("it is not a regular file")
    try:
        with open(path, "rb") as file:
            raw = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise Unreadable(error.strerror or "it cannot be opened") from None
    if len(raw) > SIZE_LIMIT:
        raise Unreadable("it is larger than 1 MiB")
    if b"\0" in raw:
        raise Unreadable("it is binary")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"it is not UTF-8 (byte {error.start})") from None
    return adr_record.read(text, _written(name))


def _written(name: str) -> str:
    """A file name that can be written as UTF-8, whatever its bytes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
