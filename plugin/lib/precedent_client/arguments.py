"""The command line, and the help that teaches it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from precedent_client import machine_arguments
from precedent_client.faults import Usage

TOP = """\
examples:
  . .precedent/env                                  where the service is, and your token
  precedent recall --path search/api.py             what was decided, before you touch it
  precedent record --title 'Search runs on Postgres' --rationale 'One store to operate.' \\
      --on feature:product-search --set engine=postgres --reject 'Elasticsearch: cluster cost'
  precedent import adr docs/adr                     the records you already have

exit codes: 0 done, 2 usage, 3 refused, 4 not allowed, 5 unreachable
environment: PRECEDENT_URL, PRECEDENT_TOKEN, PRECEDENT_PROJECT; PRECEDENT_SESSION names a session,
  PRECEDENT_TIMEOUT the seconds one request may take (30)
"""

RECORD = """\
examples:
  precedent record --title 'Search runs on Postgres' --rationale 'One store to operate.' \\
      --reject 'Elasticsearch: cluster cost' \\
      --on feature:product-search --set engine=postgres --link USES=service:postgres

  precedent record --title 'No GraphQL gateway' --outcome rejected \\
      --rationale 'Caching by URL was lost; two weeks went into it.' --on service:gateway

  echo '{"title": "…", "rationale": "…", "mutations": [{"op": "set_prop",
    "element": "feature:product-search", "key": "engine", "value": "postgres"}]}' | precedent record -

what it is about:
  --on opens an element, written kind:name and split at the first colon; names may hold dots and
  spaces. --set, --link and --unlink after it belong to it. An --on with none of them attaches the
  decision to the element. A value that reads as JSON true, false, null, an integer or a list of
  strings is that; anything else is a string as it stands ('version="3"' is the string 3).

when decisions you have not read are in the way (exit 3) they are printed; read them, then give one
answer for each: --supersedes ID (everywhere), --overrule ID (these slots), --beside ID (both stand).
"""

RECALL = """\
examples:
  precedent recall --path search/api.py --path search/index.py
  precedent recall --element feature:product-search --element service:postgres
  precedent recall --path search/api.py --format text --budget 3000
  precedent recall --path search/api.py --task 'Cache the first page of results' --branch faster
  precedent recall --element feature:product-search --as-of 2025-06-30

A file is named from where you stand, in a work tree or a folder of it; the elements whose `paths` cover it
are told, nearest first. What was printed in full counts as read by this session: `record` may then replace it.
"""

SEARCH = """\
examples:
  precedent search how do retries back off
  precedent search '"exponential backoff" -kafka kind:service since:2026-01-01'
  precedent search postgres --include superseded --limit 20

Words are found in any form, identifiers by their parts, and one slip in a longer word is forgiven. Quote the whole
question where it holds a minus, a phrase or a filter: kind: path: by: since: tag:. While the service is away what
`precedent pull` fetched is searched, by words alone.
"""

RESOLVE = """\
examples:
  precedent resolve                                  the only conflict there is
  precedent resolve feature:product-search engine    both sides in full; nothing is recorded
  precedent resolve feature:product-search engine --keep d_0123456789abcdef01234567 \\
      --rationale 'Measured: Postgres answers in 20 ms.'
  precedent resolve feature:product-search 'uses → service:postgres' --value false --rationale '…'

One decision is recorded. A side that holds only this slot is superseded by it; one that holds more is
overruled on this slot and keeps the rest; one that agrees and holds more stands.
"""

CHANGES = """\
examples:
  precedent changes                                          what is new to you
  precedent changes --since 2026-11-01 --until 2026-11-30    what was recorded in November

Goes on from where the last plain `precedent changes` of this project ended, and remembers where this one
does, in $XDG_STATE_HOME/precedent. --since, --until and --all look elsewhere and leave that alone.
"""

ALIAS = """\
example:
  precedent alias feature:search feature:product-search --reason 'Renamed with the new shop.'

Both keep their histories. From then on each is recalled with the other, what is decided on one is judged against
what holds on the other, and where they contradict each other that is shown. To take it back: precedent withdraw ID
"""

WITHDRAW = """\
example:
  precedent withdraw d_0123456789abcdef01234567 --reason 'The trial ended.'

Records a decision that takes another out of force everywhere and puts nothing in its place. What that one had
displaced is named, so that it can be put in force again: precedent record --again ID
"""

IMPORT = """\
examples:
  precedent import adr docs/adr                 record them; run again, nothing is recorded twice
  precedent import adr docs/adr --plan > plan.json   see and edit first …
  precedent import adr --apply plan.json        … then record exactly that

  precedent import jsonl shop.jsonl             what `precedent export` wrote, of another project
  precedent import vault notes                  what was edited in what `precedent export --vault` wrote
  precedent import log log                      log/<install>.ndjson of the older, local tool

adr reads Nygard's form (adr-tools) and MADR 2 to 4. Accepted, approved and none are adopted, rejected is a
dead end, pending, proposed, draft and any status nobody knows are notes. What a record's links say was
superseded is superseded. A deprecated record is recorded and then withdrawn, so it is not in force.

What comes from elsewhere becomes your own: with its date, and with where it came from and who recorded it as
references. What was in force there is in force here, and importing it again changes nothing.
"""


EXPORT = """\
examples:
  precedent export shop.jsonl       everything, as it is stored; without a name it goes to stdout
  precedent export --adr docs/adr   decision records in Markdown (MADR), for people and other tools
  precedent export --vault notes    a note an element, a note a decision, linked; may be edited and imported

The same store makes the same bytes. What is there already is replaced if it is an earlier export that nobody
edited, or with --force. An operator brings shop.jsonl back as it was with `precedent-admin import`.
"""


FEEDBACK = """\
examples:
  precedent used d_0123456789abcdef01234567           it was of use
  precedent rejected d_0123456789abcdef01234567       it was read, and put aside
  precedent contradicted d_0123456789abcdef01234567   the code says otherwise

Counted once a session. Nothing is hidden by it and nothing goes out of force: that takes a decision.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # `%(prog)s` knows the subcommand, so the hint leads to its own examples.
        raise Usage(f"{message}\nExamples: {self.prog} --help")


class _Command(_Parser):
    """A command's own parser: its options may stand before, between and behind its arguments."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._mixing:  # it asks us, twice
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            found, unknown = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False
        if unknown:
            # Told here, where it is known whose `--help` says what there is.
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown


class _Change(argparse.Action):
    """Keeps `--on`, `--set`, `--link`, `--unlink` in the order they were given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        namespace.changes = [*(namespace.changes or []), (option_string, values)]


def _ids(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def parse(words: list[str]) -> argparse.Namespace:
    """The parsed command line. Raises Usage; `--help` prints and exits 0."""
    shared = _Parser(add_help=False)
    shared.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print the answer as JSON"
    )
    parser = _Parser(
        prog="precedent",
        description="A team's shared decision memory: recall before you change, record what you decide.",
        epilog=TOP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Command)

    parents: list[Any] = [shared]

    def command(name: str, summary: str, epilog: str = "") -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=parents,
            allow_abbrev=False,
        )

    _record(command("record", "record a decision", RECORD))
    _recall(
        command("recall", "print the decisions in force, with their reasons and dead ends", RECALL)
    )
    _search(command("search", "print the decisions that answer a question in words", SEARCH))
    show = command("show", "print a decision in full, and whether it is in force")
    show.add_argument("ids", nargs="+", metavar="ID", help="d_… as recall prints it")
    element = command("element", "print what is in force on one element")
    history = command("history", "print what happened on an element, newest first")
    timeline = command("timeline", "print the story of an element, oldest first, with its reasons")
    element.add_argument("--as-of", metavar="DATE", help="what was in force then")
    for one in (element, history, timeline):
        one.add_argument(
            "element", metavar="ELEMENT", help="kind:name, or el_… as recall prints it"
        )
    elements = command("elements", "print the elements ever named")
    elements.add_argument("--kind", metavar="KIND", help="of one kind only")
    command("conflicts", "print where decisions stand against each other")
    alias = command("alias", "say that two names are one thing: a rename, or a merge", ALIAS)
    alias.add_argument("former", metavar="FORMER", help="kind:name")
    alias.add_argument("current", metavar="CURRENT", help="kind:name, what it is called now")
    alias.add_argument("--reason", required=True, help="why they are one thing")
    names = command("name", "print what a name stands for")
    names.add_argument("name", metavar="KIND:NAME", help="a name, current or former")
    _withdraw(command("withdraw", "take a decision out of force, with a reason", WITHDRAW))
    _resolve(command("resolve", "print both sides of a conflict, or settle it", RESOLVE))
    _changes(command("changes", "print what arrived since the last time", CHANGES))
    command("status", "print who you are, where, and how the project stands")
    command("whoami", "print who the service takes you for")
    command("digest", "print the digest of the project, equal wherever the same entries arrived")
    for kind, summary in (
        ("used", "say that decisions were of use"),
        ("rejected", "say that decisions were read and put aside"),
        ("contradicted", "say that the code says otherwise than decisions"),
    ):
        said = command(kind, summary, FEEDBACK)
        said.add_argument("ids", nargs="+", metavar="ID", help="d_… as recall prints it")
        said.add_argument(
            "--session", metavar="NAME", help="said in this session, if not in this one"
        )
    _import(command("import", "import decisions kept elsewhere", IMPORT))
    _export(command("export", "export everything, to move it or to read it elsewhere", EXPORT))
    machine_arguments.add(command)
    command("version", "print the client's version")
    parser.add_argument("--version", action="store_true", help="print the client's version")
    help_of = command("help", "print this help, or a command's")
    help_of.add_argument("topic", nargs="?", help="a command")

    options = parser.parse_args(words)
    if options.version:
        options.command = "version"
    if options.command == "help":
        parse([options.topic, "--help"] if options.topic else ["--help"])
    if options.command is None:
        raise Usage("What should be done? `precedent help` lists the commands, with examples.")
    return options


def _record(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", nargs="?", metavar="-", help="read the decision as JSON from stdin")
    add("--title", help="what was decided, in one line")
    add("--rationale", help="why")
    add("--outcome", choices=["adopted", "rejected", "note"], help="adopted unless said otherwise")
    for flag, form, summary in (
        ("--on", "KIND:NAME", "the element that the flags after it are about"),
        ("--set", "KEY=VALUE", "a property of it"),
        ("--link", "KIND=KIND:NAME", "a link from it"),
        ("--unlink", "KIND=KIND:NAME", "the retirement of a link from it"),
    ):
        add(flag, dest="changes", action=_Change, metavar=form, help=summary)
    add("--reject", action="append", metavar="'OPTION: REASON'", help="a rejected alternative")
    for flag, summary in (
        ("--supersedes", "a decision this one replaces, everywhere"),
        ("--overrule", "a decision this one replaces on the slots it sets"),
        ("--beside", "a decision that stands beside this one, knowingly"),
    ):
        add(flag, action="extend", type=_ids, metavar="ID", help=summary)
    add("--ref", action="append", metavar="REL=URL", help="where more is written")
    add("--date", metavar="DATE", help="when it was decided, if not now (ISO 8601)")
    add("--key", help="makes a repeated request count once; made by the client unless given")
    add("--on-unseen", choices=["refuse", "branch", "historical"], help="for decisions not read")
    add("--again", metavar="ID", help="record a decision once more, as it was")
    add("--dry-run", action="store_true", help="print what would be sent, and send nothing")


def _recall(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--element", action="append", metavar="KIND:NAME", help="about this; repeatable")
    add("--path", action="append", metavar="FILE", help="about what covers this file; repeatable")
    add(
        "--word",
        action="append",
        metavar="TEXT",
        help="in what `precedent pull` fetched; repeatable",
    )
    add("--q", metavar="QUESTION", help="and about what `precedent search` would find")
    add("--task", metavar="TEXT", help="the work at hand, in any words")
    add("--branch", metavar="NAME", help="what was recorded on this branch first")
    add("--explain", action="store_true", help="what each decision was ranked by")
    add("--as-of", metavar="DATE", help="what was in force then, by the decisions' dates")
    add("--format", choices=["full", "text"], default="full", help="text: as an agent is given it")
    add("--budget", type=int, metavar="N", help="characters the text may have (6000)")


def _withdraw(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="d_… as recall prints it")
    parser.add_argument("--reason", required=True, help="why it does not hold any more")


def _search(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("words", nargs="+", metavar="WORD", help="what it is about")
    add(
        "--include",
        choices=["superseded", "dead-ends", "all"],
        help="look among these, too, and mark them",
    )
    add("--limit", type=int, metavar="N", help="hits to print (10, at most 50)")
    add("--explain", action="store_true", help="what each word adds to a hit's score")


def _resolve(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("element", nargs="?", metavar="ELEMENT", help="kind:name")
    add("slot", nargs="?", metavar="SLOT", help="as `precedent conflicts` prints it")
    add("--keep", metavar="ID", help="settle it to what this side decided")
    add("--value", metavar="VALUE", help="settle it to another value, written as for record --set")
    add("--rationale", help="why; needed to settle it")
    add("--title", help="of the decision that settles it; made up unless given")


def _changes(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    point = "a date, or the `since` of an earlier --json answer"
    where.add_argument("--since", metavar="WHEN", help=f"begin there: {point}")
    where.add_argument("--all", action="store_true", help="from the beginning")
    parser.add_argument("--until", metavar="WHEN", help=f"end there: {point}")


def _export(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="where to; stdout unless given")
    add("--adr", metavar="DIR", help="as decision records in Markdown")
    add("--vault", metavar="DIR", help="as linked notes in Markdown")
    add("--force", action="store_true", help="replace what is there")


def _import(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("format", choices=["adr", "jsonl", "vault", "log"], help="what they are kept as; see below")
    add("folder", nargs="?", metavar="PATH", help="the folder or the file they are in")
    add(
        "--plan",
        action="store_true",
        help="print as JSON what would be recorded, and record nothing",
    )
    add("--apply", metavar="FILE", help="adr only: record a plan, from a file or - for stdin")
    add("--repository", metavar="NAME", help="the repository's name, if not its remote's")
    add("--rationale", default="Edited in a vault.", help="vault only: why it was edited")
    add("--strict", action="store_true", help="exit 3 if a file could not be read")
