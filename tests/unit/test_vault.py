"""A vault, edited: what was edited becomes decisions, and what was decided meanwhile stands beside it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.client_support import CLIENT  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import (
    export_folder,
    export_vault,
    front_matter,
    import_vault,
    log_file,
    moving,
)
from precedent_client.faults import Refused, Usage

from tests.unit.in_process import InProcess
from tests.unit.served import CALLER, PROJECT, Service, service

assert CLIENT
HOSTILE = 'x ]] [[y|z]] %% end %% "q" \\ # \u202e --- : - ../..'
SEARCH = "elements/feature/search.md"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Service:
    return service(monkeypatch)


def sets(key: str, value: object, element: str = "feature:search") -> dict[str, Any]:
    return {"op": "set_prop", "element": element, "key": key, "value": value}


def link(op: str, to: str) -> dict[str, Any]:
    return {"op": op, "from": "feature:search", "link": "USES", "to": to}


def record(served: Service, title: str, *mutations: Any, **request: Any) -> str:
    decision = {"title": title, "mutations": list(mutations), **request.pop("decision", {})}
    sent = {"decision": decision, "on_unseen": "branch", **request}
    answer = served.ask("append", "POST", PROJECT + "/decisions", body=sent, authorizer=CALLER)
    assert answer.status == 201, answer
    return str(answer.body["results"][0]["id"])


@pytest.fixture
def story(served: Service) -> dict[str, str]:
    said = {"rationale": "One store.", "rejected": [{"option": "SQLite", "reason": "One writer."}]}
    paths = sets("paths", ["search/**"])
    pg = record(served, "Postgres", sets("engine", "postgres"), paths, decision=said)
    uses = record(served, "Uses", link("add_link", "service:db"), sets("timeout", 7))
    odd = record(served, HOSTILE, sets(HOSTILE[:60], HOSTILE), decision={"rationale": HOSTILE})
    record(
        served,
        "Gateway",
        sets("x", True, f"odd kind/..:{HOSTILE}"),
        decision={"outcome": "rejected"},
    )
    return {"pg": pg, "uses": uses, "odd": odd}


def export(served: Service, folder: Path, *, force: bool = False) -> dict[str, bytes]:
    found = log_file.fetch(InProcess(served), lambda _: None)
    state = found.state()
    files = export_vault.files(state, found.text(state.digest))
    whose = {"format": "precedent-vault/1", "tenant": "acme", "project": "shop"}
    export_folder.write(str(folder), whose, files, force)
    return files


def imported(served: Service, folder: Path, project: str = "shop") -> Any:
    there = InProcess(served, project, writer="bob.desk")
    plan = import_vault.plan(str(folder), "Said in a vault.", there)
    outcome = moving.send(there, plan["entries"], lambda _: None)
    assert outcome.stopped is None
    assert not any("reason" in one for one in outcome.results), outcome.results
    import_vault.remember(plan)
    statuses = {one["name"]: one["status"] for one in outcome.results}
    return {**plan, "statuses": statuses, "conflicts": outcome.conflicts}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def slots(served: Service, project: str = "shop") -> Any:
    asked = {"element": ["feature:search"], "budget": 100_000}
    (element,) = InProcess(served, project).recall(asked).body["elements"]
    return {key: [one["value"] for one in heads] for key, heads in element["slots"].items()}


def note_of(folder: Path, title: str) -> Path:
    (found,) = folder.glob(f"decisions/{title}-*.md")
    return found


def test_one_note_an_element_one_a_decision_linked_and_the_same_each_time(
    served: Service, story: Any, tmp_path: Path
) -> None:
    files = export(served, tmp_path / "v")
    assert export(served, tmp_path / "w") == files
    text = files[SEARCH].decode()
    assert "engine: postgres\n" in text
    assert "timeout: 7\n" in text
    assert 'paths: ["search/**"]\n' in text
    assert '- "uses" [[elements/service/db|service:db]]' in text
    assert f"[[decisions/postgres-{story['pg'][2:10]}|Postgres]]" in text
    assert len([name for name in files if name.startswith("elements/")]) == 3
    assert len([name for name in files if name.startswith("decisions/")]) == 4
    for name, raw in files.items():
        assert ".." not in name.split("/")
        assert name == export_vault.LOG or "\u202e" not in raw.decode()


def test_a_vault_nobody_edited_records_nothing(served: Service, story: Any, tmp_path: Path) -> None:
    export(served, tmp_path / "v")
    found = imported(served, tmp_path / "v")
    assert (found["entries"], found["unread"], found["notes"]) == ([], [], [])


def test_what_was_edited_is_recorded_once_and_replaces_what_it_was(
    served: Service, story: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "v"
    export(served, folder)
    note = folder / SEARCH
    edit(note, "engine: postgres", "engine: 'elastic'")
    edit(note, "timeout: 7\n", "shards: 3\n")
    edit(note, 'paths: ["search/**"]', "paths:\n  - search/**\n  - lib/**")
    edit(note, '- "uses" [[elements/service/db|service:db]]', "- USES [[elements/odd]]")
    edit(note, "elements/odd", "service:cache")
    found = imported(served, folder)
    assert found["statuses"] == {SEARCH: "recorded"}
    assert found["conflicts"] == []
    now = slots(served)
    assert (now["engine"], now["shards"], now["timeout"]) == (["elastic"], [3], [None])
    assert now["paths"] == [["search/**", "lib/**"]]
    links = InProcess(served).recall({"element": ["feature:search"]}).body["elements"][0]["links"]
    assert sorted(one["value"] for one in links) == [False, True]
    again = imported(served, folder)
    assert again["notes"] == ["1 edited notes were recorded before, as they are now"]
    manifest = folder / export_folder.MANIFEST
    manifest.write_text(manifest.read_text().replace('"taken"', '"forgotten"'))
    assert imported(served, folder)["statuses"] == {SEARCH: "already_recorded"}
    files = export(served, folder)  # what was imported is no edit that would be lost
    assert imported(served, folder)["entries"] == []
    assert "engine: elastic" in files[SEARCH].decode()


def test_what_changed_on_both_sides_is_a_conflict_and_not_a_choice(
    served: Service, story: Any, tmp_path: Path
) -> None:
    export(served, tmp_path / "v")
    record(served, "MySQL", sets("engine", "mysql"), seen=[story["pg"]])
    edit(tmp_path / "v" / SEARCH, "engine: postgres", "engine: elastic")
    found = imported(served, tmp_path / "v")
    assert len(found["conflicts"]) == 1
    assert sorted(slots(served)["engine"]) == ["elastic", "mysql"]
    edited = export(served, tmp_path / "w")[SEARCH].decode()
    assert "engine:" not in edited.split("# feature")[0]
    assert '"mysql" in [[' in edited


def test_a_conflict_is_settled_in_the_note(served: Service, story: Any, tmp_path: Path) -> None:
    record(served, "MySQL", sets("engine", "mysql"))
    export(served, tmp_path / "v")
    edit(tmp_path / "v" / SEARCH, "timeout: 7\n", "timeout: 7\nengine: mysql\n")
    assert imported(served, tmp_path / "v")["conflicts"] == []
    assert set(slots(served)["engine"]) == {"mysql"}


def test_an_edited_decision_supersedes_what_it_was_and_keeps_what_it_sets(
    served: Service, story: Any, tmp_path: Path
) -> None:
    export(served, tmp_path / "v")
    note = note_of(tmp_path / "v", "postgres")
    edit(note, "# Postgres", "# Postgres 17")
    edit(note, "One store.", "One store.\n\n## And\n\nmeasured.")
    edit(note, "%% end %%", "%% rejected %%\n\n### Oracle\n\nPrice.\n\n%% end %%")
    assert list(imported(served, tmp_path / "v")["statuses"].values()) == ["recorded"]
    shown = InProcess(served).get_of_project(f"/decisions/{story['pg']}").body
    assert shown["in_force"] is False
    (anew,) = shown["displaced_by"]
    decision = InProcess(served).get_of_project(f"/decisions/{anew}").body["decision"]
    assert decision["title"] == "Postgres 17"
    assert decision["rationale"] == "One store.\n\n## And\n\nmeasured."
    assert decision["rejected"] == [
        {"option": "SQLite", "reason": "One writer."},
        {"option": "Oracle", "reason": "Price."},
    ]
    assert slots(served)["engine"] == ["postgres"]


@pytest.mark.parametrize(
    ("place", "old", "new", "said"),
    [
        (SEARCH, "name: search", "name: find", "is not renamed by that"),
        (SEARCH, "timeout: 7", "timeout: {a: 1}", "more YAML"),
        (SEARCH, "timeout: 7", "timeout: 7\ntimeout: 8", "a second time"),
        (SEARCH, "timeout: 7", "timeout: |\n  text", "more YAML"),
        (SEARCH, "## Links\n", "## Links\n\n- [[elements/service/db]]\n", "a link is written"),
        (SEARCH, "## Conflicts", "Some words.\n\n## Conflicts", "a link is written"),
        (SEARCH, "# feature:search", "# Something", "only its properties and its links"),
        ("decision", "%% rationale %%", "", "its marks"),
        ("decision", "status: in force", "status: gone", "properties of a decision"),
        ("decision", "## About", "## Around", "only what stands between its marks"),
        ("decision", "# Postgres", "# Postgres\n# Two", "no title"),
    ],
)
def test_what_is_not_understood_is_named_and_nothing_of_it_recorded(
    served: Service, story: Any, tmp_path: Path, place: str, old: str, new: str, said: str
) -> None:
    export(served, tmp_path / "v")
    note = note_of(tmp_path / "v", "postgres") if place == "decision" else tmp_path / "v" / place
    edit(note, old, new)
    found = imported(served, tmp_path / "v")
    assert found["entries"] == []
    assert said in found["unread"][0]["reason"]


def test_new_notes_copies_and_notes_that_are_gone(
    served: Service, story: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "v"
    export(served, folder)
    new = "---\nkind: team\nname: Core\nlead: Ines\n---\n\nAnything.\n"
    (folder / "elements" / "core.md").write_text(new)
    (folder / "elements" / "copy.md").write_text(
        (folder / SEARCH).read_text().replace("timeout: 7", "timeout: 8")
    )
    edit(folder / SEARCH, "timeout: 7", "timeout: 9")
    (folder / "elements" / "service" / "db.md").unlink()
    (folder / "decisions" / "mine.md").write_text("# Mine\n")
    found = imported(served, folder)
    assert found["statuses"] == {"elements/core.md": "recorded", "elements/copy.md": "recorded"}
    reasons = {one["file"]: one["reason"] for one in found["unread"]}
    assert "the same note as" in reasons[SEARCH]
    assert "not exported from here" in reasons["decisions/mine.md"]
    assert found["notes"] == ["1 notes are not where they were; what they told stays in force"]


def test_another_project_gets_what_it_was_made_of_and_then_what_was_edited(
    served: Service, story: Any, tmp_path: Path
) -> None:
    export(served, tmp_path / "v")
    edit(tmp_path / "v" / SEARCH, "engine: postgres", "engine: elastic")
    found = imported(served, tmp_path / "v", project="moved")
    assert list(found["statuses"].values()) == ["recorded"] * 5
    assert slots(served, "moved")["engine"] == ["elastic"]
    assert found["conflicts"] == []


def test_edits_are_not_lost_by_an_export(served: Service, story: Any, tmp_path: Path) -> None:
    export(served, tmp_path / "v")
    edit(tmp_path / "v" / SEARCH, "engine: postgres", "engine: elastic")
    with pytest.raises(Refused, match="Edited since"):
        export(served, tmp_path / "v")
    (tmp_path / "v" / "own.md").write_text("own")
    export(served, tmp_path / "v", force=True)
    assert (tmp_path / "v" / "own.md").exists()


def test_what_is_no_vault_is_a_mistake_of_usage(served: Service, tmp_path: Path) -> None:
    with pytest.raises(Usage, match="is no vault"):
        import_vault.plan(str(tmp_path), "", InProcess(served))


VALUES = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=40),
    st.booleans(),
    st.none(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=20), max_size=4),
)
KEYS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20)


@settings(max_examples=200)
@given(st.dictionaries(KEYS, VALUES, max_size=6), st.text(max_size=40))
def test_properties_are_read_as_they_were_written(found: dict[str, Any], below: str) -> None:
    text = front_matter.write(list(found.items())) + below
    read, rest = front_matter.split(text)
    assert json.dumps(read) == json.dumps(found)
    assert rest == below.replace("\r\n", "\n")


@settings(max_examples=200)
@given(st.text(alphabet="ab-:'\"[]{},#|>&!% \n\\1", max_size=60))
def test_hostile_properties_are_read_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        front_matter.split(f"---\n{text}\n---\n")
