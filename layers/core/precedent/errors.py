"""The only vocabulary of refusals.

Each refusal is one class with one problem type (RFC 9457): `urn:precedent:error:<name>`. The web layer
turns any of them into `application/problem+json` in one place; nothing else maps errors to statuses.
A refusal's `detail` always says what to do next and never repeats decision text or a secret.
"""

from __future__ import annotations

from typing import Any, ClassVar

TYPE_PREFIX = "urn:precedent:error:"


class Refusal(Exception):
    """A request that is not carried out, with the reason and the way out. Nothing was written."""

    name: ClassVar[str]
    status: ClassVar[int]
    title: ClassVar[str]

    def __init__(self, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members

    def problem(self) -> dict[str, Any]:
        """The RFC 9457 members of this refusal, without `request_id`."""
        return {
            "type": TYPE_PREFIX + self.name,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            **self.members,
        }


class Invalid(Refusal):
    """A value that breaks the schema or a rule of the model; `field` is a JSON pointer."""

    name, status, title = "invalid", 422, "The request breaks a rule"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field or '/'}: {rule}", field=field)


class TooLarge(Refusal):
    """A value over a limit; names the field, the limit and the size found."""

    name, status, title = "too-large", 422, "A limit is exceeded"

    def __init__(self, field: str, limit: int, size: int, unit: str) -> None:
        super().__init__(
            f"{field or '/'} has {size} {unit}, at most {limit} are taken. Shorten or split it.",
            field=field,
            limit=limit,
            size=size,
            unit=unit,
        )


class DigestTooLarge(TooLarge):
    """A project with too many entries to digest within one request."""

    status = 409

    def __init__(self, limit: int, size: int) -> None:
        super().__init__("entries", limit, size, "entries")
        self.detail = (
            f"The project holds {size} entries and a digest over HTTP reads at most {limit}. "
            "An operator runs `precedent-admin verify`."
        )


class PastTooLong(TooLarge):
    """More happened on the elements up to the date asked about than one answer is made from."""

    def __init__(self, limit: int) -> None:
        super().__init__("as_of", limit, limit + 1, "events")
        self.detail = (
            f"Up to then these elements have more than {limit} events, and what held is found from all of them. "
            "Ask for fewer elements at once, or read the `timeline` of one, which comes in pages."
        )


class TooManyUnanchored(TooLarge):
    """More globs without an anchor than every recall by path can read along."""

    def __init__(self, limit: int, size: int) -> None:
        super().__init__("paths", limit, size, "unanchored")
        self.detail = (
            f"{size} times `paths` would hold a glob that names no folder, at most {limit} may: every recall "
            "by path reads them all. Begin the glob with a folder: `api/**/*.py` instead of `*.py`."
        )


class SecretFound(Refusal):
    """A text that looks like a credential. Names the rule and the field, never the value."""

    name, status, title = "secret", 422, "A text looks like a secret"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(
            f"{field}: looks like a secret ({rule}). Take it out, and revoke it if it was real.",
            field=field,
            rule=rule,
        )


class SlotSetTwice(Refusal):
    """One request sets one slot twice and the later decision does not supersede the earlier."""

    name, status, title = "slot-set-twice", 422, "A slot is set twice in one request"

    def __init__(self, index: int, element: str, slot: str) -> None:
        super().__init__(
            f"/decisions/{index} sets {element} {slot}, which this request has set already. "
            "Set it once, or let the later decision supersede the earlier one.",
            index=index,
            element=element,
            slot=slot,
        )


class UnseenHead(Refusal):
    """Decisions the author has not read hold the slots this request would set."""

    name, status, title = "unseen-head", 409, "Decisions you have not read hold these slots"

    def __init__(self, unseen: list[dict[str, Any]]) -> None:
        super().__init__(
            "Read them. Then name each in `supersedes` (everywhere), `overrule` (these slots) or "
            "`beside`, or drop the change.",
            unseen=unseen,
        )


class UnknownDecision(Refusal):
    """`supersedes` names decisions this project does not hold (yet)."""

    name, status, title = "unknown-decision", 409, "A superseded decision is not known here"

    def __init__(self, ids: list[str]) -> None:
        super().__init__(
            "This project holds no such decision. Check the id; if it was recorded moments ago by "
            "somebody else, send the same request again.",
            unknown=ids,
        )


class KeyReused(Refusal):
    """The idempotency key was used for other decisions."""

    name, status, title = "key-reused", 409, "This key was used for another request"

    def __init__(self, key: str) -> None:
        super().__init__("Use a fresh `key` for other decisions.", key=key)


class NotFound(Refusal):
    """No such decision, element or route under this project."""

    name, status, title = "not-found", 404, "Not found"


class Unauthenticated(Refusal):
    """The authorizer's context is missing or malformed: the function fails closed."""

    name, status, title = "unauthenticated", 401, "No identity"

    def __init__(self) -> None:
        super().__init__("Send a token the authorizer knows: `Authorization: Bearer pct_…`.")


class Forbidden(Refusal):
    """A role that may not do this."""

    name, status, title = "forbidden", 403, "Not allowed"


class Unavailable(Refusal):
    """A store did not answer, or the log moved too often. Sending the same request again is safe."""

    name, status, title = "unavailable", 503, "Try again"


class LogTruncated(Refusal):
    """A writer's log has lost entries it had acknowledged; their numbers are not given out again."""

    name, status, title = "log-truncated", 503, "The log has lost acknowledged entries"

    def __init__(self, writer: str, missing: int, promised: int) -> None:
        super().__init__(
            f"The log of {writer} lacks entries from seq {missing} on, of {promised} that were acknowledged. "
            "Nothing was written. Keep the request; an operator runs `precedent-admin verify`, puts back what "
            "is missing, or gives out another writer's name.",
            writer=writer,
            missing=missing,
            promised=promised,
        )


class Failed(Refusal):
    """A defect of ours. Nothing is said of it but that it was logged."""

    name, status, title = "failed", 500, "Something went wrong here"
