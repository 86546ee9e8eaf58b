"""Recall by path: the elements whose `paths` cover a file, nearest first, at the price of its depth."""

from collections import Counter

import pytest
from precedent.decision import parse
from precedent.errors import Invalid, TooLarge, TooManyUnanchored
from precedent.paths import DEPTH_LIMIT, PATH_LIMIT, ROOT_LIMIT, check_room, checked_path, find

from tests.property.shop import Shop, adopted, element, id_of, prop


def paths(name, *globs):
    return prop(name, "paths", list(globs))


def shop_with(**globs):
    """A shop with an element `area:<name>` for each list of globs."""
    shop = Shop()
    for name, found in globs.items():
        shop.send("alice.laptop", adopted(name, paths(f"area:{name}", *found)))
    return shop


def names(shop, *asked):
    known = {row.element: row.name.name for row in shop.projection.directory(None, None)}
    return [known[covered.element] for covered in find(shop.projection, asked)]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("search/api.py", "search/api.py"),
        ("./search//api.py", "search/api.py"),
        ("search/./api.py", "search/api.py"),
        ("search/", "search/"),
        ("search//.", "search"),
        (" a b/c,d", " a b/c,d"),
        ("übung/搜索.py", "übung/搜索.py"),
        ("a/..b/c..", "a/..b/c.."),
        ("ab:c/d", "ab:c/d"),
    ],
)
def test_paths_are_relative_to_the_repository(written, read):
    assert checked_path(written, "/path/0") == read


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc/passwd", "is absolute"),
        ("~/shop/a.py", "is absolute"),
        ("C:/shop/a.py", "is absolute"),
        ("c:a.py", "is absolute"),
        ("search\\api.py", "backslash"),
        ("\\\\server\\share", "backslash"),
        ("..", "leads outside"),
        ("../other/a.py", "leads outside"),
        ("a/../../b", "leads outside"),
        ("a/..", "leads outside"),
        ("", "names no file"),
        (".", "names no file"),
        ("./", "names no file"),
        ("a\0b", "NUL"),
        ("a\ud800", "surrogate"),
    ],
)
def test_other_paths_are_refused_with_the_reason(path, reason):
    with pytest.raises(Invalid, match=reason) as refused:
        checked_path(path, "/path/0")
    assert refused.value.members["field"] == "/path/0"


def test_how_long_and_how_deep_a_path_may_be():
    for length in (PATH_LIMIT - 1, PATH_LIMIT):
        assert checked_path("é" * length, "")
    with pytest.raises(TooLarge, match="code points"):
        checked_path("é" * (PATH_LIMIT + 1), "")
    for depth in (DEPTH_LIMIT - 1, DEPTH_LIMIT):
        assert checked_path("/".join("a" * depth), "")
    with pytest.raises(TooLarge, match="folders"):
        checked_path("/".join("a" * (DEPTH_LIMIT + 1)), "")


def test_nearest_first():
    shop = shop_with(all=["*.py"], search=["search/**"], api=["search/api/*"], bills=["bills/**"])
    assert names(shop, "search/api/x.py") == ["api", "search", "all"]
    assert names(shop, "search/x.go") == ["search"]
    assert names(shop, "README") == []


def test_a_name_is_no_part_of_another():
    shop = shop_with(api=["api"], anchored=["src/api/**"])
    assert names(shop, "src/rapid/x.go") == []
    assert names(shop, "src/api/x.go") == ["anchored", "api"]


def test_why_an_element_was_found():
    shop = shop_with(search=["search/**", "docs/search.md"])
    (covered,) = find(shop.projection, ["billing/x", "docs/search.md"])
    assert covered.why == "path docs/search.md covers docs/search.md"
    assert covered.element == element("area:search")


def test_a_folder_is_asked_for_with_a_slash_at_its_end():
    shop = shop_with(search=["search/**"], api=["search/api/"], file=["search/api"])
    assert names(shop, "search/api/")[0] == "api"
    assert set(names(shop, "search/api/")) == {"search", "api", "file"}
    assert set(names(shop, "search/api")) == {"search", "file"}
    assert names(shop, "search/") == ["search"]
    assert names(shop, "search") == []


def test_many_paths_name_an_element_once_for_its_nearest_glob():
    shop = shop_with(search=["*.md", "search/api/**"])
    (covered,) = find(shop.projection, ["a.md", "search/api/x", "b.md"])
    assert (covered.path, covered.glob, covered.depth) == ("search/api/x", "search/api/**", 2)


def test_the_price_is_the_paths_depth_whatever_the_store_holds():
    def calls(shop):
        asked = Counter()
        shop.pointers.before = lambda name: asked.update([name])
        find(shop.projection, ["a/b/c/x.py", "a/b/c/y.py", "a/b/z.py"])
        return asked

    few, many = shop_with(one=["a/b/**"]), shop_with(**{f"n{n}": ["a/b/**"] for n in range(40)})
    assert calls(few) == calls(many) == {"paths": 4, "statuses": 1}


def test_two_live_paths_count_both():
    shop = shop_with(search=["search/**"])
    shop.send("bob.desk", adopted("Elsewhere too", paths("area:search", "find/**")))
    assert names(shop, "search/x") == names(shop, "find/x") == ["search"]
    # One list does not take out what the other lists.
    shop.send("bob.desk", adopted("Not generated", paths("area:search", "!search/gen/**")))
    assert names(shop, "search/gen/x") == ["search"]


def test_superseding_by_name_leaves_the_paths():
    first = adopted(
        "Postgres", prop("area:search", "engine", "postgres"), paths("area:search", "search/**")
    )
    shop = Shop()
    shop.send("alice.laptop", first)
    shop.send(
        "bob.desk",
        adopted("Elastic", prop("area:search", "engine", "elastic"), supersedes=[id_of(first)]),
    )
    assert names(shop, "search/x") == ["search"]


@pytest.mark.parametrize("globs", [["find/**"], [], None])
def test_paths_set_again_by_who_has_read_them_are_replaced(globs):
    first = adopted("Here", paths("area:search", "search/**"))
    shop = Shop()
    shop.send("alice.laptop", first)
    again = adopted("There", prop("area:search", "paths", globs))
    shop.send("bob.desk", again, seen=[id_of(first)])
    assert names(shop, "search/x") == []
    assert names(shop, "find/x") == (["search"] if globs else [])


def test_a_path_is_no_decision_in_force():
    shop = shop_with(search=["search/**"])
    status = next(iter(shop.fold().values()))
    assert [claim.slot for claim in status.holding] == ["@"]


def test_globs_without_an_anchor_have_a_bounded_room():
    shop = shop_with(**{f"n{n}": ["*.py"] for n in range(ROOT_LIMIT - 1)})
    shop.send("alice.laptop", adopted("The last", paths("area:last", "README")))
    written = len(shop.log.objects)
    with pytest.raises(TooManyUnanchored) as refused:
        shop.send("alice.laptop", adopted("One more", paths("area:more", "src/**", "*.go")))
    assert "Begin the glob with a folder" in refused.value.detail
    assert len(shop.log.objects) == written
    # What is anchored, and what has its place already, goes on.
    shop.send("alice.laptop", adopted("Anchored", paths("area:more", "src/**", "!*.md")))
    shop.send("alice.laptop", adopted("Again", paths("area:last", "README.md")))
    assert names(shop, "src/x") == ["more"]


def test_a_request_alone_may_not_overfill_the_room():
    many = [
        parse(adopted(f"D{n}", *(paths(f"area:{n}-{m}", "*") for m in range(ROOT_LIMIT // 2))))
        for n in range(3)
    ]
    check_room(Shop().projection, many[:2])
    with pytest.raises(TooManyUnanchored):
        check_room(Shop().projection, many)
