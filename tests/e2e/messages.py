"""The scripted model as Claude Code speaks to it: the Messages API, streamed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

from tests.e2e.model import Json, Model, Says, Turn

_ids = itertools.count(1)
USAGE = {"input_tokens": 1, "output_tokens": 1}


class MessagesModel(Model):
    path = "/v1/messages"

    def is_a_turn(self, request: Json) -> bool:
        return bool(request.get("tools"))

    def heard(self, request: Json) -> list[Json]:
        found: list[Json] = request["messages"]
        return found

    def own(self, message: Json) -> bool:
        return bool(message["role"] == "assistant")

    def whole(self, request: Json, turn: Turn) -> Json:
        block, _, _ = _block(turn)
        return {
            "id": f"msg_{next(_ids):024d}",  # the client takes one id for one message
            "type": "message",
            "role": "assistant",
            "model": request.get("model", "scripted"),
            "content": [block],
            "stop_reason": "end_turn" if isinstance(turn, Says) else "tool_use",
            "stop_sequence": None,
            "usage": USAGE,
        }

    def events(self, request: Json, turn: Turn) -> Iterator[Json]:
        message = self.whole(request, turn)
        block, empty, delta = _block(turn)
        yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
        yield {"type": "content_block_start", "index": 0, "content_block": {**block, **empty}}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        stopped = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": stopped, "usage": USAGE}
        yield {"type": "message_stop"}


def _block(turn: Turn) -> tuple[Json, Json, Json]:
    """A block of content, what of it stands at its start, and the rest."""
    if isinstance(turn, Says):
        delta = {"type": "text_delta", "text": turn.text}
        return {"type": "text", "text": turn.text}, {"text": ""}, delta
    block = {
        "type": "tool_use",
        "id": f"toolu_{turn.id}",
        "name": turn.tool,
        "input": turn.arguments,
    }
    delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.arguments)}
    return block, {"input": {}}, delta
