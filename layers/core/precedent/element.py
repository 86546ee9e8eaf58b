"""Elements, slots and their names: what a team decides about, and what can be decided of it.

An element is `kind:name`, split at the first colon. Its id is computed, so the same name converges on one
element with no coordination. A slot is one thing that can be decided of an element:

    p:<key>               a property
    l:<kind>:<to el_id>   a link, owned by its `from` end
    a:<to el_id>          an alias: the element it is on is the same thing as another
    @                     a note or dead end attached to the element; it has no value
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from precedent.errors import Invalid, TooLarge

NAME_LIMIT = 200
KIND_LIMIT = 64
NOTE = "@"
PATHS = "p:paths"
ALIAS = "a:"
ALIAS_OF = "a~"
"""How an alias is listed at its other end: the projection's own, like `~` and `r:`; nothing claims it."""
ADDRESSES = frozenset({PATHS})
"""Slots that say where an element is found; they put nothing in force and never conflict."""


class Name(NamedTuple):
    """An element as somebody wrote it."""

    kind: str
    name: str

    @property
    def id(self) -> str:
        return element_id(self.kind, self.name)

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


def normalise(text: str) -> str:
    """NFKC, casefold, trim, collapse white space: the form two spellings of one name share."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def element_id(kind: str, name: str) -> str:
    """`el_` + 20 hex of sha256(norm(kind) NUL norm(name))."""
    preimage = f"{normalise(kind)}\0{normalise(name)}".encode()
    return "el_" + hashlib.sha256(preimage).hexdigest()[:20]


def check_text(text: str, field: str) -> None:
    """Refuse what no text may hold: NUL, lone surrogates, code points Unicode has not assigned.

    Unassigned ones are refused because a later Unicode may fold them: ids would change under us.
    """
    if text.isascii() and "\0" not in text:
        return
    for char in text:
        if char == "\0":
            raise Invalid(field, "holds a NUL character")
        category = unicodedata.category(char)
        if category == "Cs":
            raise Invalid(field, "holds a lone surrogate")
        if category == "Cn":
            raise Invalid(field, f"holds an unassigned code point (U+{ord(char):04X})")


def checked_token(text: str, field: str, limit: int) -> str:
    """The normalised form of a name, a kind or a key; refuses empty, too long and control characters."""
    check_text(text, field)
    if len(text) > limit:
        raise TooLarge(field, limit, len(text), "code points")
    folded = normalise(text)
    if not folded:
        raise Invalid(field, "is empty once white space is trimmed")
    if len(folded) > limit:
        raise TooLarge(field, limit, len(folded), "code points once normalised")
    if any(unicodedata.category(char) == "Cc" for char in folded):
        raise Invalid(field, "holds a control character")
    return folded


def checked_name(kind: str, name: str, field: str) -> Name:
    """An element's name as written, trimmed. Raises Invalid or TooLarge."""
    checked_token(kind, f"{field}/kind", KIND_LIMIT)
    if ":" in normalise(kind):
        raise Invalid(f"{field}/kind", "a kind holds no colon; `kind:name` is split at the first")
    checked_token(name, f"{field}/name", NAME_LIMIT)
    return Name(kind.strip(), name.strip())


def parse_name(reference: str, field: str) -> Name:
    """`kind:name` → Name. Raises Invalid or TooLarge."""
    kind, colon, name = reference.partition(":")
    if not colon:
        raise Invalid(field, "an element is written `kind:name`")
    return checked_name(kind, name, field)


def property_slot(key: str) -> str:
    return "p:" + normalise(key)


def link_slot(kind: str, to: str) -> str:
    return f"l:{normalise(kind)}:{to}"


def alias_slot(to: str) -> str:
    return f"{ALIAS}{to}"


def other_end(slot: str) -> str | None:
    """The `to` element of a link or an alias; None for any other slot."""
    return slot.rsplit(":", 1)[1] if slot.startswith(("l:", ALIAS)) else None


def reverse_slot(slot: str, owner: str) -> str:
    """Under which slot a link or an alias owned by `owner` is listed at its other end."""
    if slot.startswith(ALIAS):
        return f"{ALIAS_OF}{owner}"
    return f"r:{slot.split(':', 1)[1].rsplit(':', 1)[0]}:{owner}"


def owner_of(element: str, slot: str) -> tuple[str, str]:
    """The (element, slot) of the claim that is listed on an element under a slot."""
    if slot.startswith(ALIAS_OF):
        return slot.removeprefix(ALIAS_OF), alias_slot(element)
    if not slot.startswith("r:"):
        return element, slot
    kind, owner = slot[2:].rsplit(":", 1)
    return owner, f"l:{kind}:{element}"


def aliased(slot: str) -> str | None:
    """The other element of an alias, from either end; None for any other slot."""
    return slot[2:] if slot.startswith((ALIAS, ALIAS_OF)) else None


def slot_label(slot: str, names: Mapping[str, Name]) -> str:
    """A slot as people read it: `engine`, `uses → service:postgres`, `@`; ids where no name is known."""
    if slot.startswith("p:"):
        return slot[2:]
    if other := aliased(slot):
        arrow = "→" if slot.startswith(ALIAS) else "←"
        return f"alias {arrow} {names.get(other, other)}"
    kind, colon, end = slot[2:].rpartition(":")
    if not slot.startswith(("l:", "r:")) or not colon:
        return slot
    arrow = "→" if slot.startswith("l:") else "←"
    return f"{kind} {arrow} {names.get(end, end)}"
