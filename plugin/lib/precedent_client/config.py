"""Where the service is and who is asking, checked: what `settings` found, or what is wrong with it.

A file that arrives with a clone never says where a token is sent.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from precedent_client import escape, settings
from precedent_client.faults import NotAllowed, Usage

HOW_TO_GET_THEM = (
    "With a service started by `make up`:   . .precedent/env\n"
    "With any other, ask whoever runs it for the URL and a token of your own, and store them:   "
    "precedent login URL\n"
    "The project is PRECEDENT_PROJECT, or is made from the git remote `origin`."
)

_PROJECT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")
_URL = re.compile(
    r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(/[^\s?#\x00-\x1f]*)?\Z"
)
_LOOPBACK = re.compile(
    r"http://(127\.[0-9.]+|localhost|[a-z0-9.-]+\.localhost|\[::1\])(:|/|\Z)", re.IGNORECASE
)
_TOKEN = re.compile(r"[\x21-\x7e]+\Z")
DEFAULT_TIMEOUT = 30.0
"""Seconds one request may take in all; an HTTP API never takes longer to answer."""


@dataclass(frozen=True)
class Config:
    """One service, one identity, one project."""

    url: str
    token: str
    project: str
    timeout: float

    @property
    def warning(self) -> str:
        """What is unsafe about it, if anything."""
        if self.url.startswith("https:") or _LOOPBACK.match(self.url):
            return ""
        return "PRECEDENT_URL is plain http to another machine: the token can be read on the way."


def read() -> Config:
    """The configuration. Raises Usage saying what is missing and how to get it."""
    found = settings.find()
    named = {
        "PRECEDENT_URL": found.url,
        "PRECEDENT_TOKEN": found.token,
        "PRECEDENT_PROJECT": found.project,
    }
    missing = [name for name, value in named.items() if not value]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise Usage(f"{', '.join(missing)} {verb} not set.\n{HOW_TO_GET_THEM}", "not-configured")
    return checked(found.url, found.token, found.project)


def of(url: str, project: str) -> Config:
    """The configuration for a service and project named elsewhere. Raises NotAllowed without a token."""
    token = settings.token_for(url)
    if not token:
        raise NotAllowed(
            f"There is no token for {escape.line(url)} here. Store one:   precedent login URL",
            "not-configured",
        )
    return checked(url, token, project)


def checked(url: str, token: str, project: str) -> Config:
    """These three, if they can work. Raises Usage saying which cannot."""
    parts = _URL.match(url)
    if parts is None or int(parts.group(2) or 0) > 65535:
        raise Usage(
            "PRECEDENT_URL is not an http(s) URL without credentials, query and fragment.\n"
            "Example: https://api.example.com",
            "not-configured",
        )
    if not _TOKEN.match(token):
        raise Usage("PRECEDENT_TOKEN holds a character no token has.", "not-configured")
    if not _PROJECT.match(project):
        raise Usage(
            "PRECEDENT_PROJECT must be 1 to 64 of a-z 0-9 . _ - and begin with a letter or digit.",
            "not-configured",
        )
    return Config(settings.bare(url), token, project, _timeout())


def _timeout() -> float:
    stated = os.environ.get("PRECEDENT_TIMEOUT", "")
    if not stated:
        return DEFAULT_TIMEOUT
    try:
        seconds = float(stated)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 600:
        raise Usage("PRECEDENT_TIMEOUT must be a number of seconds, above 0 and up to 600.")
    return seconds
