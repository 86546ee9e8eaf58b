"""Finding by path against its meaning: every live list of globs of every element, matched one by one."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import example, given
from hypothesis import strategies as st
from precedent.element import PATHS
from precedent.errors import Refusal
from precedent.globs import check_globs, covering, literal_folder
from precedent.paths import checked_path, find, folders_above

from tests.property.shop import Shop, adopted, id_of, prop

steps = st.sampled_from(["a", "b", "api", "rapid", "a b", "c,d", "é", "x.py", ".hidden"])
wild_steps = st.sampled_from(["*", "**", "*.py", "a*", "?", "[ab]", r"\a", "[!a]"])


def joined(parts: list[str], before: str, after: str) -> str:
    return before + "/".join(parts) + after


globs = st.builds(
    joined,
    st.lists(steps | steps | wild_steps, min_size=1, max_size=4),
    st.sampled_from(["", "", "/", "!"]),
    st.sampled_from(["", "", "/", " "]),
)
paths = st.builds(
    joined, st.lists(steps, min_size=1, max_size=5), st.just(""), st.sampled_from(["", "", "/"])
)
anything = st.text(st.sampled_from("ab/*?[]!\\ .-^{}#|$+()é\t"), min_size=1, max_size=12)


@given(anything | globs, st.text(st.sampled_from("ab/.é [!]#^{"), min_size=1) | paths)
@example("foo/ ", "x/foo/y")
@example("foo/\t", "x/foo/y")
@example("/a/", "a/b")
@example("a/b\\ ", "a/b ")
def test_what_a_glob_covers_lies_under_its_folder(glob: str, path: str) -> None:
    """Or no file there would ever look it up."""
    with suppress(Refusal):
        check_globs([glob], "")
        path = checked_path(path, "")
        if covering([glob], path):
            assert literal_folder(glob) in folders_above(path)


lists_of_globs = st.lists(globs, max_size=3)
elements = st.sampled_from(["area:one", "area:two", "area:three"])


@given(
    st.lists(st.tuples(elements, lists_of_globs, st.booleans()), max_size=8),
    st.lists(paths, min_size=1, max_size=3),
)
def test_finding_is_matching_every_live_list_of_every_element(
    settings: list[tuple[str, list[str], bool]], asked: list[str]
) -> None:
    shop = Shop()
    known: list[str] = []
    for number, (name, found, replaces) in enumerate(settings):
        decision = adopted(f"D{number}", prop(name, "paths", found))
        with suppress(Refusal):
            shop.send("alice.laptop", decision, seen=known if replaces else ())
            known.append(id_of(decision))

    expected: dict[str, int] = {}
    for status in shop.fold().values():
        for claim in status.live:
            if claim.slot != PATHS:
                continue
            listed = [glob for element, glob in status.globs if element == claim.element]
            for glob in filter(None, (covering(listed, path) for path in asked)):
                depth = len([step for step in literal_folder(glob).split("/") if step])
                expected[claim.element] = max(depth, expected.get(claim.element, 0))

    found_now = find(shop.projection, asked)
    assert {covered.element: covered.depth for covered in found_now} == expected
    order = [(-covered.depth, covered.element) for covered in found_now]
    assert order == sorted(order)
