"""Globs as git reads them: what they cover, which folder they are found under, and which are refused."""

import pytest
from precedent.errors import Invalid, TooLarge
from precedent.globs import WILDCARD_LIMIT, check_globs, covering, is_anchored, literal_folder


@pytest.mark.parametrize(
    ("glob", "covered", "not_covered"),
    [
        ("api", ["api", "api/x.go", "src/api/x.go"], ["src/rapid/x.go", "rapid", "apis/x.go"]),
        ("api/", ["api/x.go", "src/api/x.go"], ["api", "src/rapid/x.go"]),
        ("/api", ["api", "api/x.go"], ["src/api/x.go"]),
        ("/api/", ["api/x.go"], ["api", "src/api/x.go"]),
        ("search/**", ["search/a", "search/a/b"], ["search", "x/search/a"]),
        ("search/*", ["search/a", "search/a/b"], ["x/search/a"]),
        ("search/*.py", ["search/a.py"], ["search/b/a.py", "search/a.pyc"]),
        ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["z", "b/a/z"]),
        ("**/x/y", ["x/y", "a/x/y"], ["a/xx/y"]),
        ("*.md", ["a.md", "docs/a.md"], ["a.mdx"]),
        ("docs/read me.md", ["docs/read me.md"], ["docs/read"]),
        (" docs/x", [" docs/x"], ["docs/x"]),
        ("docs/x  ", ["docs/x"], ["docs/x  "]),
        ("docs/x\\ ", ["docs/x "], ["docs/x"]),
        ("a,b/c", ["a,b/c"], ["a/c", "b/c"]),
        ("a/[bc]/d", ["a/b/d", "a/c/d"], ["a/e/d"]),
        ("a/[!b]/d", ["a/c/d"], ["a/b/d"]),
        (r"a/\[b\]/d", ["a/[b]/d"], ["a/b/d"]),
        (r"\!important", ["!important"], ["important"]),
        (r"\#1", ["#1", "a/#1/b"], ["1"]),
        ("übung/ß?", ["übung/ßa"], ["ubung/ßa", "übung/ssa"]),
        ("搜索/*", ["搜索/a"], ["搜/a"]),
    ],
)
def test_what_a_glob_covers(glob, covered, not_covered):
    check_globs([glob], "")
    assert [path for path in covered + not_covered if covering([glob], path)] == covered


@pytest.mark.parametrize(
    ("globs", "path", "by"),
    [
        (["search/**", "!search/gen/**"], "search/gen/x", None),
        (["search/**", "!search/gen/**"], "search/x", "search/**"),
        (["search/**", "!*.md"], "search/a.md", None),
        (["!*.md", "search/**"], "search/a.md", "search/**"),
        (["search/**", "!*.md", "search/README.md"], "search/README.md", "search/README.md"),
        (["!search/**"], "search/x", None),
        ([], "search/x", None),
    ],
)
def test_the_last_glob_that_matches_decides(globs, path, by):
    check_globs(globs, "")
    assert covering(globs, path) == by


@pytest.mark.parametrize(
    ("glob", "folder"),
    [
        ("/", ""),
        ("/foo", ""),
        ("/foo/", "foo"),
        ("foo/", ""),
        ("foo/ ", ""),
        ("foo/x ", "foo"),
        ("a/b/", "a/b"),
        ("a/b/  ", "a/b"),
        ("/a/b", "a"),
        ("a/**", "a"),
        ("**/a/b", ""),
        ("a/[b]/c", "a"),
        (r"a/\[b\]/c", "a"),
        (r"a/b\*", "a"),
        ("a b/c", "a b"),
        (" a/c", " a"),
    ],
)
def test_the_folder_a_glob_is_found_under(glob, folder):
    assert literal_folder(glob) == folder


def test_what_takes_out_needs_no_anchor():
    assert is_anchored("!*.md")
    assert not is_anchored("*.md")
    assert not is_anchored("/README.md")


@pytest.mark.parametrize("glob", ["", " ", "/", "//", "!", "!/", "#x", "# a/b", "[a", "a/[b"])
def test_a_glob_that_matches_nothing_is_refused(glob):
    with pytest.raises(Invalid, match="/paths/1: "):
        check_globs(["ok/**", glob], "/paths")


@pytest.mark.parametrize("glob", ["./a", "a/./b", "../a", "a/..", "a//b", "!../a"])
def test_a_glob_of_no_path_in_the_repository_is_refused(glob):
    with pytest.raises(Invalid, match="matches nothing"):
        check_globs([glob], "/paths")


@pytest.mark.parametrize("glob", ["a\\", "[z-a]/x", "[[:alpha:]]/x", "a[[:digit:]]"])
def test_a_glob_that_can_not_be_read_is_refused(glob):
    with pytest.raises(Invalid, match="/paths/1: is no git-style glob"):
        check_globs(["ok/**", glob], "/paths")


@pytest.mark.parametrize(("extra", "taken"), [(-1, True), (0, True), (1, False)])
@pytest.mark.parametrize("wild", ["*", "?", "[ab]"])
def test_a_glob_has_at_most_so_many_wildcards(wild, extra, taken):
    glob = "a/" + f"{wild}x" * (WILDCARD_LIMIT + extra)
    if taken:
        check_globs([glob], "/paths")
        return
    with pytest.raises(TooLarge) as refused:
        check_globs([glob], "/paths")
    assert refused.value.members["field"] == "/paths/0"


def test_hard_globs_are_answered():
    """With a matcher that backtracks none of these would be."""
    for glob in ("a/" + "*?" * 10 + "z", "a/" + "**/*/" * 6 + "z", "a/" + "*a" * 20 + "z"):
        assert covering([glob], "a/" + "aa/" * 20 + "a" * 400) is None
    assert covering(["a/**/*"] * 50, "a/" + "b/" * 38 + "c") == "a/**/*"
    assert covering(["*" * 1000], "x" * 1000) == "*" * 1000


def test_globs_that_are_too_much_together_are_refused_as_a_list():
    globs = ["?*" * 10 + "é" * 300 + str(number) for number in range(50)]
    check_globs(globs[:1], "/paths")
    with pytest.raises(Invalid, match=r"^/paths: is more than can be matched at once"):
        check_globs(globs * 8, "/paths")


@pytest.mark.parametrize("glob", ["[z-a]/x", "a\\", "[[:alpha:]]/x"])
def test_what_an_append_would_refuse_covers_nothing(glob):
    assert covering([glob, "a/**"], "a/x") is None
