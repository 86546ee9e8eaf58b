"""The digest of a project, as a reader asks for it."""

from __future__ import annotations

from collections.abc import Iterable

from precedent.answers import DigestAnswer
from precedent.element import other_end
from precedent.errors import DigestTooLarge
from precedent.orset import Status, digest
from precedent.ports import Projection

DIGEST_LIMIT = 20_000
"""Entries a digest is made of within one request."""


def digest_of(projection: Projection | None) -> DigestAnswer:
    """The digest of everything that has arrived. Raises DigestTooLarge above 20,000 entries."""
    if projection is None:
        return DigestAnswer(str(digest([])), 0, 0)
    entries = sum(offset.seq for offset in projection.offsets().values())
    if entries > DIGEST_LIMIT:
        raise DigestTooLarge(DIGEST_LIMIT, entries)
    statuses = [status for status in projection.all_statuses() if status.arrived]
    total = digest(statuses)
    return DigestAnswer(str(total), total.entries, len(_elements(statuses)))


def _elements(statuses: Iterable[Status]) -> set[str]:
    claims = {claim for status in statuses for claim in status.claims + status.historical}
    ends = {to for claim in claims if (to := other_end(claim.slot))}
    mentions = {element for status in statuses for element in status.mentions}
    return {claim.element for claim in claims} | ends | mentions
