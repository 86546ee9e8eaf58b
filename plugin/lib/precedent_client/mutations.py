"""What a decision sets, read from the command line.

    --on feature:product-search            the element the flags after it are about
    --set engine=postgres                  a property of it
    --set 'paths=["search/**"]'            a list
    --link USES=service:postgres           a link from it
    --unlink USES=service:elastic          the retirement of one

An element is `kind:name`, split at its first colon, so a name may hold dots, spaces and colons; that is why
a property is not written `element.key`. `--set` splits at its first `=`. A value that reads as JSON true,
false, null, an integer or a list is that; `"…"` in quotes is the string inside them (`'version="3"'`);
anything else is a string as it stands.
"""

from __future__ import annotations

import json
import re
from typing import Any

from precedent_client import canonical
from precedent_client.faults import Usage
from precedent_client.render import members, objects

LARGEST = 2**53 - 1


def element(text: str, flag: str) -> str:
    """A checked `kind:name`."""
    kind, colon, name = text.partition(":")
    if not colon or not kind.strip() or not name.strip():
        raise Usage(
            f"{flag} takes an element, written kind:name, for example feature:product-search; "
            f"not {text!r}."
        )
    return f"{kind.strip()}:{name.strip()}"


def element_id(text: str) -> str:
    """The id of an element given as `kind:name`, or as that id itself."""
    if re.match(r"el_[0-9a-f]{20}\Z", text):
        return text
    kind, _, name = element(text, "ELEMENT").partition(":")
    return canonical.element_id(kind, name)


def value(text: str) -> Any:
    """A value from the command line; see above."""
    stripped = text.strip()
    if stripped in ("true", "false", "null") or re.match(r"-?(0|[1-9][0-9]*)\Z", stripped):
        found = json.loads(stripped)
        if isinstance(found, int) and abs(found) > LARGEST:
            raise Usage(f"{stripped} is past 2^53-1; write it as a string: '\"{stripped}\"'.")
        return found
    if stripped.startswith('"') and stripped.endswith('"') and len(stripped) > 1:
        try:
            return json.loads(stripped)
        except ValueError:
            return text
    if stripped.startswith("[") and stripped.endswith("]"):
        try:
            found = json.loads(stripped)
        except ValueError:
            return text
        if not all(isinstance(item, str) for item in found):
            raise Usage(f"A list holds strings only: {stripped} does not.")
        return found
    return text


def _pair(text: str, flag: str, example: str) -> tuple[str, str]:
    name, equals, rest = text.partition("=")
    if not equals or not name.strip():
        raise Usage(f"{flag} takes {example}, not {text!r}.")
    return name.strip(), rest


def from_flags(flags: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Mutations, from `--on`, `--set`, `--link` and `--unlink` in the order they were given."""
    found: list[dict[str, Any]] = []
    current = ""
    attached: dict[str, bool] = {}
    for flag, text in flags:
        if flag == "--on":
            current = element(text, flag)
            attached.setdefault(current, False)
            continue
        if not current:
            raise Usage(
                f"{flag} {text} comes before any --on. Say first what it is about:\n"
                f"  --on feature:product-search {flag} {text}"
            )
        attached[current] = True
        if flag == "--set":
            key, rest = _pair(text, flag, "key=value, for example engine=postgres")
            found.append({"op": "set_prop", "element": current, "key": key, "value": value(rest)})
        else:
            kind, end = _pair(text, flag, "KIND=kind:name, for example USES=service:postgres")
            operation = "add_link" if flag == "--link" else "retire_link"
            found.append({"op": operation, "from": current, "link": kind, "to": element(end, flag)})
    bare = [name.partition(":") for name, used in attached.items() if not used]
    return [{"op": "upsert_element", "kind": kind, "name": name} for kind, _, name in bare] + found


def slots_of(decision: dict[str, Any]) -> set[tuple[str, str]]:
    """The slots a decision sets, each as (element's id, `p:key` or `l:kind:id`), as the service names them."""
    found = set()
    for one in objects(decision, "mutations"):
        operation = one.get("op")
        if operation == "upsert_element":
            owner = canonical.element_id(str(one.get("kind")), str(one.get("name")))
            keys = [str(key) for key in members(one, "props")]
            found |= {(owner, f"p:{canonical.normalised(key)}") for key in keys}
        elif operation == "set_prop":
            owner = _id_of(str(one.get("element")))
            found.add((owner, f"p:{canonical.normalised(str(one.get('key')))}"))
        else:
            kind = canonical.normalised(str(one.get("link")))
            found.add((_id_of(str(one.get("from"))), f"l:{kind}:{_id_of(str(one.get('to')))}"))
    return found


def _id_of(reference: str) -> str:
    kind, _, name = reference.partition(":")
    return canonical.element_id(kind, name)
