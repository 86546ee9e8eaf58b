"""What a client sends to record decisions: parsed, bounded, free of secrets."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from precedent import canonical, schema
from precedent.credentials import refuse_secrets
from precedent.decision import Decision
from precedent.decision import parse as parse_decision
from precedent.errors import Invalid, TooLarge
from precedent.resolve import Verdicts

SIZE_LIMIT = 1024 * 1024
"""Bytes of one request's body."""

CIRCUMSTANCES_LIMIT = 8 * 1024
"""Bytes of the circumstances' canonical JSON."""


@dataclass(frozen=True)
class AppendRequest:
    """A valid request. `key` is the client's, or a fresh one if it sent none."""

    decisions: tuple[Decision, ...]
    verdicts: Verdicts
    key: str
    circumstances: dict[str, Any]

    @cached_property
    def sha256(self) -> str:
        """What a repeated key is compared by: the decisions, and nothing of how they were sent.

        A spool sends what timed out again under `on_unseen: branch`; it is the same request.
        """
        return canonical.sha256(canonical.dumps([d.content for d in self.decisions]))


def parse(body: bytes) -> AppendRequest:
    """A request from its bytes. Raises Invalid, TooLarge or SecretFound; nothing is written then."""
    if len(body) > SIZE_LIMIT:
        raise TooLarge("", SIZE_LIMIT, len(body), "bytes")
    content = canonical.loads(body)
    # First of all: what is refused later may name a key, and a key may be a secret.
    refuse_secrets(content, "")
    schema.check("request", content, "")
    if "decision" in content:
        sent = [("/decision", content["decision"])]
    else:
        sent = [(f"/decisions/{n}", item) for n, item in enumerate(content["decisions"])]
    decisions = tuple(parse_decision(item, field) for field, item in sent)
    circumstances = content.get("circumstances", {})
    size = len(canonical.dumps(circumstances))
    if size > CIRCUMSTANCES_LIMIT:
        raise TooLarge("/circumstances", CIRCUMSTANCES_LIMIT, size, "bytes")
    verdicts = Verdicts(
        seen=frozenset(content.get("seen", ())),
        overrule=frozenset(content.get("overrule", ())),
        beside=frozenset(content.get("beside", ())),
        on_unseen=content.get("on_unseen", "refuse"),
    )
    if both := verdicts.overrule & verdicts.beside:
        raise Invalid("/beside", f"{min(both)} stands in `overrule` too; give one verdict for each")
    key = content.get("key") or uuid.uuid4().hex
    return AppendRequest(decisions, verdicts, key, circumstances)
