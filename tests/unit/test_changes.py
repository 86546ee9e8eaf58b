"""What arrived since a point: everything once, in whatever order it arrives, and what was late as well."""

import secrets

from precedent import changes as changing
from precedent.changes import Since, Until, changes
from precedent.consume import Scope
from precedent.entry import Dot
from precedent.ports import Offset
from precedent.rows import QuarantineRow
from precedent.web.asked import AskedChanges
from precedent.web.cursor import Cursors

from tests.property.shop import Shop, adopted, attach, prop


def note(title):
    return adopted(title, attach("feature:search"))


def titles(found):
    return [change.title for change in found]


def everything(projection, since=None):
    """All pages from a point on, and the point they lead to."""
    found, more = [], True
    since = since or Since()
    while more:
        page, since, more = changes(projection, since)
        found += page
    return found, since


def test_since_the_beginning_and_since_then():
    shop = Shop()
    shop.send("alice.laptop", note("One"))
    shop.send("bob.desk", note("Two"))
    found, since = everything(shop.projection)
    assert titles(found) == ["One", "Two"]
    assert since.offsets == {"alice.laptop": 1, "bob.desk": 1}
    assert everything(shop.projection, since) == ([], since)
    shop.send("carol.mac", note("Three"))
    shop.send("alice.laptop", note("Four"))
    assert titles(everything(shop.projection, since)[0]) == ["Three", "Four"]


def test_a_project_without_a_record():
    assert changes(None, Since()) == ([], Since(), False)


def test_pages_are_everything_once(monkeypatch):
    monkeypatch.setattr(changing, "PAGE", 5)
    shop = Shop()
    for n in range(23):
        shop.send(f"writer-{n % 3}", note(f"T{n}"))
    found, since = everything(shop.projection)
    assert sorted(titles(found)) == sorted(f"T{n}" for n in range(23))
    assert sum(since.offsets.values()) == 23


def test_a_page_of_one_request_with_many_decisions(monkeypatch):
    monkeypatch.setattr(changing, "PAGE", 4)
    shop = Shop()
    shop.send("a", *(note(f"T{n}") for n in range(10)))
    found, _ = everything(shop.projection)
    assert titles(found) == [f"T{n}" for n in range(10)]


def test_whether_it_is_in_force_is_told_as_of_now():
    shop = Shop()
    old = adopted("Old", prop("a:b", "k", 1))
    shop.send("a", old)
    shop.send(
        "b", adopted("New", prop("a:b", "k", 2)), overrule=[shop.arrived()[0].entry.decision[0]]
    )
    found, _ = everything(shop.projection)
    assert [(each.title, each.claims, each.in_force) for each in found] == [
        ("Old", ["a:b.k"], False),
        ("New", ["a:b.k"], True),
    ]


def test_what_is_ahead_of_its_writers_offset_waits_for_it():
    shop = Shop()
    shop.send("a", note("One"))
    shop.send("a", note("Two"))
    projection = shop.projection
    there = projection.offset("a")
    projection.table[projection.keys.offset("a")] = Offset(1, "0" * 64)
    found, since = everything(projection)
    assert titles(found) == ["One"]
    projection.table[projection.keys.offset("a")] = there
    assert titles(everything(projection, since)[0]) == ["Two"]


def test_what_was_passed_unread_is_told_once_it_is_readable():
    shop = Shop()
    shop.send("a", note("One"))
    shop.send("a", note("Two"))
    projection = shop.projection
    status = projection.table.pop(projection.keys.status(Dot("a", 1)))
    row = QuarantineRow(Dot("a", 1), "not a line of this log", "0" * 64)
    projection.put(row)
    found, since = everything(projection)
    assert (titles(found), since.passed) == (["Two"], (Dot("a", 1),))
    assert everything(projection, since) == ([], since)
    projection.put_status(status)
    projection.delete(row)
    found, since = everything(projection, since)
    assert (titles(found), since.passed) == (["One"], ())
    assert everything(projection, since)[0] == []


def test_a_point_fits_into_a_url_with_hundreds_of_writers():
    offsets = {f"{secrets.token_hex(4)}.laptop-{n}": n * 37 for n in range(300)}
    cursors = Cursors(b"key", "changes", Scope("acme", "shop"))
    text = cursors.dump(Since(offsets))
    assert AskedChanges(since=text).since == text
    assert cursors.load(text, Since) == Since(offsets)


# ------------------------------------------------------------------------ an interval


def between(projection, since, until):
    found, more = [], True
    while more:
        page, since, more = changes(projection, since, until)
        found += page
    return found, since


def test_between_two_points_is_what_arrived_between_them(monkeypatch):
    monkeypatch.setattr(changing, "PAGE", 2)
    shop = Shop()
    points = [Since()]
    for n in range(9):
        shop.send("alice.laptop" if n % 2 else "bob.desk", note(f"T{n}"))
        points.append(everything(shop.projection)[1])
    for start in range(10):
        for end in range(start, 10):
            found, last = between(shop.projection, points[start], Until(points[end]))
            assert sorted(titles(found)) == [f"T{n}" for n in range(start, end)]
            rest, _ = everything(shop.projection, last)
            assert sorted(titles(rest)) == [f"T{n}" for n in range(end, 9)]


def test_what_was_late_at_the_second_point_is_not_told_before_it():
    shop = Shop()
    shop.send("a", note("One"))
    shop.projection.put(QuarantineRow(Dot("a", 2), 2, "unreadable"))
    shop.projection.move_offset("a", shop.projection.offset("a"), Offset(2, "x" * 64))
    _, before = everything(shop.projection)
    assert before.passed == (Dot("a", 2),)
    late = Shop()
    late.send("a", note("One"))
    late.send("a", note("Late"))
    shop.projection.put_status(late.fold()[Dot("a", 2)])
    found, since = between(shop.projection, Since(), Until(before))
    assert [change.recorded.seq for change in found] == [1, 2]  # read from the log it has arrived
    found, since = between(shop.projection, before, Until(before))
    assert (found, since.passed) == ([], before.passed)
    found, since = everything(shop.projection, before)
    assert ([change.recorded.seq for change in found], since.passed) == ([2], ())


def test_between_two_dates(monkeypatch):
    monkeypatch.setattr(changing, "PAGE", 2)
    monkeypatch.setattr(changing, "LOOKED", 3)
    shop = Shop()
    for day in range(1, 6):
        shop.clock = shop.clock.replace(day=day)
        for writer in ("a", "b"):
            shop.send(writer, note(f"{writer}{day}"))
    found, _ = between(shop.projection, Since(day="2026-01-02"), Until(day="2026-01-04"))
    assert sorted(titles(found)) == ["a2", "a3", "a4", "b2", "b3", "b4"]
    found, _ = between(shop.projection, Since(day="2026-01-05T00:00:00Z"), Until())
    assert sorted(titles(found)) == ["a5", "b5"]
