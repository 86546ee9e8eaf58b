"""The command line of the commands about this machine: what waits, who you are, what is trusted."""

from __future__ import annotations

import argparse
from typing import Callable

COMMANDS = ("none", "spool", "login", "logout", "config", "trust", "doctor", "pull")
Command = Callable[[str, str, str], argparse.ArgumentParser]

NONE = """\
example:
  precedent none --reason 'A bug fix: nothing was decided that others build on.'

Says that what was changed needs no record, so that nobody asks again. Kept on this machine only.
"""

SPOOL = """\
examples:
  precedent spool list            what waits to be sent, and what was refused for good and why
  precedent spool retry           send what waits now
  precedent spool retry NAME …    let what was refused be sent again
  precedent spool retry --mine NAME …   send what was recorded with another token, as yours
  precedent spool drop NAME …     give it up, for good

What was recorded with one token is not sent with another by itself: it may be somebody else's.
"""

LOGIN = """\
examples:
  precedent login https://api.example.com          asks for the token without showing it
  precedent login https://api.example.com < token  reads it from a file

The token is checked with the service, then stored where only you can read it. It is never an argument:
arguments are seen by everybody on this machine.
"""

TRUST = """\
examples:
  precedent trust             show what this repository's .precedent.json would set, and trust it
  precedent trust --show      show it, and whether it is trusted
  precedent trust --dismiss   never ask about it again, unless it changes
  precedent trust --revoke    take back what was said
"""

PULL = """\
examples:
  precedent pull
  precedent recall --path search/api.py     with the service away: from this copy, and says so
  precedent recall --word elastic           always from this copy
"""


def add(command: Command) -> None:
    """Add the commands."""
    none = command("none", "say that what was changed needs no record, and why", NONE)
    none.add_argument("--reason", required=True, help="why there is nothing to record")
    _spool(command("spool", "what is kept here until the service has it", SPOOL))
    login = command("login", "check a token and store it", LOGIN)
    login.add_argument("url", metavar="URL", help="where the service is")
    login.add_argument("--project", help="for every repository that says nothing else")
    command("logout", "remove the stored token", "")
    command("config", "print what is set, and where it was set", "")
    trust = command("trust", "let this repository's .precedent.json have an effect", TRUST)
    what = trust.add_mutually_exclusive_group()
    for name, summary in (
        ("show", "only show it"),
        ("dismiss", "never ask again, unless it changes"),
        ("revoke", "take back what was said"),
    ):
        what.add_argument(f"--{name}", dest="said", action="store_const", const=name, help=summary)
    trust.add_argument("--hash", help="without a terminal: the hash of the values that were read")
    command("doctor", "say what is wrong, and how to mend it", "")
    pull = command("pull", "fetch what is in force, for recall without the service", PULL)
    pull.add_argument("--quiet", action="store_true", help="print nothing")


def _spool(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["list", "retry", "drop", "flush"], metavar="ACTION",
                        help="list, retry or drop")  # fmt: skip
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="as `precedent spool list` prints it"
    )
    parser.add_argument(
        "--mine", action="store_true", help="for retry: the named are yours, under an older token"
    )
