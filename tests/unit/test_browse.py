"""The directory, histories and conflicts of a project, page by page."""

import pytest
from precedent import browse
from precedent.entry import Dot
from precedent.errors import NotFound
from precedent.orset import Lost
from precedent.rows import HistoryRow

from tests.property.shop import Shop, adopted, attach, element, id_of, link, prop

ENGINE = "feature:search"


def followed(read, *asked):
    """Every page of a listing."""
    start = None
    while True:
        page, start = read(*asked, start)
        yield page
        if start is None:
            return


# --------------------------------------------------------------------- the directory


def names(page):
    return [f"{each.kind}:{each.name}" for each in page.elements]


def test_elements_of_one_kind_or_all():
    shop = Shop()
    shop.send("a", adopted("T", attach("Feature:Search"), attach("service:db"), attach("ﬁle:x")))
    everything, _ = browse.elements(shop.projection, None, None)
    assert sorted(names(everything)) == ["Feature:Search", "service:db", "ﬁle:x"]
    for kind, found in (("feature", "Feature:Search"), (" FILE ", "ﬁle:x")):
        page, _ = browse.elements(shop.projection, kind, None)
        assert names(page) == [found]
    for kind in ("feat", "features", "feature:search", "nothing"):
        assert names(browse.elements(shop.projection, kind, None)[0]) == []


def test_pages_of_elements_are_everything_once(monkeypatch):
    monkeypatch.setattr(browse, "ELEMENTS_PAGE", 7)
    shop = Shop()
    wanted = [f"{kind}:{n}" for kind in ("a", "ab", "b") for n in range(11)]
    shop.send("a", adopted("T", *map(attach, wanted)))
    pages = list(followed(browse.elements, shop.projection, None))
    assert [len(page.elements) for page in pages] == [7, 7, 7, 7, 5]
    assert sorted(name for page in pages for name in names(page)) == sorted(wanted)
    of_a_kind = followed(browse.elements, shop.projection, "a")
    assert sorted(name for page in of_a_kind for name in names(page)) == sorted(wanted[:11])


# --------------------------------------------------------------------------- history


def test_a_history_newest_first():
    shop = Shop()
    first = adopted("Postgres", prop(ENGINE, "engine", "postgres"), prop(ENGINE, "timeout", 5))
    shop.send("alice.laptop", first)
    second = adopted("Elastic", prop(ENGINE, "engine", "elastic"))
    shop.send("bob.desk", second, seen=[id_of(first)])
    dead = {**adopted("Sphinx", attach(ENGINE)), "outcome": "rejected"}
    shop.send("bob.desk", dead)
    page, more = browse.history(shop.projection, element(ENGINE), None)
    assert more is None
    assert (page.element.kind, page.element.name) == ("feature", "search")
    assert [event.title for event in page.events] == ["Sphinx", "Elastic", "Postgres"]
    sphinx, elastic, postgres = page.events
    assert (sphinx.outcome, sphinx.in_force) == ("rejected", True)
    assert [(gone.slot, gone.id, gone.title, gone.why) for gone in elastic.displaced] == [
        ("engine", id_of(first), "Postgres", "seen")
    ]
    assert (postgres.claims, postgres.in_force) == (["engine", "timeout"], True)
    assert postgres.displaced_by == [id_of(second)]


def test_a_link_is_history_at_both_ends():
    shop = Shop()
    shop.send("a", adopted("Uses", link(ENGINE, "USES", "service:db")))
    (owner,) = browse.history(shop.projection, element(ENGINE), None)[0].events
    (other,) = browse.history(shop.projection, element("service:db"), None)[0].events
    assert owner.claims == ["uses → service:db"]
    assert other.claims == ["uses ← feature:search"]
    assert owner.in_force
    assert other.in_force


def test_pages_of_a_history_are_everything_once(monkeypatch):
    monkeypatch.setattr(browse, "PAGE", 4)
    shop = Shop()
    for n in range(11):
        dated = {"date": f"2025-01-{n % 3 + 1:02d}"} if n % 2 else {}
        shop.send("a" if n % 3 else "b", {**adopted(f"T{n}", attach(ENGINE)), **dated})
    pages = list(followed(browse.history, shop.projection, element(ENGINE)))
    assert [len(page.events) for page in pages] == [4, 4, 3]
    events = [event for page in pages for event in page.events]
    assert sorted(event.title for event in events) == sorted(f"T{n}" for n in range(11))
    assert [event.date for event in events] == sorted((e.date for e in events), reverse=True)


def test_nobody_ever_named_it():
    shop = Shop()
    shop.send("a", adopted("Something", attach(ENGINE)))
    for projection in (None, shop.projection):
        with pytest.raises(NotFound, match="Check its kind and its name"):
            browse.history(projection, element("no:thing"), None)


def test_what_was_displaced_may_not_have_arrived_yet():
    """A projector that is one step into an entry has written its history, and marked nothing lost."""
    shop = Shop()
    shop.send("a", adopted("Elastic", prop(ENGINE, "engine", "elastic")))
    gone = ("p:engine", Dot("bob.desk", 1), "seen")
    row = HistoryRow(element(ENGINE), "2026-01-02", Dot("a", 2), "d_x", ("p:engine",), (), (gone,))
    shop.projection.put(row)
    event = browse.history(shop.projection, element(ENGINE), None)[0].events[0]
    assert [(each.slot, each.id) for each in event.displaced] == [("engine", "")]
    shop.projection.add_lost(Dot("bob.desk", 1), [Lost(element(ENGINE), "p:engine", Dot("a", 2))])
    assert browse.history(shop.projection, element(ENGINE), None)[0].events


# ------------------------------------------------------------------------- conflicts


def clash(shop, slots, sides=2):
    for side in range(sides):
        for slot in slots:
            value = adopted(f"{slot} {side}", prop(ENGINE, slot, side))
            shop.send(f"writer-{side}", value, on_unseen="branch")


def test_a_conflict_shows_its_sides():
    shop = Shop()
    clash(shop, ["engine"])
    page, more = browse.conflicts(shop.projection, None)
    (conflict,) = page.conflicts
    assert (conflict.element, conflict.slot, more) == (ENGINE, "engine", None)
    assert [(head.value, head.title) for head in conflict.heads] == [
        (0, "engine 0"),
        (1, "engine 1"),
    ]


def test_a_resolved_conflict_is_none():
    shop = Shop()
    clash(shop, ["engine", "timeout"])
    sides = [id_of(adopted(f"engine {side}", prop(ENGINE, "engine", side))) for side in (0, 1)]
    shop.send("a", adopted("So be it", prop(ENGINE, "engine", 7), supersedes=sides))
    assert [each.slot for each in browse.conflicts(shop.projection, None)[0].conflicts] == [
        "timeout"
    ]


def test_those_that_agree_are_in_no_conflict():
    shop = Shop()
    for writer in ("a", "b"):
        shop.send(writer, adopted(f"By {writer}", prop(ENGINE, "engine", "pg")), on_unseen="branch")
    assert browse.conflicts(shop.projection, None)[0].conflicts == []


@pytest.mark.parametrize(("page", "hints"), [(2, 200), (50, 3), (3, 4), (1, 1)])
def test_pages_of_conflicts_are_everything_once(monkeypatch, page, hints):
    """However many entries met on a slot, and wherever a page ends among their hints."""
    monkeypatch.setattr(browse, "PAGE", page)
    monkeypatch.setattr(browse, "HINTS_A_PAGE", hints)
    shop = Shop()
    slots = [f"s{n}" for n in range(5)]
    clash(shop, slots, sides=4)
    found = [each for got in followed(browse.conflicts, shop.projection) for each in got.conflicts]
    assert [each.slot for each in found] == slots
    assert all(len(each.heads) == 4 for each in found)


def test_a_project_without_a_record():
    assert browse.elements(None, None, None)[0].elements == []
    assert browse.conflicts(None, None)[0].conflicts == []
