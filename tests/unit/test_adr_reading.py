"""Reading one decision record: Nygard's form, MADR's forms, and what people make of them."""

from __future__ import annotations

import pytest

from tests.unit.client_support import SAMPLES  # isort: split

from precedent_client import adr_dates, adr_markdown, adr_options, adr_record, adr_status
from precedent_client.adr_record import NotARecord, Record, Unreadable

NYGARD = """# 7. Keep it simple

Date: 2020-03-04

## Status

{status}

## Context

Why.

## Decision

What.

## Consequences

So what.
"""


def nygard(status: str = "Accepted", file: str = "0007-keep-it-simple.md") -> Record:
    return adr_record.read(NYGARD.format(status=status), file)


def madr(options: str, outcome: str, pros: str = "", top: str = "# A title") -> Record:
    text = (
        f"{top}\n\n## Considered Options\n\n{options}\n\n## Decision Outcome\n\n{outcome}\n\n{pros}"
    )
    return adr_record.read(text, "0001-a-title.md")


def said(record: Record) -> dict[str, str]:
    return {option.name: option.said for option in record.rejected}


class TestNygard:
    def test_title_status_date_and_text(self) -> None:
        record = nygard()
        assert (record.title, record.number, record.date) == ("Keep it simple", 7, "2020-03-04")
        assert (record.status, record.standing) == ("Accepted", "adopted")
        assert record.rationale == (
            "## Context\n\nWhy.\n\n## Decision\n\nWhat.\n\n## Consequences\n\nSo what."
        )
        assert record.warnings == []

    @pytest.mark.parametrize(
        ("status", "standing"),
        [
            ("Accepted", "adopted"), ("accepted", "adopted"), ("Approved", "adopted"), ("", "adopted"),
            ("**Accepted**", "adopted"), ("Accepted (2019)", "adopted"), ("* Accepted", "adopted"),
            ("Rejected", "rejected"), ("Rejected: too slow", "rejected"),
            ("Pending", "note"), ("Proposed", "note"), ("Draft", "note"),
            ("Deprecated", "deprecated"), ("Superseded", "superseded"),
            ("Superseded by [x](0009-x.md)", "superseded"),
            ("Superceded by [x](0009-x.md)", "superseded"),
            ("Accepted\n\nSuperseded by [x](0009-x.md)", "superseded"),
            ("Partly superseded", "adopted"), ("Superseded in part by ADR-9", "adopted"),
            ("Accepted\n\nAmended by [x](0009-x.md)", "adopted"), ("Amended by ADR 9", "adopted"),
            ("~~Proposed~~ Accepted", "adopted"),
            ("2019-01-01: proposed\n2019-02-01: accepted", "adopted"),
            ("on hold", "unknown"), ("Done", "unknown"), ("Accepted | Proposed", "unknown"),
        ],
    )  # fmt: skip
    def test_a_status_in_all_its_spellings(self, status: str, standing: str) -> None:
        assert nygard(status).standing == standing

    def test_an_amended_record_is_still_called_accepted(self) -> None:
        assert nygard("Accepted\n\nAmended by [x](0009-x.md)").status == "Accepted"

    def test_what_else_stands_under_the_status_is_kept(self) -> None:
        assert "Only for batch jobs." in nygard("Accepted\n\nOnly for batch jobs.").rationale

    @pytest.mark.parametrize(
        ("line", "relations"),
        [
            ("Superseded by [9. X](0009-x.md)", [("superseded-by", "0009-x.md")]),
            ("Supersedes [2. Y](0002-y.md)", [("supersedes", "0002-y.md")]),
            ("Supercedes [2. Y](0002-y.md)", [("supersedes", "0002-y.md")]),
            ("Replaced by ADR-0009", [("superseded-by", "9")]),
            ("superseded by 12", [("superseded-by", "12")]),
            ("Superseded by ADR #7 on 2020-01-02", [("superseded-by", "7")]),
            ("Amends [x](0001-x.md) and [y](0002-y.md)", [("amends", "0001-x.md"), ("amends", "0002-y.md")]),
            ("Supersedes [x](1.md), amends [y](2.md)", [("supersedes", "1.md"), ("amends", "2.md")]),
            ("Partially superseded by [x](3.md)", [("partly-superseded-by", "3.md")]),
            ("In part supersedes [x](3.md)", [("partly-supersedes", "3.md")]),
            ("Accepted", []),
        ],
    )  # fmt: skip
    def test_what_a_line_says_of_other_records(self, line: str, relations: list[object]) -> None:
        assert [(one.rel, one.target) for one in adr_status.relations_in(line)] == relations

    def test_running_text_supersedes_only_if_it_speaks_of_the_record(self) -> None:
        lines = [
            "This ADR supersedes [a](1.md).",
            "Supersedes [b](2.md)",
            "The ranges have been superseded by [c](3.md).",
            "This ADR in part supersedes [d](4.md).",
            "The text amends nothing, it has no link.",
        ]
        assert [(one.rel, one.target) for one in adr_status.relations_in_body(lines)] == [
            ("supersedes", "1.md"),
            ("supersedes", "2.md"),
            ("partly-superseded-by", "3.md"),
            ("partly-supersedes", "4.md"),
        ]


class TestTitle:
    @pytest.mark.parametrize(
        ("heading", "title"),
        [
            ("# 7. Keep it simple", "Keep it simple"),
            ("# 7 - Keep it simple", "Keep it simple"),
            ("# 0007 Keep it simple", "Keep it simple"),
            ("# ADR-0007: Keep it simple", "Keep it simple"),
            ("# ADR 7 Keep it simple", "Keep it simple"),
            ("# [ADR-7] Keep it simple", "Keep it simple"),
            ("# Keep it simple #", "Keep it simple"),
            ("Keep it simple\n==============", "Keep it simple"),
            ("# Use `x` and [y](http://y) **now**", "Use x and y now"),
            ("# 3scale stays", "3scale stays"),
            ("# 2 factors of authentication", "2 factors of authentication"),
            ("# 1.5 is the version", "1.5 is the version"),
        ],
    )
    def test_it_loses_its_number_and_its_markup(self, heading: str, title: str) -> None:
        text = f"{heading}\n\n## Status\n\nAccepted\n\n## Decision\n\nx"
        assert adr_record.read(text, "0007-x.md").title == title

    def test_the_files_number_counts_and_a_different_one_is_told(self) -> None:
        record = adr_record.read("# 3. X\n\n## Decision\n\nx", "0033-x.md")
        assert record.number == 33
        assert "number 3" in record.warnings[0]

    @pytest.mark.parametrize(
        ("file", "number"),
        [("0007-x.md", 7), ("7.md", 7), ("adr-012-x.md", 12), ("sub/3_x.md", 3), ("x.md", None),
         ("2020-01-02-x.md", None)],
    )  # fmt: skip
    def test_a_files_number(self, file: str, number: int | None) -> None:
        assert adr_record.number_of(file) == number

    def test_without_one_the_files_name_gives_it_and_that_is_told(self) -> None:
        record = adr_record.read(
            "## Status\n\nAccepted\n\n## Decision\n\nx", "0007-use-less-yaml.md"
        )
        assert record.title == "Use less yaml"
        assert "taken from the file's name" in record.warnings[0]


class TestHeadingLevels:
    def test_everything_one_level_down(self) -> None:
        text = NYGARD.format(status="Rejected").replace("# ", "## ").replace("### ", "### ")
        record = adr_record.read(text, "0007-x.md")
        assert (record.title, record.standing) == ("Keep it simple", "rejected")

    def test_everything_on_the_top_level(self) -> None:
        text = NYGARD.format(status="Rejected").replace("## ", "# ")
        record = adr_record.read(text, "0007-x.md")
        assert (record.title, record.standing) == ("Keep it simple", "rejected")
        assert "What." in record.rationale

    def test_a_heading_in_a_code_fence_is_none(self) -> None:
        text = NYGARD.format(status="Accepted") + "\n```\n## Status\n\nRejected\n```\n"
        assert adr_record.read(text, "0007-x.md").standing == "adopted"


class TestMadr:
    def test_front_matter(self) -> None:
        top = '---\nstatus: "superseded by [ADR-0005](0005-x.md)"\ndate: 2021-02-03 # when\n---\n# A title'
        record = madr("* A\n* B", 'Chosen option: "A", because', top=top)
        assert (record.title, record.standing, record.date) == (
            "A title",
            "superseded",
            "2021-02-03",
        )
        assert [(one.rel, one.target) for one in record.relations] == [
            ("superseded-by", "0005-x.md")
        ]

    def test_front_matter_naming_a_number(self) -> None:
        record = madr("* A", "", top="---\nstatus: superseded by ADR-0005\n---\n# A title")
        assert [(one.rel, one.target) for one in record.relations] == [("superseded-by", "5")]

    def test_front_matter_lists_and_people(self) -> None:
        top = "---\nstatus: accepted\ndeciders: [Ann, 'Bo']\nconsulted:\n  - Cy\n  - Di\n---\n# A title"
        record = madr("", "x", top=top)
        assert "Deciders: Ann, Bo" in record.rationale
        assert "Consulted: Cy, Di" in record.rationale

    def test_front_matter_it_cannot_read_is_counted_and_named(self) -> None:
        top = "---\nstatus: accepted\nnested:\n  a: {b: c}\nbroken\ntext: |\n---\n# A title"
        warnings = madr("", "x", top=top).warnings
        assert warnings[0].startswith("3 lines of front matter not read")
        assert "broken" in warnings[0]

    def test_madr_2_bullets(self) -> None:
        top = "# A title\n\n* Status: rejected <!-- optional -->\n* Deciders: Ann\n* **Date**: 2021-02-03"
        record = madr("* [A]\n* [B]", 'Chosen option: "[A]", because x', top=top)
        assert (record.standing, record.date) == ("rejected", "2021-02-03")
        assert list(said(record)) == ["B"]
        assert "Deciders: Ann" in record.rationale
        assert "Status" not in record.rationale

    def test_options_have_their_arguments_and_the_chosen_one_is_no_alternative(self) -> None:
        pros = "## Pros and Cons of the Options\n\n### A\n\n* Good, because a\n\n### B\n\n* Bad, because b\n"
        record = madr("* A\n* [B](https://b.example)\n* C", 'Chosen option: "A", because.', pros)
        assert said(record) == {"B": "<https://b.example>\n\n* Bad, because b", "C": ""}
        assert "Good, because a" in record.rationale
        assert "Bad, because b" not in record.rationale

    @pytest.mark.parametrize(
        ("option", "outcome"),
        [
            ("A", 'Chosen option: "A", because x.'),
            ("A", "Chosen option: A, because x."),
            ("A", "Chosen option: **A**"),
            ("A", "**Chosen option:** “A”, because x."),
            ("A", "* Selected option: 'A'."),
            ("Use `x`", 'Chosen option: "Use x", because y.'),
            ("A – the first of all", 'Chosen option: "A", because x.'),
            ("A: the first", 'Chosen option: "A", because x.'),
            ("A", "Chosen option: \"A\" (the first), because x."),
            ("Neutral, because …", 'Chosen option: "Neutral, because …", because x'),
            ("Say \"yes\" to all", 'Chosen option: "Say \'yes\' to all", because x'),
            ("Say \"x\" and \"y\"", "Chosen option: 'Say \"x\" and \"y\"', because x"),
            ("A rather long option name", 'Chosen option: "A rather\nlong option name", because x'),
        ],
    )  # fmt: skip
    def test_the_chosen_option_is_found_however_it_is_written(
        self, option: str, outcome: str
    ) -> None:
        record = madr(f"* {option}\n* Another\n* A third", outcome)
        assert list(said(record)) == ["Another", "A third"]

    def test_who_does_not_know_what_was_chosen_rejects_nothing(self) -> None:
        for outcome in ('Chosen option: "Z", because x', "We took the usual one."):
            record = madr("* A\n* B", outcome)
            assert record.rejected == []
            assert "* A" in record.rationale
            assert "2 options stay in the rationale" in record.warnings[0]

    def test_options_as_headings(self) -> None:
        record = madr("### A\n\ngood\n\n### B\n\nbad\n\n#### More\n\nmore", 'Chosen option: "A"')
        assert said(record) == {"B": "bad\n\n#### More\n\nmore"}

    def test_options_with_lists_below_them(self) -> None:
        record = madr("1. A\n2. B goes\n   on\n   - bad\n   - worse", 'Chosen option: "A"')
        assert said(record) == {"B goes on": "- bad\n- worse"}

    def test_only_argued_never_listed(self) -> None:
        text = '# T\n\n## Decision Outcome\n\nChosen option: "A"\n\n## Pros and Cons of the Options\n\n'
        record = adr_record.read(text + "### A\n\na\n\n### B\n\nb", "0001-t.md")
        assert said(record) == {"B": "b"}

    def test_alternatives_considered_are_all_rejected(self) -> None:
        text = (
            NYGARD.format(status="Accepted")
            + "\n## Alternatives considered\n\n* A: too slow\n* B\n"
        )
        assert said(adr_record.read(text, "0007-x.md")) == {"A": "too slow", "B": ""}


class TestMarkdown:
    def test_comments_are_left_out_but_not_from_code(self) -> None:
        text = (
            "a <!-- b --> c\n<!--\nd\n-->\n`<!-- e -->`\n```\n<!-- f -->\n```\ng <!-- never closed"
        )
        lines = adr_markdown.parse(text).sections[0].lines
        assert lines == [
            "a  c",
            "`<!-- e -->`",
            "```",
            "<!-- f -->",
            "```",
            "g ",
            "<!-- never closed",
        ]

    def test_a_rule_is_no_heading_and_a_list_no_title(self) -> None:
        text = "* item\n---\n\n---\n\npara\ngoes on\n---\n\nReal\n----\n"
        headings = [one.heading for one in adr_markdown.parse(text).sections if one.level]
        assert headings == ["Real"]

    def test_a_dashed_first_line_without_an_end_is_no_front_matter(self) -> None:
        assert adr_markdown.parse("---\nstatus: x\n").front == {}

    def test_plain_words(self) -> None:
        assert adr_markdown.plain("**A** [b](c) `[d]` ![e](f) <http://g> *h* 2*3*4") == (
            "A b [d] e http://g h 2*3*4"
        )

    def test_links(self) -> None:
        text = '[a](b.md "t") ![i](i.png) [c](<d e.md>) [f](g_(h).md) [n] [m][r]'
        assert adr_markdown.links(text) == [("a", "b.md"), ("c", "d e.md"), ("f", "g_(h).md")]

    def test_options_match_only_one(self) -> None:
        options = [adr_options.Option("A, one", ""), adr_options.Option("A, two", "")]
        assert adr_options.match("A", options) is None


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2017-06-30", "2017-06-30"), ("2017/6/3", "2017-06-03"), ("[2021-03-12]", "2021-03-12"),
        ("2017-06-30T10:00:00Z", "2017-06-30"), ("20170630", "2017-06-30"), ("30 June 2017", "2017-06-30"),
        ("June 30th, 2017", "2017-06-30"), ("1st Sept. 2017", "2017-09-01"),
        ("01/02/2017", None), ("2017-13-01", None), ("2017-02-30", None), ("soon", None), ("", None),
        ("{YYYY-MM-DD}", None), ("30 Nonember 2017", None),
    ],
)  # fmt: skip
def test_dates(written: str, date: str | None) -> None:
    assert adr_dates.read(written) == date


def test_a_date_that_cannot_be_read_is_named() -> None:
    record = adr_record.read(
        NYGARD.replace("2020-03-04", "01/02/2017").format(status="Accepted"), "7-x.md"
    )
    assert record.date is None
    assert "01/02/2017" in record.warnings[0]


class TestOtherThings:
    @pytest.mark.parametrize(
        ("file", "text"),
        [
            ("adr-template.md", NYGARD),
            ("0000-template.md", NYGARD),
            ("0001-x.md", "# {short title}\n\n## Decision\n\nx"),
            ("index.md", "# Decisions\n\nThe list."),
            ("README.md", "# About\n\n## Usage\n\nx"),
        ],
    )
    def test_what_is_no_record(self, file: str, text: str) -> None:
        with pytest.raises(NotARecord):
            adr_record.read(text, file)

    @pytest.mark.parametrize("text", ["", " \n\t\n", "\ufeff", "just words", "# Only a title\n"])
    def test_what_cannot_be_read_as_one(self, text: str) -> None:
        with pytest.raises(Unreadable):
            adr_record.read(text, "0001-x.md")

    def test_a_record_without_a_number_is_one_if_it_decides(self) -> None:
        assert adr_record.read("# X\n\n## Decision\n\ny", "x.md").number is None


def test_the_samples_read_as_they_are_meant() -> None:
    standings = {}
    for path in sorted(SAMPLES.glob("0*.md")):
        record = adr_record.read(path.read_text(), path.name)
        assert record.date
        assert record.warnings == []
        standings[path.name[:4]] = record.standing
    assert standings == {
        "0001": "adopted", "0002": "superseded", "0003": "adopted", "0004": "rejected",
        "0005": "adopted", "0006": "deprecated", "0007": "note", "0008": "adopted",
    }  # fmt: skip
