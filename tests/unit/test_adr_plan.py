"""From a folder to a plan: links from either end, the order of recording, limits, and hostile files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.unit.client_support import SAMPLES, git  # isort: split

from precedent_client import adr_apply, adr_plan, canonical
from precedent_client.faults import Usage

Folder = Path


def record(title: str, status: str = "Accepted", text: str = "What.") -> str:
    return f"# {title}\n\nDate: 2020-01-02\n\n## Status\n\n{status}\n\n## Decision\n\n{text}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    found = tmp_path / "shop" / "docs" / "adr"
    found.mkdir(parents=True)
    return found


def plan(folder: Folder, **files: str | bytes) -> dict[str, Any]:
    """Write the files (`n1_x` becomes `1-x.md`) and plan their import."""
    for name, text in files.items():
        path = folder / f"{name[1:].replace('_', '-')}.md"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return adr_plan.make(str(folder), None)


def entry(plan: dict[str, Any], name: str) -> dict[str, Any]:
    found = next(one for one in plan["entries"] if one["name"] == name)
    assert isinstance(found, dict)
    return found


def names(plan: dict[str, Any]) -> list[str]:
    return [one["name"] for one in plan["entries"]]


def refs(plan: dict[str, Any], name: str) -> list[tuple[str, str]]:
    return [(ref["rel"], ref["url"]) for ref in entry(plan, name)["decision"]["refs"]]


class TestDecision:
    def test_a_file_becomes_a_decision_on_its_topic_and_its_repository(
        self, folder: Folder
    ) -> None:
        found = entry(plan(folder, n0001_x=record("1. Keep it")), "0001-x.md")["decision"]
        assert found == {
            "title": "Keep it",
            "rationale": "## Decision\n\nWhat.",
            "outcome": "adopted",
            "mutations": [
                {"op": "upsert_element", "kind": "topic", "name": "Keep it"},
                {"op": "upsert_element", "kind": "repository", "name": "shop"},
            ],
            "refs": [{"rel": "adr", "url": "0001-x.md"}],
            "date": "2020-01-02",
        }

    def test_in_a_repository_the_path_starts_at_its_root(self, folder: Folder) -> None:
        git(folder.parent.parent, "init", "-q")
        git(folder.parent.parent, "remote", "add", "origin", "git@example.com:acme/the-shop.git")
        found = plan(folder, n1_x=record("X", "Accepted\n\nAmends [y](2-y.md)"), n2_y=record("Y"))
        assert refs(found, "1-x.md") == [("adr", "docs/adr/1-x.md"), ("amends", "docs/adr/2-y.md")]
        assert found["repository"] == "the-shop"

    def test_every_decision_of_a_plan_is_valid_to_the_service(self) -> None:
        from precedent import decision

        made = adr_plan.make(str(SAMPLES), "shop")
        ids = {one["name"]: one["id"] for one in made["entries"]}
        for one in made["entries"]:
            sent = adr_plan.with_ids(one["decision"], ids)
            assert decision.parse(sent).id == one["id"]


class TestSuperseding:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Superseded by [2. New](2-new.md)", "Accepted"),
            ("Accepted", "Accepted\n\nSupersedes [1. Old](1-old.md)"),
            ("Superseded by [2. New](2-new.md)", "Accepted\n\nSupersedes [1. Old](1-old.md)"),
            ("Superseded by ADR-0002", "Accepted"),
            ("Superseded by [moved](../elsewhere/2-new.md#decision)", "Accepted"),
            (
                "Superseded by [on the forge](https://example.com/x/blob/main/adr/2-new.md)",
                "Accepted",
            ),
            ("Superseded by [old name](2-name-of-old.md)", "Accepted"),
            ("Superseded by [2. New](2-new.md)", "Pending"),
        ],
    )
    def test_it_is_found_from_either_end(self, folder: Folder, old: str, new: str) -> None:
        found = plan(folder, n1_old=record("Old", old), n2_new=record("New", new))
        assert entry(found, "2-new.md")["decision"]["supersedes"] == ["1-old.md"]
        assert names(found) == ["1-old.md", "2-new.md"]
        assert entry(found, "1-old.md")["decision"]["outcome"] == "adopted"
        assert refs(found, "1-old.md") == [("adr", "1-old.md")]

    def test_its_status_is_no_part_of_a_superseded_records_id(self, folder: Folder) -> None:
        before = entry(plan(folder, n1_old=record("Old")), "1-old.md")["id"]
        status = "Superseded by [2. New](2-new.md)"
        after = plan(folder, n1_old=record("Old", status), n2_new=record("New"))
        assert entry(after, "1-old.md")["id"] == before

    def test_what_is_superseded_comes_first_whatever_the_names_say(self, folder: Folder) -> None:
        old = record("Old", "Superseded by [1](1-new.md)")
        found = plan(folder, n1_new=record("New"), n2_x=record("X"), n3_old=old)
        assert names(found) == ["2-x.md", "3-old.md", "1-new.md"]
        assert any("1-new.md comes after later files" in note for note in found["notes"])

    def test_a_proposal_has_not_superseded_anything_yet(self, folder: Folder) -> None:
        new = record("New", "Proposed\n\nSupersedes [1](1-old.md)")
        found = plan(folder, n1_old=record("Old"), n2_new=new)
        assert "supersedes" not in entry(found, "2-new.md")["decision"]
        assert ("supersedes", "1-old.md") in refs(found, "2-new.md")

    def test_a_circle_is_broken_and_told(self, folder: Folder) -> None:
        found = plan(
            folder,
            n1_a=record("A", "Superseded by [b](2-b.md)"),
            n2_b=record("B", "Superseded by [a](1-a.md)"),
        )
        assert entry(found, "2-b.md")["decision"]["supersedes"] == ["1-a.md"]
        assert "supersedes" not in entry(found, "1-a.md")["decision"]
        assert any("circle" in text for text in entry(found, "1-a.md")["warnings"])

    def test_a_record_that_names_itself_is_told(self, folder: Folder) -> None:
        found = plan(folder, n1_a=record("A", "Superseded by [a](1-a.md)"))
        assert any("of itself" in text for text in entry(found, "1-a.md")["warnings"])

    def test_a_long_chain_backwards_is_put_in_order(self, folder: Folder) -> None:
        count = 1200
        files = {
            f"n{n}_x": record(f"T{n}", f"Superseded by [x]({n - 1}-x.md)" if n > 1 else "Accepted")
            for n in range(1, count + 1)
        }
        assert names(plan(folder, **files)) == [f"{n}-x.md" for n in range(count, 0, -1)]


class TestOutOfForce:
    """A record that says it is out of force, with nothing here to take it out, is withdrawn by a note."""

    @pytest.mark.parametrize(
        "status",
        ["Deprecated", "Superseded", "Superseded by [x](0099-gone.md)", "Superseded by ADR-99"],
    )
    def test_it_is_recorded_and_then_withdrawn(self, folder: Folder, status: str) -> None:
        found = plan(folder, n1_a=record("A", status))
        assert names(found) == ["1-a.md", "1-a.md#withdrawn"]
        note = entry(found, "1-a.md#withdrawn")["decision"]
        assert (note["outcome"], note["supersedes"]) == ("note", ["1-a.md"])
        assert note["title"] == "No longer in force: A"
        assert status.split()[0] in note["rationale"]
        assert any("without a successor" in text for text in entry(found, "1-a.md")["warnings"])

    def test_deprecated_with_a_successor_needs_no_note(self, folder: Folder) -> None:
        found = plan(
            folder,
            n1_a=record("A", "Deprecated"),
            n2_b=record("B", "Accepted\n\nSupersedes [a](1-a.md)"),
        )
        assert names(found) == ["1-a.md", "2-b.md"]

    def test_a_link_that_leads_nowhere_is_kept_and_told(self, folder: Folder) -> None:
        found = plan(folder, n1_a=record("A", "Superseded by [x](0099-gone.md)"))
        assert ("superseded-by", "0099-gone.md") in refs(found, "1-a.md")
        assert any("leads to no record" in text for text in entry(found, "1-a.md")["warnings"])

    def test_a_number_two_files_have_means_neither(self, folder: Folder) -> None:
        found = plan(
            folder, n1_a=record("A", "Superseded by ADR-2"), n2_b=record("B"), n2_c=record("C")
        )
        assert "1-a.md#withdrawn" in names(found)
        assert "2 files have the number 2: 2-b.md, 2-c.md" in found["notes"]


class TestOnlyReferences:
    def test_amending_and_partly_superseding_take_nothing_out_of_force(
        self, folder: Folder
    ) -> None:
        found = plan(
            folder,
            n1_a=record("A", "Partly superseded by [b](2-b.md)"),
            n2_b=record("B", "Accepted\n\nAmends [a](1-a.md)\n\nSupersedes in part [a](1-a.md)"),
        )
        assert refs(found, "1-a.md")[1:] == [("partly-superseded-by", "2-b.md")]
        assert refs(found, "2-b.md")[1:] == [("amends", "1-a.md"), ("partly-supersedes", "1-a.md")]
        assert all("supersedes" not in one["decision"] for one in found["entries"])
        assert (
            "kept as a reference only: amends, partly-supersedes"
            in entry(found, "2-b.md")["warnings"]
        )

    def test_partly_superseded_by_nobody_knows_what_is_told(self, folder: Folder) -> None:
        found = plan(folder, n1_a=record("A", "Partly superseded"))
        assert any("does not say by what" in text for text in entry(found, "1-a.md")["warnings"])


class TestLimits:
    def test_a_long_rationale_is_cut_at_a_word_and_says_where_the_rest_is(
        self, folder: Folder
    ) -> None:
        found = entry(plan(folder, n1_a=record("A", text="word " * 5000)), "1-a.md")
        rationale = found["decision"]["rationale"]
        assert len(rationale) <= 8000
        assert rationale.endswith("word … (cut; the whole is in 1-a.md)")
        assert any("the rationale is cut: 25" in text for text in found["warnings"])

    @pytest.mark.parametrize("length", [199, 200, 201, 5000])
    def test_a_long_title_is_cut(self, folder: Folder, length: int) -> None:
        found = entry(plan(folder, n1_a=record("é" * length)), "1-a.md")
        assert len(found["decision"]["title"]) == min(length, 200)
        assert bool(found["warnings"]) == (length > 200)

    def test_more_than_20_alternatives(self, folder: Folder) -> None:
        options = "\n".join(f"* Option {n}" for n in range(30)) + "\n* " + "long " * 400
        text = f'x\n\nChosen option: "Option 0"\n\n## Considered Options\n\n{options}'
        found = entry(plan(folder, n1_a=record("A", text=text)), "1-a.md")
        assert len(found["decision"]["rejected"]) == 20
        assert any("10 rejected alternatives past 20 left out" in one for one in found["warnings"])

    def test_a_long_argument_is_cut(self, folder: Folder) -> None:
        text = 'x\n\nChosen option: "A"\n\n## Options\n\n* A\n* B\n  * ' + "bad " * 600
        found = entry(plan(folder, n1_a=record("A", text=text)), "1-a.md")
        assert len(found["decision"]["rejected"][0]["reason"]) <= 1000
        assert any("“B” is cut" in one for one in found["warnings"])


class TestFiles:
    def test_hostile_ones_are_named_with_the_reason_and_stop_nothing(self, folder: Folder) -> None:
        (folder / "LICENCE").write_text("Do as you like.")
        (folder / "7-pipe.md").symlink_to("/dev/zero")
        (folder / "8-out.md").symlink_to(__file__)
        (folder / "9-dangling.md").symlink_to("nowhere.md")
        (folder / ".hidden.md").write_text(record("Hidden"))
        found = plan(
            folder,
            n1_empty="",
            n2_binary=b"# X\n\0\n",
            n3_latin="# Caf\xe9".encode("latin-1"),
            n4_big=b"# Big\n\n" + b"x" * (1024 * 1024),
            n5_crlf=record("CRLF", "Rejected").replace("\n", "\r\n"),
            n6_bom=b"\xef\xbb\xbf" + record("BOM").encode(),
            nREADME="# About\n",
        )
        reasons = {one["file"]: one["reason"] for one in found["unread"]}
        assert list(reasons) == [
            "1-empty.md", "2-binary.md", "3-latin.md", "4-big.md", "7-pipe.md", "8-out.md", "9-dangling.md",
        ]  # fmt: skip
        for name, word in zip(
            reasons,
            ("empty", "binary", "not UTF-8", "1 MiB", "out of the folder", "out of the folder", ""),
            strict=True,
        ):
            assert word in reasons[name]
        assert {one["file"] for one in found["skipped"]} == {"LICENCE", "README.md"}
        assert entry(found, "5-crlf.md")["decision"]["outcome"] == "rejected"
        assert entry(found, "6-bom.md")["decision"]["title"] == "BOM"
        assert found["counts"]["unread"] == 7
        assert ".hidden.md" not in str(found)

    @pytest.mark.parametrize(
        "text",
        ["[" * 200_000, "[a](" * 50_000, "`" * 200_000, "<!--" * 50_000, "* " * 100_000, "#" * 200_000,
         "* a\n" * 50_000, "superseded by " * 15_000, "---\n" * 50_000, '"' * 200_000, "**" * 100_000],
        ids=lambda text: repr(text[:8]),
    )  # fmt: skip
    def test_two_hundred_kilobytes_of_anything_are_read(self, folder: Folder, text: str) -> None:
        body = f'Chosen option: "{text[:100_000]}\n\n{text}\n\n## Considered Options\n\n* {text[:50_000]}'
        found = plan(folder, n1_a=record("A", text=body), n2_b="# T\n\n## Status\n\n" + text)
        assert names(found)[0] == "1-a.md"

    def test_folders_below_are_read_in_the_order_of_their_names(self, folder: Folder) -> None:
        (folder / "api").mkdir()
        (folder / "api" / "1-x.md").write_text(record("X", "Accepted\n\nAmends [y](../2-y.md)"))
        found = plan(folder, n2_y=record("Y"), n10_z=record("Z"))
        assert names(found) == ["2-y.md", "10-z.md", "api/1-x.md"]
        assert ("amends", "2-y.md") in refs(found, "api/1-x.md")

    def test_a_name_that_is_not_utf_8_can_be_written_down(self, folder: Folder) -> None:
        raw = os.fsencode(folder) + b"/1-\xff.md"
        try:
            with open(raw, "wb") as file:
                file.write(record("A").encode())
        except OSError:
            pytest.skip("this file system has no such names")
        found = plan(folder)
        assert names(found) == ["1-\\xff.md"]
        canonical.dumps(found["entries"][0]["decision"])

    def test_a_folder_without_records_is_a_mistake(self, folder: Folder) -> None:
        with pytest.raises(Usage, match="holds no decision records"):
            plan(folder, nREADME="# About\n")
        with pytest.raises(Usage, match="not a folder"):
            adr_plan.make(str(folder / "nowhere"), None)

    def test_gaps_in_the_numbers_are_named(self, folder: Folder) -> None:
        found = plan(folder, n1_a=record("A"), n4_b=record("B"))
        assert "no file has the number 2, 3" in found["notes"]


class TestApply:
    """A plan that was edited is taken as it is, and checked."""

    @pytest.fixture
    def made(self, folder: Folder) -> dict[str, Any]:
        return plan(
            folder, n1_old=record("Old", "Superseded by [n](2-new.md)"), n2_new=record("New")
        )

    def test_unedited_it_gives_the_same_ids(self, made: dict[str, Any]) -> None:
        before = [(one["name"], one["id"]) for one in made["entries"]]
        assert [(one["name"], one["id"]) for one in adr_apply.entries_of(made)] == before

    @pytest.mark.parametrize("by", ["name", "id"])
    def test_an_edited_title_breaks_no_link(self, made: dict[str, Any], by: str) -> None:
        old, new = made["entries"]
        stale = old["id"]
        new["decision"]["supersedes"] = [old[by]]
        old["decision"]["title"] = "Older"
        first, second = adr_apply.entries_of(made)
        assert first["id"] != stale
        ids = {first["name"]: first["id"]}
        assert adr_plan.with_ids(second["decision"], ids)["supersedes"] == [first["id"]]

    def test_entries_may_be_put_in_any_order(self, made: dict[str, Any]) -> None:
        made["entries"].reverse()
        assert [one["name"] for one in adr_apply.entries_of(made)] == ["1-old.md", "2-new.md"]

    def test_an_id_from_elsewhere_stays(self, made: dict[str, Any]) -> None:
        made["entries"][0]["decision"]["supersedes"] = ["d_" + "a" * 24]
        assert adr_apply.entries_of(made)[0]["decision"]["supersedes"] == ["d_" + "a" * 24]

    @pytest.mark.parametrize(
        ("edit", "said"),
        [
            (lambda plan: plan.update(entries=[]), "no entries"),
            (lambda plan: plan.update(entries=[3]), "Entry 0 of the plan: needs a name"),
            (lambda plan: plan["entries"].append(plan["entries"][0]), "two entries named"),
            (lambda plan: plan["entries"].pop(0), "supersedes 1-old.md, which is neither"),
            (lambda plan: plan["entries"][0].pop("decision"), "needs a decision"),
            (lambda plan: plan["entries"][0]["decision"].update(title=" "), "needs a title"),
            (
                lambda plan: plan["entries"][0]["decision"].update(title="x" * 201),
                "201 code points",
            ),
            (
                lambda plan: plan["entries"][0]["decision"].update(ratoinale="x"),
                "no member ratoinale",
            ),
            (
                lambda plan: plan["entries"][0]["decision"].update(outcome="done"),
                "adopted, rejected or note",
            ),
            (lambda plan: plan["entries"][0]["decision"].update(mutations=[]), "names no element"),
            (lambda plan: plan["entries"][0]["decision"].update(refs="x"), "list of objects"),
            (
                lambda plan: plan["entries"][0]["decision"].update(rationale="\ud800"),
                "canonical JSON",
            ),
            (lambda plan: plan["entries"][0]["decision"].update(supersedes=["2-new.md"]), "circle"),
            (lambda plan: plan["entries"][0]["decision"].update(supersedes=[3]), "names or ids"),
        ],
    )
    def test_what_is_wrong_is_named(self, made: dict[str, Any], edit: Any, said: str) -> None:
        edit(made)
        with pytest.raises(Usage, match=said):
            adr_apply.entries_of(made)


@pytest.mark.parametrize("title", ["t" * 300, "…" * 150, "ﷺ" * 200, " x " * 100, "short"])
def test_an_elements_name_is_within_its_limit_once_normalised(title):
    name = adr_plan.element_name(title)
    assert 0 < len(canonical.normalised(name)) <= adr_plan.TITLE
    assert title.strip().startswith(name)
