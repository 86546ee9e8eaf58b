"""What one request, one element or one writer can do to everybody else: bounded, and told."""

import pytest
from precedent.browse import conflicts, elements, history
from precedent.changes import Since, changes
from precedent.errors import NotFound, TooLarge, TooManyUnanchored
from precedent.paths import ROOT_ROWS
from precedent.ports import StoreError
from precedent.rebuild import rebuild
from precedent.recall import Target, recall
from precedent.resolve import DISPLACED_LIMIT
from precedent.rows import QuarantineRow

from tests.property.shop import SCOPE, Shop, adopted, element, id_of, prop

SEARCH = "feature:search"


def address(value, *globs):
    return [prop(SEARCH, "engine", value), prop(SEARCH, "paths", list(globs))]


def test_a_request_displaces_no_more_claims_than_one_item_can_tell():
    shop = Shop()
    keys = DISPLACED_LIMIT // 10 + 1
    old = [
        adopted(f"Old {number}", *(prop(SEARCH, f"k{number}.{key}", 1) for key in range(keys)))
        for number in range(10)
    ]
    for decision in old:
        shop.send("alice.laptop", decision)
    before = dict(shop.log.objects)
    new = adopted("New", prop(SEARCH, "all", 1), supersedes=[id_of(each) for each in old])
    with pytest.raises(TooLarge, match=f"{keys * 10} claims to displace"):
        shop.send("bob.desk", new)
    assert shop.log.objects == before


def test_an_address_that_was_read_and_is_repeated_does_not_pile_up():
    shop = Shop()
    last = adopted("Engine 0", *address("v0", "search/**"))
    shop.send("alice.laptop", last)
    for number in range(1, 6):
        following = adopted(f"Engine {number}", *address(f"v{number}", "search/**"))
        shop.send("alice.laptop", following, seen=[id_of(last)])
        last = following
    rows = [row for row in shop.projection.live(element(SEARCH)) if row.slot == "p:paths"]
    assert len(rows) == 1


def test_addresses_take_no_room_on_a_page_of_recall():
    shop = Shop()
    for number in range(105):
        dead = adopted(f"Dead {number}", prop(SEARCH, "paths", [f"search/{number}/**"]))
        shop.send("alice.laptop", dead)
        shop.send("alice.laptop", adopted(f"No {number}", supersedes=[id_of(dead)]))
    shop.send("alice.laptop", adopted("Timeout", prop(SEARCH, "timeout", 5)))
    found, more = recall(shop.projection, "shop", [Target(element(SEARCH), "element")])
    assert more is None
    assert [head.value for head in found.elements[0].slots["timeout"]] == [5]
    assert len(found.elements[0].slots["paths"]) == 105
    assert len(found.decisions) == 1


def test_one_element_cannot_fill_the_root_row_by_repeating_itself():
    shop = Shop()
    for number in range(ROOT_ROWS):
        shop.send("alice.laptop", adopted(f"Glob {number}", prop(SEARCH, "paths", ["*.py"])))
    with pytest.raises(TooManyUnanchored):
        shop.send("alice.laptop", adopted("One more", prop(SEARCH, "paths", ["*.py"])))
    assert len(shop.projection.paths("")) == ROOT_ROWS


def test_a_store_that_fails_one_writer_does_not_keep_the_others_from_the_sweep():
    shop = Shop()
    shop.send("a.a", adopted("A", prop("feature:a", "k", 1)))
    shop.send("b.b", adopted("B", prop("feature:b", "k", 1)))
    shop.pointers.table.clear()
    whole = shop.log.objects["a.a", 1]
    failing = shop.log.get

    def get(writer, first):
        if writer == "a.a":
            raise StoreError("an item too large")
        return failing(writer, first)

    shop.log.get = get
    with pytest.raises(StoreError, match=r"1 writers not caught up, a\.a"):
        shop.sweep()
    assert shop.projection.offset("b.b").seq == 1
    assert shop.log.objects["a.a", 1] == whole


def test_what_is_told_of_a_rebuild_holds_no_salt():
    shop = Shop()
    shop.send("alice.laptop", adopted("A", prop(SEARCH, "k", 1)))
    told = rebuild(SCOPE, shop.log, shop.pointers, "g2").told()
    assert shop.pointers.pointer.salt not in repr(told)
    assert (told["generation"], told["flipped"], told["old"]) == ("g2", True, "g1")


def test_a_line_stepped_over_while_changes_are_read_is_among_the_passed():
    shop = Shop()
    shop.send("alice.laptop", adopted("A", prop(SEARCH, "k", 1)))
    shop.log.objects["alice.laptop", 2] = b"not yet readable\n"
    calls = []

    def meanwhile(name):
        calls.append(name)
        if name == "offsets" and calls.count("offsets") == 1:
            shop.pointers.before = lambda _name: None
            shop.sweep()

    shop.pointers.before = meanwhile
    _, since, _ = changes(shop.projection, Since())
    assert since.offsets == {"alice.laptop": 2}
    assert [dot.seq for dot in since.passed] == [2]
    assert isinstance(next(shop.projection.quarantined()), QuarantineRow)


def test_an_empty_project_is_told_as_one():
    assert elements(None, None, None)[0].elements == []
    assert conflicts(None, None)[0].conflicts == []
    assert changes(None, Since()) == ([], Since(), False)
    with pytest.raises(NotFound):
        history(None, element(SEARCH), None)
