"""The operator's commands: what they print, how they exit, and that nothing bad is done on bad input."""

import json
import sys

import pytest
from precedent.entry import Dot
from precedent.errors import Invalid
from precedent.findings import Kind
from precedent.packs import FEWEST
from precedent.ports import StoreError, StoreMissing
from precedent.rows import DotRow
from precedent.verify import verify

from admin import __main__ as program
from admin import project as commands
from admin.stores import Folder, Stores
from tests.fakes.memory import MemoryLog, MemoryPacks, MemoryPointers
from tests.fakes.steps import nothing
from tests.property.shop import SCOPE, Shop, adopted, prop
from tests.unit.client_support import CLIENT  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import log_file, log_state

from tests.unit.test_verify import ALICE, BOB
from tests.unit.test_verify import shop as shop  # a fixture

assert CLIENT

PLACE = ("--tenant", "acme", "--project", "shop")


@pytest.fixture
def packs():
    return MemoryPacks()


@pytest.fixture
def admin(shop, packs, monkeypatch, capsys):
    """Runs the program on a shop in memory; returns (exit code, standard output, standard error)."""

    def run(*arguments, on=shop):
        monkeypatch.setattr(Stores, "log", on.log)
        monkeypatch.setattr(Stores, "packs", packs)
        monkeypatch.setattr(Stores, "pointers", on.pointers)
        monkeypatch.setattr(commands.time, "sleep", lambda _: None)
        monkeypatch.setattr(sys, "argv", ["admin", *arguments])
        with pytest.raises(SystemExit) as exited:
            program.main()
        said = capsys.readouterr()
        return exited.value.code, said.out, said.err

    return run


def test_a_healthy_project(admin):
    code, out, err = admin("verify", *PLACE)
    assert code == 0
    assert "6 entries of 2 writers, generation g1" in out
    assert "✓ healthy" in out
    assert "\x1b" not in out + err, "a pipe is given no colours"


def test_what_is_wrong_is_told_with_its_cost_and_its_mend(admin, shop):
    shop.projection.delete(DotRow(shop.arrived()[0].entry.decision[0], Dot(ALICE, 1)))
    code, out, _ = admin("verify", *PLACE)
    assert code == 1
    assert "missing-row  1" in out
    assert f"of {ALICE}/1" in out
    assert "costs: An answer lacks what the log holds." in out
    assert "mend:  `repair` projects the entry again." in out
    assert "✗ not healthy" in out


def test_programs_are_given_everything(admin, shop):
    del shop.log.objects[BOB, 2]
    code, out, _ = admin("verify", *PLACE, "--json")
    told = json.loads(out)
    assert code == 1
    assert told["healthy"] is False
    assert told["digest"]["equal"] is False
    [short] = [finding for finding in told["findings"] if finding["kind"] == "short-log"]
    assert short.keys() == {"kind", "grade", "where", "detail", "cost", "mend"}


def test_more_findings_of_a_kind_than_a_terminal_is_given(admin, shop):
    shop.log.strays = {f"stray {number}": b"" for number in range(30)}
    code, out, _ = admin("verify", *PLACE)
    assert code == 0
    assert "… and 10 more; --json names them all" in out


def test_what_could_not_be_read_has_an_exit_code_of_its_own(admin, shop):
    def denied(name):
        if name == "get":
            raise StoreError("log: GetObject: AccessDenied")

    shop.log.before = denied
    code, out, _ = admin("verify", *PLACE)
    assert code == 5
    assert "AccessDenied" in out


def test_a_log_that_may_not_be_listed(admin, shop):
    def denied(name):
        raise StoreError("log: ListObjectsV2: AccessDenied")

    shop.log.before = denied
    code, _, err = admin("verify", *PLACE)
    assert code == 5
    assert "AccessDenied" in err
    assert "credentials" in err


def test_a_table_that_is_not_there(admin, shop):
    def missing(name):
        if name != "read":
            raise StoreMissing("projection: QueryError: ResourceNotFoundException")

    shop.pointers.before = missing
    code, _, err = admin("verify", *PLACE)
    assert code == 5
    assert "`rebuild`" in err


@pytest.mark.parametrize("command", ["verify", "repair", "rebuild"])
def test_a_project_that_is_not_there(admin, command):
    empty = Shop(log=MemoryLog(), pointers=MemoryPointers())
    code, _, err = admin(command, *PLACE, on=empty)
    assert code == 3
    assert "no project shop of acme" in err
    assert empty.pointers.pointer is None


def test_a_name_that_is_none(admin):
    code, _, err = admin("verify", "--tenant", "a/b", "--project", "shop")
    assert code == 3
    assert "/tenant" in err


def test_repairing_tells_what_was_done_and_what_is_left(admin, shop):
    shop.pointers.table.clear()
    code, out, _ = admin("repair", *PLACE)
    assert code == 0
    assert "6 entries caught up" in out
    shop.log.objects[ALICE, 5] = b"rubbish\n"
    code, out, _ = admin("repair", *PLACE, "--json")
    assert code == 1
    told = json.loads(out)
    assert [finding["kind"] for finding in told["left"]["findings"]] == ["unreadable"]


def test_rebuilding_flips_and_takes_the_old_generation_away(admin, shop):
    before = shop.log_digest()
    code, out, _ = admin("rebuild", *PLACE)
    assert code == 0
    assert "it serves now" in out
    report = verify(SCOPE, shop.log, shop.pointers)
    assert report.findings == ()
    assert report.generation != "g1"
    assert shop.projected_digest() == before


def test_rebuilding_may_keep_the_old_generation(admin, shop):
    code, out, _ = admin("rebuild", *PLACE, "--keep-old", "--json")
    told = json.loads(out)
    assert (code, told["flipped"], told["deleted"]) == (0, True, 0)
    [left] = verify(SCOPE, shop.log, shop.pointers).findings
    assert (left.kind, left.where) == (Kind.LEFTOVER, "g1")


def test_a_rebuild_that_died_is_gone_on_with(admin, shop):
    calls = iter(range(10_000))

    def die(name):
        if next(calls) == 60:
            raise StoreError("gone")

    shop.pointers.before = die
    code, _, _ = admin("rebuild", *PLACE)
    assert code == 5
    shop.pointers.before = nothing
    assert shop.pointers.pointer.generation == "g1"
    [left] = verify(SCOPE, shop.log, shop.pointers).of(Kind.LEFTOVER)
    code, _, _ = admin("rebuild", *PLACE, "--resume", left.where)
    assert code == 0
    assert shop.pointers.pointer.generation == left.where
    assert verify(SCOPE, shop.log, shop.pointers).findings == ()


def test_the_generation_that_serves_is_not_gone_on_with(admin, shop):
    code, _, err = admin("rebuild", *PLACE, "--resume", "g1")
    assert code == 3
    assert "serves now" in err


def test_a_rebuild_from_a_log_that_is_too_short_does_not_flip(admin, shop):
    del shop.log.objects[BOB, 2]
    code, out, _ = admin("rebuild", *PLACE)
    assert code == 1
    assert f"{BOB} ends at 1, 2 was acknowledged" in out
    assert "--accept-loss" in out
    assert shop.pointers.pointer.generation == "g1"
    code, _, _ = admin("rebuild", *PLACE, "--accept-loss")
    assert code == 0
    assert shop.pointers.pointer.generation != "g1"


def test_quarantine_lists_what_was_stepped_over(admin, shop):
    assert admin("quarantine", "list", *PLACE) == (0, "", "nothing is quarantined\n")
    shop.log.objects[ALICE, 5] = b"rubbish\n"
    shop.sweep()
    code, out, err = admin("quarantine", "list", *PLACE)
    assert (code, err) == (1, "1 quarantined\n")
    assert out.startswith(f"{ALICE}/5  (object 5)  ")
    code, out, _ = admin("quarantine", "list", *PLACE, "--json")
    assert json.loads(out)["dot"] == [ALICE, 5]


# ------------------------------------------------------------------------------------- restoring


@pytest.fixture
def copy(shop, tmp_path):
    """A copy of the log on disk, with something beside it."""
    for (writer, first), data in shop.log.objects.items():
        path = tmp_path / f"t/acme/shop/log/{writer}/{first:012d}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "t/acme/shop/log/notes.txt").write_text("x")
    return tmp_path


def nowhere():
    return Shop(log=MemoryLog(), pointers=MemoryPointers())


def test_a_project_comes_back_from_a_copy_alone(admin, shop, copy):
    there = nowhere()
    code, out, _ = admin("restore", str(copy), *PLACE, on=there)
    assert code == 0
    assert "5 objects brought back, 1 names left" in out
    assert f"{ALICE}  →  precedent-admin writer add {ALICE}.2 --tenant acme" in out
    assert there.projected_digest() == shop.log_digest()
    assert there.pointers.pointer.salt == shop.pointers.pointer.salt


def test_its_writers_are_held_and_fresh_ones_go_on(admin, copy):
    from precedent.errors import LogTruncated

    there = nowhere()
    admin("restore", str(copy), *PLACE, on=there)
    more = adopted("More", prop("feature:more", "x", 1))
    for _ in range(2):
        with pytest.raises(LogTruncated):
            there.send(ALICE, more, key="m")
        there.sweep()
    assert there.send(f"{ALICE}.2", more, key="m").written


def test_restoring_twice_changes_nothing_and_another_log_is_never_mixed_in(admin, shop, copy):
    there = nowhere()
    admin("restore", str(copy), *PLACE, on=there)
    objects = dict(there.log.objects)
    assert admin("restore", str(copy), *PLACE, on=there)[0] == 0
    assert there.log.objects == objects
    other = Shop()
    other.send(ALICE, adopted("Mine", prop("feature:mine", "x", 1)))
    before = dict(other.log.objects)
    code, _, err = admin("restore", str(copy), *PLACE, on=other)
    assert code == 3
    assert "is not empty" in err
    assert other.log.objects == before


def test_packing_by_hand_and_packs_that_are_passed_over(admin, shop, packs):
    for number in range(FEWEST):
        shop.send(ALICE, adopted(f"More {number}", prop("feature:more", f"k{number}", number)))
    code, out, _ = admin("pack", *PLACE)
    assert code == 0
    assert "objects in 1 packs; 1 made, 0 deleted, 0 were corrupt" in out
    assert admin("verify", *PLACE)[::2] == (0, "")
    [place] = packs.objects
    packs.objects[place] = b"rubbish"
    code, _, err = admin("verify", *PLACE)
    assert code == 0
    assert f"pack {'/'.join(place)} was passed over" in err
    assert '"corrupt": 1' in admin("pack", "--json", *PLACE)[1]


def test_a_copy_that_has_nothing_of_it(admin, tmp_path):
    code, _, err = admin("restore", str(tmp_path), *PLACE, on=nowhere())
    assert code == 3
    assert "holds nothing of project shop" in err


def test_a_copy_on_disk_that_cannot_be_read_says_so(tmp_path):
    path = tmp_path / "a" / f"{1:012d}.jsonl"
    assert Folder(tmp_path).get("a", 1) is None
    path.parent.mkdir()
    path.write_bytes(b"x")
    assert Folder(tmp_path).get("a", 1) == b"x"


# ------------------------------------------------------------------------------ importing exports


@pytest.fixture
def exported(shop, tmp_path):
    """What `precedent export` writes of the shop."""
    state = log_state.fold(json.loads(arrived.line) for arrived in shop.arrived())
    lines = {arrived.dot: (arrived.first, arrived.line.decode()) for arrived in shop.arrived()}
    path = tmp_path / "shop.jsonl"
    path.write_bytes(log_file.Exported("acme", "shop", lines, []).text(state.digest))
    return path


def test_an_export_comes_back_entry_by_entry_with_an_equal_digest(admin, shop, exported):
    there = nowhere()
    code, out, err = admin("import", str(exported), *PLACE, on=there)
    assert code == 0, err
    assert there.log.objects == shop.log.objects
    assert f"digest {shop.log_digest()}  ✓ equal" in out
    assert f"{ALICE}  →  precedent-admin writer add {ALICE}.2 --tenant acme" in out
    assert admin("import", str(exported), *PLACE, "--json", on=there)[0] == 0
    assert admin("import", str(exported), *PLACE, on=shop)[0] == 0, "it is there already"


def test_an_export_belongs_to_its_project_and_to_an_empty_one(admin, exported):
    there = nowhere()
    other = ("--tenant", "acme", "--project", "shop-2")
    code, _, err = admin("import", str(exported), *other, on=there)
    assert (code, "verifies nowhere else" in err) == (3, True)
    assert there.log.objects == {}
    taken = Shop()
    taken.send("dora.pad", adopted("Mine", prop("feature:mine", "x", 1)))
    code, _, err = admin("import", str(exported), *PLACE, on=taken)
    assert (code, "is not empty" in err) == (3, True)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda raw: raw[:-2], "is no line of an exported log"),
        (lambda raw: raw[: raw.rindex(b'{"digest"')], "has no end"),
        (lambda raw: raw + raw[-300:], "stands behind the end"),
        (lambda raw: raw.replace(b'"p:engine"', b'"p:motor"'), "does not match its hash"),
        (lambda raw: raw.replace(b'"bob.desk"}\n', b'"ci.main"}\n', 1), "names another writer"),
        (lambda raw: raw.replace(b"-log/1", b"-log/2", 1), "is not of the format"),
        (lambda raw: b"".join(raw.splitlines(True)[i] for i in (0, 1, 1)), "stands twice"),
        (lambda raw: b"".join(raw.splitlines(True)[::-1]), "line 1"),
        (lambda raw: b"".join(raw.splitlines(True)[:3] + raw.splitlines(True)[4:]), "last line"),
        (lambda raw: b"", "line 1"),
    ],
)
def test_an_export_that_was_harmed_is_refused_and_nothing_is_written(admin, exported, harm, said):
    exported.write_bytes(harm(exported.read_bytes()))
    there = nowhere()
    code, _, err = admin("import", str(exported), *PLACE, on=there)
    assert (code, there.log.objects) == (3, {})
    assert said in err


def test_a_line_the_export_lacks_stays_a_line_nobody_can_read(admin, shop, tmp_path):
    batch = [adopted(f"B{n}", prop("feature:batch", f"k{n}", n)) for n in range(3)]
    shop.send("dora.pad", *batch)
    arrived = [one for one in shop.arrived() if one.dot != Dot("dora.pad", 2)]
    state = log_state.fold(json.loads(one.line) for one in arrived)
    lines = {one.dot: (one.first, one.line.decode()) for one in arrived}
    path = tmp_path / "shop.jsonl"
    path.write_bytes(log_file.Exported("acme", "shop", lines, []).text(state.digest))
    there = nowhere()
    assert admin("import", str(path), *PLACE, on=there)[0] == 0
    assert [row.dot for row in there.projection.quarantined()] == [Dot("dora.pad", 2)]


def test_a_stack_without_names_is_told(monkeypatch):
    for name in ("LOG_BUCKET", "ACCESS_TABLE", "PROJECTION_TABLE"):
        monkeypatch.setenv(name, "x")
    stores = Stores("precedent", "acme", "sh op")
    with pytest.raises(Invalid):
        _ = stores.log
