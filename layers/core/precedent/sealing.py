"""Making log lines of a resolved request."""

from __future__ import annotations

import msgspec

from precedent import canonical
from precedent.consume import Scope
from precedent.decision import Decision
from precedent.entry import VERSION, Context, Entry, Intent, seal
from precedent.request import AppendRequest
from precedent.resolve import Draft, Resolution


def seal_object(
    scope: Scope,
    writer: str,
    request: AppendRequest,
    resolution: Resolution,
    prev: str,
    salt: str,
    now: str,
) -> bytes:
    """The bytes of the log object that holds every draft of a resolution, one line each."""
    lines: list[bytes] = []
    drafts = resolution.drafts
    for index, decision, draft in drafts:
        intent = _intent(scope, writer, request, index, decision)
        context = _context(decision, salt, request)
        entry = _entry(decision, draft, intent, context, prev, now, len(drafts))
        line, prev = seal(entry, intent, decision.bytes, context)
        lines.append(line + b"\n")
    return b"".join(lines)


def _intent(
    scope: Scope, writer: str, request: AppendRequest, index: int, decision: Decision
) -> bytes:
    verdicts = request.verdicts
    return _block(
        Intent(
            tenant=scope.tenant,
            project=scope.project,
            writer=writer,
            key=request.key,
            index=index,
            count=len(request.decisions),
            request=request.sha256,
            decision=decision.sha256,
            overrule=tuple(sorted(verdicts.overrule)),
            beside=tuple(sorted(verdicts.beside)),
            on_unseen=verdicts.on_unseen,
            seen=canonical.sha256(canonical.dumps(sorted(verdicts.seen))),
        )
    )


def _context(decision: Decision, salt: str, request: AppendRequest) -> bytes:
    return _block(
        Context(
            salt=salt,
            elements={
                element: (name.kind, name.name) for element, name in decision.elements.items()
            },
            sets=tuple((item.element, item.slot, item.pointer) for item in decision.settings),
            circumstances=request.circumstances,
        )
    )


def _entry(
    decision: Decision,
    draft: Draft,
    intent: bytes,
    context: bytes,
    prev: str,
    now: str,
    lines: int,
) -> Entry:
    return Entry(
        v=VERSION,
        act="record",
        writer=draft.dot.writer,
        seq=draft.dot.seq,
        prev=prev,
        recorded_at=now,
        intent=canonical.sha256(intent),
        decision=(decision.id, decision.sha256),
        context=canonical.sha256(context),
        claims=draft.claims,
        mentions=draft.mentions,
        historical=draft.historical,
        displaces=draft.displaces,
        outcome=decision.outcome,
        date=decision.date,
        lines=lines,
    )


def _block(value: msgspec.Struct) -> bytes:
    return canonical.dumps(msgspec.to_builtins(value))
