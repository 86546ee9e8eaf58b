"""People with the real client, on the real service."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.unit.client_support import Client, Done


@dataclass(frozen=True)
class Team:
    """A project of its own, and whoever is asked to join it."""

    stack: Any
    project: str
    folder: Path

    def join(self, name: str, role: str = "writer") -> Person:
        """A new writer or reader with a token, a home and a session."""
        writer = self.stack.new_name(name)
        home = self.folder / writer
        home.mkdir()
        client = Client(home)
        client.environment |= {
            "PRECEDENT_URL": self.stack.url,
            "PRECEDENT_TOKEN": self.stack.writer(writer, role),
            "PRECEDENT_PROJECT": self.project,
        }
        return Person(writer, client)


@dataclass(frozen=True)
class Person:
    """Calls the command: `alice("recall", "--element", "feature:search")`."""

    writer: str
    client: Client

    def __call__(self, *words: str, **options: Any) -> Done:
        return self.client(*words, **options)

    def did(self, *words: str, **options: Any) -> str:
        """What a command that must succeed printed."""
        done = self(*words, **options)
        assert done.code == 0, done.err + done.out
        return done.out

    def got(self, *words: str, **options: Any) -> Any:
        """The JSON of a command that must succeed."""
        done = self(*words, "--json", **options)
        assert done.code == 0, done.err + done.out
        return done.json

    def recorded(self, *words: str, **options: Any) -> str:
        """Record a decision; its id."""
        answer = self.got("record", *words, **options)
        assert answer["results"][0]["status"] == "recorded"
        return str(answer["results"][0]["id"])

    def in_force(self, element: str) -> list[str]:
        """The ids in force on an element."""
        found = self.got("recall", "--element", element)["elements"]
        return [identity for one in found for identity in one["in_force"]]
