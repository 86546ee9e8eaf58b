"""Refusing obvious secrets before anything is written: a log that never deletes must not learn them.

The rules are detect-secrets' own detectors for tokens with a recognisable form, and a few it lacks. Entropy
and keyword heuristics are left out: a decision's prose would trip them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import re2
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector

from precedent.errors import SecretFound

_DETECTORS = (
    AWSKeyDetector,
    AzureStorageKeyDetector,
    DiscordBotTokenDetector,
    GitHubTokenDetector,
    GitLabTokenDetector,
    NpmDetector,
    OpenAIDetector,
    PypiTokenDetector,
    SendGridDetector,
    SlackDetector,
    StripeDetector,
    TelegramBotTokenDetector,
)
_OURS = {
    "Private key block": r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----",
    "GitHub fine-grained token": r"\bgithub_pat_[A-Za-z0-9_]{60,}",
    "Google API key": r"\bAIza[0-9A-Za-z_-]{35}",
    "Model provider key": r"\bsk-(?:ant|proj|svcacct|or-v1)-[A-Za-z0-9_-]{20,}",
    "Hugging Face token": r"\bhf_[A-Za-z0-9]{30,}",
    "Slack app token": r"\bxapp-[0-9]-[A-Za-z0-9-]{20,}",
    "Precedent token": r"\bpct_[A-Za-z0-9_-]{40,}",
}
TEXT_LIMIT = 8_000
"""Code points of a text that are looked at: no text may be longer, and some rules take quadratic time."""


_QUIET = re2.Options()
_QUIET.log_errors = False


def _linear(pattern: re.Pattern[str]) -> Any:
    """The pattern for RE2, which takes linear time: the text searched is somebody else's.

    The few it does not know (look-ahead, comments within) stay with `re`; they do not backtrack.
    """
    if pattern.flags & re.VERBOSE:
        return pattern
    try:
        return re2.compile(
            ("(?i)" if pattern.flags & re.IGNORECASE else "") + pattern.pattern, options=_QUIET
        )
    except re2.error:
        return pattern


RULES: tuple[tuple[str, Any], ...] = (
    *((name, _linear(re.compile(pattern))) for name, pattern in _OURS.items()),
    *((kind.secret_type, _linear(rule)) for kind in _DETECTORS for rule in kind.denylist),
)
"""(rule's name, pattern), in the order they are tried."""


def refuse_secrets(value: Any, field: str) -> None:
    """Raise SecretFound, naming the rule and the field, if any text within looks like a secret."""
    for batch in _batches(_texts(value, field)):
        # A body can hold 250,000 texts. No rule takes a line's end for less than a text's end.
        together = "\n".join(text for _, text in batch)
        suspected = [(rule, pattern) for rule, pattern in RULES if pattern.search(together)]
        for pointer, text in batch if suspected else ():
            for rule, pattern in suspected:
                if pattern.search(text):
                    raise SecretFound(pointer, rule)


def _batches(texts: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """The texts, cut at TEXT_LIMIT, as many at a time as are not much longer together."""
    batch: list[tuple[str, str]] = []
    size = 0
    for pointer, text in texts:
        batch.append((pointer, text[:TEXT_LIMIT]))
        size += len(batch[-1][1]) + 1
        if size >= TEXT_LIMIT:
            yield batch
            batch, size = [], 0
    yield batch


def _texts(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield pointer, value
        case list():
            for index, item in enumerate(value):
                yield from _texts(item, f"{pointer}/{index}")
        case dict():
            for key, item in value.items():
                yield pointer, key
                yield from _texts(item, f"{pointer}/{key[:64]}")
