"""Decisions: what somebody decided, parsed, with the slots it sets and the elements it attaches to.

The id is a hash of the canonical JSON *as sent*: nothing is filled in, so two people recording the same
thing converge and the stored bytes are the hashed bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from precedent import canonical, schema
from precedent.dates import check_date
from precedent.element import (
    ADDRESSES,
    KIND_LIMIT,
    NOTE,
    Name,
    alias_slot,
    checked_name,
    checked_token,
    link_slot,
    other_end,
    parse_name,
    property_slot,
)
from precedent.errors import Invalid, TooLarge
from precedent.globs import check_globs

SIZE_LIMIT = 64 * 1024
"""Bytes of one decision's canonical JSON."""

SETTING_LIMIT = 100
"""Slots one decision may set; a prop in an upsert is one."""

Value = str | bool | int | None | list[str]
Outcome = Literal["adopted", "rejected", "note"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One slot a decision's mutations name, and where in the decision its value stands.

    `pointer` is a JSON pointer into the decision. A link's points at the mutation's `op`.
    """

    element: str
    slot: str
    pointer: str


@dataclass(frozen=True)
class Decision:
    """A valid decision. `content` is the object as sent; the rest is derived from it."""

    content: dict[str, Any]
    elements: dict[str, Name]
    settings: tuple[Setting, ...]

    @cached_property
    def bytes(self) -> bytes:
        return canonical.dumps(self.content)

    @cached_property
    def sha256(self) -> str:
        return canonical.sha256(self.bytes)

    @property
    def id(self) -> str:
        return "d_" + self.sha256[:24]

    @property
    def outcome(self) -> Outcome:
        outcome: Outcome = self.content.get("outcome", "adopted")
        return outcome

    @property
    def supersedes(self) -> tuple[str, ...]:
        return tuple(self.content.get("supersedes", ()))

    @property
    def date(self) -> str | None:
        date: str | None = self.content.get("date")
        return date

    @property
    def withdraws(self) -> bool:
        """Whether it only takes others out of force: it supersedes, and puts nothing in their place."""
        replaces = self.outcome == "adopted" and self.elements
        return bool(self.supersedes) and not replaces

    @property
    def claimed(self) -> tuple[Setting, ...]:
        """What an entry of this decision claims: its slots if adopted, else a note on each element.

        An adopted decision that sets no slot, addresses apart, holds a note beside its addresses.
        """
        if self.outcome != "adopted":
            return self._notes
        if all(setting.slot in ADDRESSES for setting in self.settings):
            return self._notes + self.settings
        return self.settings

    @property
    def mentions(self) -> tuple[str, ...]:
        """The elements it is attached to without claiming anything there but an address."""
        held = {claim.element for claim in self.claimed if claim.slot not in ADDRESSES}
        shown = held | {to for claim in self.claimed if (to := other_end(claim.slot))}
        return tuple(element for element in self.elements if element not in shown)

    def value(self, setting: Setting) -> Value:
        """What a setting sets its slot to."""
        return value_at(self.content, setting.pointer)

    @property
    def _notes(self) -> tuple[Setting, ...]:
        return tuple(Setting(element, NOTE, "") for element in self.elements)


def parse(content: Any, field: str = "/decision") -> Decision:
    """A decision from parsed JSON. Raises Invalid or TooLarge naming the JSON pointer."""
    schema.check("decision", content, field)
    if not content["title"].strip():
        raise Invalid(f"{field}/title", "is blank")
    if "date" in content:
        check_date(content["date"], f"{field}/date")
    elements: dict[str, Name] = {}
    settings: list[Setting] = []
    for index, mutation in enumerate(content.get("mutations", ())):
        _read(mutation, f"/mutations/{index}", field, elements, settings)
    if len(settings) > SETTING_LIMIT:
        raise TooLarge(f"{field}/mutations", SETTING_LIMIT, len(settings), "slots to set")
    slots = [(setting.element, setting.slot) for setting in settings]
    for index, slot in enumerate(slots):
        if slot in slots[:index]:
            first, second = settings[slots.index(slot)].pointer, settings[index].pointer
            raise Invalid(field + second, f"sets a slot that {field}{first} sets already")
    if not elements and not content.get("supersedes"):
        raise Invalid(
            f"{field}/mutations",
            "names no element, so nobody would ever be shown this; attach it with upsert_element",
        )
    decision = Decision(content, elements, tuple(settings))
    if len(decision.bytes) > SIZE_LIMIT:
        raise TooLarge(field, SIZE_LIMIT, len(decision.bytes), "bytes")
    return decision


def _read(
    mutation: dict[str, Any],
    pointer: str,
    field: str,
    elements: dict[str, Name],
    settings: list[Setting],
) -> None:
    """Add what one mutation names to `elements` and `settings`. The first spelling of a name stays."""
    at = field + pointer

    def named(name: Name) -> str:
        elements.setdefault(name.id, name)
        return name.id

    def set_property(element: str, key: str, value: Value, where: str) -> None:
        checked_token(key, at, KIND_LIMIT)
        settings.append(Setting(element, _checked_slot(key, value, field + where), where))

    match mutation:
        case {"op": "upsert_element", "kind": kind, "name": name}:
            element = named(checked_name(kind, name, at))
            for key, value in mutation.get("props", {}).items():
                escaped = key.replace("~", "~0").replace("/", "~1")
                set_property(element, key, value, f"{pointer}/props/{escaped}")
        case {"op": "set_prop", "element": reference, "key": key, "value": value}:
            element = named(parse_name(reference, f"{at}/element"))
            set_property(element, key, value, f"{pointer}/value")
        case {"op": "add_link" | "retire_link", "from": start, "link": kind, "to": end}:
            checked_token(kind, f"{at}/link", KIND_LIMIT)
            owner = named(parse_name(start, f"{at}/from"))
            to = named(parse_name(end, f"{at}/to"))
            settings.append(Setting(owner, link_slot(kind, to), f"{pointer}/op"))
        case {"op": "alias", "element": former, "to": current}:
            owner = named(parse_name(former, f"{at}/element"))
            to = named(parse_name(current, f"{at}/to"))
            settings.append(Setting(owner, alias_slot(to), f"{pointer}/op"))
            if owner == to:
                raise Invalid(f"{at}/to", "is the same name once both are normalised")


def _checked_slot(key: str, value: Value, field: str) -> str:
    """A property's slot. Raises Invalid for an address that is no list of globs."""
    slot = property_slot(key)
    if slot in ADDRESSES and value is not None:
        if not isinstance(value, list):
            raise Invalid(field, f"`{key}` is a list of globs, or null")
        check_globs(value, field)
    return slot


def value_at(content: dict[str, Any], pointer: str) -> Value:
    """The value a setting's pointer names in a decision; for a link, whether it was added; for an alias, true."""
    if not pointer:
        return None
    found: Any = content
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = found[int(name)] if isinstance(found, list) else found[name]
    match pointer.rsplit("/", 1)[1], found:
        case "op", "add_link" | "alias":
            return True
        case "op", "retire_link":
            return False
    value: Value = found
    return value


def value_hash(salt: str, value: Value) -> str:
    """32 hex that equal values share within a project, and that mean nothing outside it."""
    return canonical.sha256(canonical.dumps([salt, value]))[:32]
