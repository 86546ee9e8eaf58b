"""Around a command of ours in an agent's shell: which agent runs it, which the command itself cannot know."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from precedent_client.hook_input import Event


def around(event: Event) -> None:
    """Note who is about to run it, and that it has ended."""
    if "precedent" in event.command:
        from precedent_client.reader import Reader

        reader = Reader(event.session, event.agent)
        event.afterwards.append(reader.calls if event.name == "PreToolUse" else reader.has_called)
