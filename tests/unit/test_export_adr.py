"""`precedent export --adr`: records that other tools read, and that come back without changing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.client_support import CLIENT  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import (
    adr_former,
    adr_plan,
    adr_send,
    export_adr,
    export_folder,
    file_names,
    log_file,
)
from precedent_client.faults import Refused

from tests.unit.in_process import InProcess
from tests.unit.served import CALLER, PROJECT, Service, service

assert CLIENT
HOSTILE = "../../etc/passwd\n---\nstatus: rejected\n# x \x1b[31m \u202e ](evil) <!-- ``` con"
WHOSE = {"format": "precedent-adr/1", "tenant": "acme", "project": "shop"}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


def sets(value: object, title: str, **fields: Any) -> dict[str, Any]:
    mutation = {"op": "set_prop", "element": "feature:search", "key": "engine", "value": value}
    return {"title": title, "mutations": [mutation], **fields}


def record(served: Service, decision: dict[str, Any], **request: Any) -> str:
    sent = {"decision": decision, "on_unseen": "branch", **request}
    answer = served.ask("append", "POST", PROJECT + "/decisions", body=sent, authorizer=CALLER)
    assert answer.status == 201, answer
    return str(answer.body["results"][0]["id"])


@pytest.fixture
def story(served: Service) -> dict[str, str]:
    postgres = record(served, sets("postgres", "Search runs on Postgres", rationale="One store."))
    rejected = [{"option": "SQLite", "reason": "One writer."}]
    elastic = record(
        served,
        sets("elastic", "Elastic", supersedes=[postgres], rejected=rejected, date="2026-02-03"),
    )
    dead = {**sets("x", "No gateway", outcome="rejected"), "rationale": "## Context\n\nTried."}
    gateway = record(served, dead)
    hostile = record(served, sets(HOSTILE, HOSTILE, rationale=HOSTILE, outcome="note"))
    return {"postgres": postgres, "elastic": elastic, "gateway": gateway, "hostile": hostile}


def files(served: Service, project: str = "shop") -> dict[str, bytes]:
    return export_adr.files(log_file.fetch(InProcess(served, project), lambda _: None).state())


def import_again(served: Service, folder: Path, project: str = "shop") -> dict[str, Any]:
    there = InProcess(served, project)
    plan = adr_plan.make(str(folder), "shop")
    adr_former.look_up(there, plan)
    outcome = adr_send.send(there, plan["entries"], None, lambda _: None)
    assert outcome.stopped is None
    statuses = {one["name"]: one["status"] for one in outcome.results}
    return {**plan, "statuses": statuses}


def digest(served: Service) -> str:
    return str(InProcess(served).get_of_project("/digest").body["digest"])


def test_superseded_ones_are_marked_and_links_are_kept(served: Service, story: Any) -> None:
    found = files(served)
    names = list(found)
    assert names[0] == "0001-search-runs-on-postgres.md"
    first, second, third, fourth = (found[name].decode() for name in names)
    assert f"status: superseded by [ADR-0002]({names[1]})" in first
    assert f"* Supersedes [ADR-0001]({names[0]})" in second
    assert "date: 2026-02-03\n" in second
    assert "### SQLite\n\nOne writer." in second
    assert "status: rejected\n" in third
    assert "status: proposed\n" in fourth
    assert all(f"precedent: {one}" in text for one, text in zip(story.values(), found.values(), strict=True)
               for text in [text.decode()])  # fmt: skip


def test_the_same_store_makes_the_same_bytes_and_names_that_stay_in_the_folder(
    served: Service, story: Any
) -> None:
    found = files(served)
    assert files(served) == found
    for name, raw in found.items():
        assert "/" not in name
        assert not name.startswith(".")
        assert "\x1b" not in raw.decode()
        assert "\u202e" not in raw.decode()


def test_importing_it_again_records_nothing(served: Service, story: Any, tmp_path: Path) -> None:
    before = digest(served)
    export_folder.write(str(tmp_path / "adr"), WHOSE, files(served), force=False)
    again = import_again(served, tmp_path / "adr")
    assert again["entries"] == []
    assert len(again["kept"]) == 4
    assert digest(served) == before
    checked_out = tmp_path / "adr" / "0001-search-runs-on-postgres.md"
    checked_out.write_bytes(checked_out.read_bytes().replace(b"\n", b"\r\n"))
    assert import_again(served, tmp_path / "adr")["entries"] == []


def test_what_was_edited_supersedes_what_it_was_and_keeps_what_it_sets(
    served: Service, story: Any, tmp_path: Path
) -> None:
    export_folder.write(str(tmp_path), WHOSE, files(served), force=False)
    path = tmp_path / "0002-elastic.md"
    path.write_text(path.read_text().replace("# Elastic\n", "# Elastic, measured\n"))
    again = import_again(served, tmp_path)
    (status,) = again["statuses"].values()
    assert status == "recorded"
    shown = InProcess(served).get_of_project(f"/decisions/{story['elastic']}").body
    assert (shown["in_force"], len(shown["displaced_by"])) == (False, 1)
    edited = InProcess(served).get_of_project(f"/decisions/{shown['displaced_by'][0]}").body
    assert edited["decision"]["title"] == "Elastic, measured"
    assert "feature:search.engine" in edited["holds"]
    before = digest(served)
    assert set(import_again(served, tmp_path)["statuses"].values()) <= {"already_in_force"}
    assert digest(served) == before
    path.write_text(path.read_text().replace("measured", "measured twice"))
    assert list(import_again(served, tmp_path)["statuses"].values()) == ["recorded"]


def test_an_edited_record_of_what_was_superseded_is_named_and_left(
    served: Service, story: Any, tmp_path: Path
) -> None:
    export_folder.write(str(tmp_path), WHOSE, files(served), force=False)
    path = tmp_path / "0001-search-runs-on-postgres.md"
    path.write_text(path.read_text().replace("One store.", "One store, again."))
    again = import_again(served, tmp_path)
    assert again["entries"] == []
    assert "its text changed after" in str(again["kept"])


def test_another_project_takes_it_as_any_records(
    served: Service, story: Any, tmp_path: Path
) -> None:
    export_folder.write(str(tmp_path), WHOSE, files(served), force=False)
    found = import_again(served, tmp_path, project="other")
    assert set(found["statuses"].values()) == {"recorded"}
    elastic = next(e for e in found["entries"] if e["name"] == "0002-elastic.md")
    assert {"rel": "precedent", "url": story["elastic"]} in elastic["decision"]["refs"]
    assert len(elastic["decision"]["supersedes"]) == 1


# ------------------------------------------------------------------------------ the folder


def test_a_folder_of_somebodys_own_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("mine")
    with pytest.raises(Refused, match="no earlier export"):
        export_folder.write(str(tmp_path), WHOSE, {"a.md": b"a"}, force=False)
    assert sorted([each.name for each in tmp_path.iterdir()]) == ["mine.md"]
    export_folder.write(str(tmp_path), WHOSE, {"a.md": b"a"}, force=True)
    assert (tmp_path / "mine.md").read_text() == "mine"


def test_an_earlier_export_is_replaced_and_what_stands_beside_it_stays(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    export_folder.write(str(folder), WHOSE, {"a.md": b"a", "x/b.md": b"b"}, force=False)
    (folder / "own.txt").write_text("own")
    export_folder.write(str(folder), WHOSE, {"a.md": b"A"}, force=False)
    assert (folder / "a.md").read_bytes() == b"A"
    assert sorted([each.name for each in folder.iterdir()]) == [
        export_folder.MANIFEST,
        "a.md",
        "own.txt",
    ]


def test_what_was_edited_is_not_lost_without_a_word(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    export_folder.write(str(folder), WHOSE, {"a.md": b"a"}, force=False)
    (folder / "a.md").write_text("edited")
    with pytest.raises(Refused, match=r"Edited since they were exported: a\.md"):
        export_folder.write(str(folder), WHOSE, {"a.md": b"A"}, force=False)
    assert (folder / "a.md").read_text() == "edited"
    export_folder.write(str(folder), WHOSE, {"a.md": b"A"}, force=True)
    assert (folder / "a.md").read_bytes() == b"A"


@pytest.mark.parametrize("fails_at", range(5))
def test_cut_short_anywhere_it_is_completed_by_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    folder = tmp_path / "out"
    export_folder.write(str(folder), WHOSE, {"a.md": b"a", "b.md": b"b"}, force=False)
    real, calls = export_folder.durable.write, iter(range(100))

    def failing(path: str, data: bytes) -> None:
        if next(calls) == fails_at:
            raise OSError(28, "No space left on device")
        real(path, data)

    new = {"a.md": b"A", "b.md": b"B", "c.md": b"C"}
    with monkeypatch.context() as patch:
        patch.setattr(export_folder.durable, "write", failing)
        if fails_at < 4:
            with pytest.raises(OSError, match="No space"):
                export_folder.write(str(folder), WHOSE, new, force=False)
    assert all(len(path.read_bytes()) == 1 for path in folder.glob("*.md"))
    export_folder.write(str(folder), WHOSE, new, force=False)
    assert {path.name: path.read_bytes() for path in folder.glob("*.md")} == new


def test_a_fresh_folder_appears_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(path: str, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_folder.durable, "write", failing)
    with pytest.raises(OSError, match="No space"):
        export_folder.write(str(tmp_path / "out"), WHOSE, {"a.md": b"a"}, force=False)
    assert [each.name for each in tmp_path.iterdir()] == []


def test_nothing_is_written_or_removed_outside_of_the_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "out", tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "victim").write_text("v")
    export_folder.write(str(folder), WHOSE, {"a.md": b"a"}, force=False)
    manifest = folder / export_folder.MANIFEST
    manifest.write_text(manifest.read_text().replace('"a.md"', '"../victim"'))
    with pytest.raises(Refused):
        export_folder.write(str(folder), WHOSE, {"a.md": b"A"}, force=True)
    assert (tmp_path / "victim").read_text() == "v"
    (folder / "x").symlink_to(outside)
    with pytest.raises(Refused, match="outside of the folder"):
        export_folder.write(str(folder), WHOSE, {"x/a.md": b"A"}, force=True)
    assert [each.name for each in outside.iterdir()] == []


@settings(max_examples=200)
@given(st.text(max_size=300))
def test_a_files_name_is_one_name_whatever_it_is_made_of(text: str) -> None:
    for name in (file_names.named(text, "el_0123456789abcdef0123"), file_names.slug(text) or "x"):
        assert Path(name).name == name
        assert name not in ("", ".", "..")
        assert not name.startswith((".", "-", " "))
        assert len(name.encode()) <= file_names.LIMIT + 9
        assert name.isprintable()
