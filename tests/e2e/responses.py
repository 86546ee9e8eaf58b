"""The scripted model as Codex speaks to it: the Responses API, streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.e2e.model import Json, Model, Says, Turn

SUBAGENTS = "multi_agent_v1"
"""The namespace of the tools that start and await subagents."""
USAGE = {
    "input_tokens": 1,
    "input_tokens_details": None,
    "output_tokens": 1,
    "output_tokens_details": None,
    "total_tokens": 2,
}
_CALLS = ("function_call", "custom_tool_call")


class ResponsesModel(Model):
    path = "/v1/responses"

    def is_a_turn(self, request: Json) -> bool:
        return bool(request.get("tools"))

    def heard(self, request: Json) -> list[Json]:
        found: list[Json] = request["input"]
        return found

    def own(self, message: Json) -> bool:
        return message["type"] in _CALLS or message.get("role") == "assistant"

    def events(self, request: Json, turn: Turn) -> Iterator[Json]:
        yield {"type": "response.created", "response": {"id": "resp_1"}}
        item = _item(turn, self.heard(request))
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": {"id": "resp_1", "usage": USAGE}}


def _item(turn: Turn, heard: list[Json]) -> Json:
    if isinstance(turn, Says):
        content = [{"type": "output_text", "text": turn.text}]
        return {"type": "message", "role": "assistant", "id": "msg_1", "content": content}
    call = {"call_id": f"call_{turn.id}", "name": turn.tool}
    if turn.tool == "apply_patch":  # takes a text, not JSON
        return {"type": "custom_tool_call", **call, "input": turn.arguments["patch"]}
    namespace = {"namespace": SUBAGENTS} if turn.tool.endswith("_agent") else {}
    targets = {"targets": _started(heard)} if turn.tool == "wait_agent" else {}
    arguments = json.dumps({**turn.arguments, **targets})
    return {"type": "function_call", **call, **namespace, "arguments": arguments}


def _started(heard: list[Json]) -> list[str]:
    """The subagents the conversation has started: the client makes up their ids."""
    outputs = [str(one.get("output")) for one in heard if one["type"] == "function_call_output"]
    return [json.loads(text)["agent_id"] for text in outputs if '"agent_id"' in text]
