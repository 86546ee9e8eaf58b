"""Everything that can stop a command, as one exception per exit code.

0 ok    1 a bug in the client    2 usage    3 refused    4 not allowed    5 unreachable
"""

from __future__ import annotations

from typing import Any, ClassVar


class Fault(Exception):
    """A command that could not do what it was asked. `message` says what to do next.

    `message` is printed as it is: whoever builds it has escaped what came from elsewhere.
    """

    exit_code: ClassVar[int]

    def __init__(
        self,
        message: str,
        name: str = "",
        problem: dict[str, Any] | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.name = name or type(self).__name__.lower()
        self.problem = problem
        self.retryable = retryable

    def as_json(self) -> dict[str, Any]:
        """What `--json` prints in place of an answer."""
        error: dict[str, Any] = {
            "exit": self.exit_code,
            "name": self.name,
            "message": self.message,
        }
        if self.problem is not None:
            error["problem"] = self.problem
        return {"error": error}


class Usage(Fault):
    """The command line, the environment or the input is wrong; nothing was sent."""

    exit_code = 2


class Refused(Fault):
    """The service understood the request and did not carry it out."""

    exit_code = 3


class NotAllowed(Fault):
    """The token is missing, unknown, or may not do this."""

    exit_code = 4


class Forbidden(NotAllowed):
    """The service knows who asks, and says that they may not do this: no time cures that."""


class AnotherLogin(Fault):
    """What waits was recorded by another login than the one that would send it; nothing was sent."""

    exit_code = 4


class Unreachable(Fault):
    """No usable answer: network, time-out, 429 or 5xx. What was sent may have been carried out."""

    exit_code = 5
