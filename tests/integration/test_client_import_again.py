"""A record is its file: an import of what changed since replaces what was imported from the same file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .people import Person, Team

OLD = "# Orders in MySQL\n\n## Status\n\n{status}\n\n## Decision\n\nMySQL{text}.\n"
NEW = "# Orders in PostgreSQL\n\n## Status\n\nAccepted\n\n{link}\n\n## Decision\n\nPostgreSQL{text}.\n"
LINK = "Supersedes [Orders in MySQL](0001-orders-in-mysql.md)"
MYSQL, POSTGRESQL = "topic:Orders in MySQL", "topic:Orders in PostgreSQL"


class Folder:
    """A folder of records, imported by one person after another."""

    def __init__(self, team: Team) -> None:
        self.path = team.folder / "adr"
        self.path.mkdir()
        self.alice, self.bob = team.join("alice"), team.join("bob")
        self.old(), self.new()

    def old(self, status: str = "Accepted", text: str = "") -> None:
        (self.path / "0001-orders-in-mysql.md").write_text(OLD.format(status=status, text=text))

    def new(self, link: str = "", text: str = "") -> None:
        (self.path / "0002-orders-in-postgresql.md").write_text(NEW.format(link=link, text=text))

    @property
    def words(self) -> tuple[str, ...]:
        return ("import", "adr", str(self.path), "--repository", "shop")

    def imported(self, person: Person | None = None) -> Any:
        """The answer of an import, without what wrote nothing."""
        answer = (person or self.alice).got(*self.words)
        assert answer["conflicts"] == []
        written = [one["name"] for one in answer["results"] if one["status"] == "recorded"]
        return {**answer, "written": written}

    def settled(self) -> bool:
        """Whether whoever imports now changes nothing."""
        before = self.alice.got("digest")
        answers = [self.imported(person) for person in (self.alice, self.bob)]
        return self.alice.got("digest") == before and not any(one["written"] for one in answers)


@pytest.fixture
def folder(stack: Any, tmp_path: Path) -> Folder:
    folder = Folder(Team(stack, stack.new_name("shop"), tmp_path))
    assert folder.imported()["counts"] == {"recorded": 2}
    return folder


def test_an_edited_record_takes_the_place_of_what_it_was(folder: Folder) -> None:
    [former] = folder.bob.in_force(MYSQL)
    folder.old(text=" 8")
    answer = folder.imported(folder.bob)
    assert answer["counts"] == {"already_in_force": 1, "recorded": 1}
    assert answer["written"] == ["0001-orders-in-mysql.md"]
    assert (
        f"0001-orders-in-mysql.md: changed since it was imported: supersedes {former}"
        in answer["warnings"]
    )
    [later] = folder.bob.in_force(MYSQL)
    assert folder.bob.got("show", later)["decision"]["supersedes"] == [former]
    assert folder.bob.got("show", former)["displaced_by"] == [later]
    assert folder.settled()
    assert folder.bob.in_force(MYSQL) == [later]


def test_edited_twice_and_by_two_people(folder: Folder) -> None:
    for number, person in enumerate((folder.alice, folder.bob)):
        folder.old(text=f" {number}")
        assert len(folder.imported(person)["written"]) == 1
        assert len(person.in_force(MYSQL)) == 1
    assert folder.settled()


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [("Pending", "Accepted", "adopted"), ("Accepted", "Rejected", "rejected"),
     ("Proposed", "Rejected", "rejected")],
)  # fmt: skip
def test_a_status_that_changed_is_a_decision_that_changed(
    folder: Folder, before: str, after: str, outcome: str
) -> None:
    folder.old(status=before, text=" 8")
    folder.imported()
    folder.old(status=after, text=" 8")
    assert folder.imported()["written"] == ["0001-orders-in-mysql.md"]
    decisions = folder.bob.got("recall", "--element", MYSQL)["decisions"]
    assert [one["outcome"] for one in decisions.values()] == [outcome]
    assert folder.settled()


def test_a_link_that_came_later_is_followed(folder: Folder) -> None:
    folder.new(link=LINK)
    assert folder.imported()["written"] == ["0002-orders-in-postgresql.md"]
    assert folder.bob.in_force(MYSQL) == []
    assert len(folder.bob.in_force(POSTGRESQL)) == 1
    assert folder.settled()


def test_what_was_superseded_and_edited_then_stays_as_it_was(folder: Folder) -> None:
    folder.new(link=LINK)
    folder.imported()
    before = folder.alice.got("digest")
    folder.old(text=", long ago")
    answer = folder.imported()
    assert answer["written"] == []
    assert [one["file"] for one in answer["kept"]] == ["0001-orders-in-mysql.md"]
    assert folder.alice.got("digest") == before
    assert folder.bob.in_force(MYSQL) == []


def test_both_edited_one_superseding_the_other(folder: Folder) -> None:
    folder.new(link=LINK)
    folder.imported()
    folder.old(text=", long ago")
    folder.new(link=LINK, text=" 17")
    assert folder.imported()["written"] == ["0002-orders-in-postgresql.md"]
    assert folder.bob.in_force(MYSQL) == []
    assert len(folder.bob.in_force(POSTGRESQL)) == 1
    assert folder.settled()


def test_given_up_it_is_withdrawn_once(folder: Folder) -> None:
    folder.old(status="Deprecated")
    assert folder.imported()["written"] == ["0001-orders-in-mysql.md#withdrawn"]
    [note] = folder.bob.in_force(MYSQL)
    assert folder.bob.got("show", note)["decision"]["outcome"] == "note"
    assert folder.settled()
    folder.old(status="Deprecated", text=", once")
    answer = folder.imported()
    assert (answer["written"], len(answer["kept"])) == ([], 1)
    assert folder.bob.in_force(MYSQL) == [note]


def test_taken_up_again_in_other_words_it_replaces_the_note(folder: Folder) -> None:
    folder.old(status="Deprecated")
    folder.imported()
    folder.old(text=" after all")
    assert folder.imported()["written"] == ["0001-orders-in-mysql.md"]
    [again] = folder.bob.in_force(MYSQL)
    assert folder.bob.got("show", again)["decision"]["outcome"] == "adopted"
    assert folder.settled()


def test_an_old_checkout_turns_nothing_back(folder: Folder) -> None:
    folder.old(text=" 8")
    folder.imported()
    [current] = folder.alice.in_force(MYSQL)
    folder.old()
    answer = folder.imported(folder.bob)
    assert answer["counts"] == {"already_in_force": 1, "already_superseded": 1}
    assert any("had this text before" in warning for warning in answer["warnings"])
    assert folder.alice.in_force(MYSQL) == [current]


def test_the_same_file_name_in_another_repository_is_another_record(folder: Folder) -> None:
    folder.old(text=" 8")
    other = folder.bob.got("import", "adr", str(folder.path), "--repository", "other")
    assert other["counts"] == {"recorded": 2}
    assert len(folder.bob.in_force(MYSQL)) == 2


def test_a_file_that_is_gone_is_told(folder: Folder) -> None:
    (folder.path / "0001-orders-in-mysql.md").unlink()
    answer = folder.imported()
    assert any("0001-orders-in-mysql.md is not here any more" in note for note in answer["notes"])


def test_a_plan_shows_it_and_records_it(folder: Folder, tmp_path: Path) -> None:
    [former] = folder.alice.in_force(MYSQL)
    folder.old(text=" 8")
    done = folder.alice(*folder.words, "--plan")
    assert "0 new, 1 changed since they were imported, 1 recorded already" in done.err
    entries = {entry["name"]: entry for entry in done.json["entries"]}
    assert entries["0001-orders-in-mysql.md"]["decision"]["supersedes"] == [former]
    assert entries["0002-orders-in-postgresql.md"]["known"] is True
    path = tmp_path / "plan.json"
    path.write_text(done.out)
    applied = folder.bob.got("import", "adr", "--apply", str(path))
    assert applied["counts"] == {"already_in_force": 1, "recorded": 1}
    assert folder.settled()
