"""Where the notes of a vault lie, and how they link to each other."""

from __future__ import annotations

import re

from precedent_client import escape, file_names
from precedent_client.log_state import State

ENDING = ".md"
_LINK = re.compile(r"\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")


class Names:
    """The path of every note, without its ending: by an element's id, and by a decision's."""

    def __init__(self, state: State) -> None:
        self.label: dict[str, str] = {}
        self.path: dict[str, str] = {}
        taken: set[str] = set()
        for element, (kind, name) in sorted(state.names.items()):
            folder = file_names.named(kind.strip().lower(), element)
            self._add(element, f"elements/{folder}/{file_names.named(name, element)}", taken)
            self.label[element] = f"{kind}:{name}"
        for identity, entries in sorted(state.of_decision().items()):
            title = str((entries[0].decision or {}).get("title", ""))
            stem = f"{file_names.slug(title)[:60] or 'redacted'}-{identity[2:10]}"
            self._add(identity, f"decisions/{stem}", taken)
            self.label[identity] = title or "(redacted)"

    def _add(self, identity: str, path: str, taken: set[str]) -> None:
        # Disks that do not tell cases apart must not either lose a note.
        free = path if path.casefold() not in taken else f"{path}-{identity}"
        taken.add(free.casefold())
        self.path[identity] = free

    def link(self, identity: str) -> str:
        """A link to a note, under its name."""
        label = re.sub(r"[\[\]|#^]+", " ", escape.line(self.label.get(identity, identity))).strip()
        return f"[[{self.path.get(identity, identity)}|{label or identity}]]"


def target(text: str) -> str:
    """What the one link of a line names; empty where there is none, or more."""
    found = _LINK.findall(text)
    return found[0].strip().removesuffix(ENDING) if len(found) == 1 else ""
