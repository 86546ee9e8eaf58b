"""The client's small parts: values and elements, ids, remotes, sessions, and what it may import."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.client_support import CLIENT, git  # isort: split

# Only now: what is imported above puts the client on the path.
from precedent_client import canonical, escape, mutations, repository
from precedent_client.faults import Usage

MODULES = sorted((CLIENT / "precedent_client").glob("*.py"))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("postgres", "postgres"), ("true", True), ("false", False), ("null", None), ("3", 3), ("-3", -3),
        ("003", "003"), ("3.5", "3.5"), ("1e3", "1e3"), ("True", "True"), ("", ""), (" x ", " x "),
        ('"true"', "true"), ('"3"', "3"), ('"a', '"a'), ('["a","b"]', ["a", "b"]), ("[]", []),
        ("[a]", "[a]"), ('{"a":1}', '{"a":1}'), ("a=b", "a=b"), ("9007199254740991", 2**53 - 1),
    ],
)  # fmt: skip
def test_a_value_is_typed_where_it_reads_as_one(written: str, value: object) -> None:
    found = mutations.value(written)
    assert found == value
    assert type(found) is type(value)


def test_an_element_splits_at_its_first_colon_and_a_property_at_its_first_equals() -> None:
    flags = [("--on", " a.b : c:d.e=f "), ("--set", "k.x=v=w"), ("--link", "USES=g:h=i")]
    assert mutations.from_flags(flags) == [
        {"op": "set_prop", "element": "a.b:c:d.e=f", "key": "k.x", "value": "v=w"},
        {"op": "add_link", "from": "a.b:c:d.e=f", "link": "USES", "to": "g:h=i"},
    ]


@pytest.mark.parametrize("written", ["", ":", "a:", ":b", "a", " : "])
def test_half_an_element_is_none(written: str) -> None:
    with pytest.raises(Usage):
        mutations.element(written, "--on")


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


@given(VALUES)
def test_canonical_bytes_and_ids_are_the_services(value: object) -> None:
    from precedent import canonical as theirs

    assert canonical.dumps(value) == theirs.dumps(value)


@given(TEXT, TEXT)
def test_element_ids_are_the_services(kind: str, name: str) -> None:
    from precedent import element as theirs

    assert canonical.element_id(kind, name) == theirs.element_id(kind, name)


@given(st.text(max_size=50))
def test_escaped_json_still_says_the_same(value: str) -> None:
    assert json.loads(escape.json_text({"k": value})) == {"k": value}


@given(st.text(max_size=50))
def test_escaped_text_is_printable_and_keeps_its_letters(value: str) -> None:
    shown = escape.text(value)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in shown)
    if value.isascii() and value.isprintable() and "![" not in value:
        assert shown == value


@pytest.mark.parametrize(
    ("url", "normalised"),
    [
        ("https://github.com/acme/shop.git", "github.com/acme/shop"),
        ("https://GitHub.com/acme/shop/", "github.com/acme/shop"),
        ("https://user:p%40ss@github.com/acme/shop.git", "github.com/acme/shop"),
        ("https://token@github.com:443/acme/shop", "github.com/acme/shop"),
        ("git@github.com:acme/shop.git", "github.com/acme/shop"),
        ("github.com:acme/shop", "github.com/acme/shop"),
        ("ssh://git@git.example.com:22/acme/shop.git", "git.example.com/acme/shop"),
        ("ssh://git@git.example.com:2222/acme/shop.git", "git.example.com:2222/acme/shop"),
        ("git://example.com//a//b.git", "example.com/a/b"),
        ("https://example.com/a/b?token=x#y", "example.com/a/b"),
        ("/srv/git/shop.git", None),
        ("../shop", None),
        ("file:///srv/git/shop.git", None),
        ("C:/code/shop", None),
        ("C:\\code\\shop", None),
        ("", None),
    ],
)
def test_a_remote_is_a_host_and_a_path_and_never_a_credential(
    url: str, normalised: str | None
) -> None:
    assert repository.normalised_remote(url) == normalised


class TestRepository:
    @pytest.fixture
    def shop(self, tmp_path: Path) -> Path:
        folder = tmp_path / "shop"
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        git(folder, "commit", "-q", "--allow-empty", "-m", "first")
        return folder

    def test_its_name_is_the_remotes(self, shop: Path) -> None:
        git(shop, "remote", "add", "origin", "git@example.com:acme/the-shop.git")
        assert repository.project_name(str(shop)) == "the-shop"

    def test_without_a_remote_a_worktree_has_the_name_of_the_main_one(
        self, shop: Path, tmp_path: Path
    ) -> None:
        git(shop, "worktree", "add", "-q", str(tmp_path / "elsewhere"), "-b", "topic")
        assert repository.project_name(str(tmp_path / "elsewhere")) == "shop"

    def test_a_path_in_it_is_relative_to_its_root(self, shop: Path) -> None:
        (shop / "docs" / "adr").mkdir(parents=True)
        assert repository.path_in_repository(str(shop / "docs" / "adr")) == "docs/adr/"
        assert repository.path_in_repository(str(shop)) == ""

    def test_without_git_the_folder_gives_the_name_unless_it_is_a_room(
        self, tmp_path: Path
    ) -> None:
        folder = tmp_path / "billing" / "docs" / "adr"
        folder.mkdir(parents=True)
        assert repository.project_name(str(folder)) == "billing"
        assert repository.path_in_repository(str(folder)) is None


class TestShape:
    """What a later hook relies on."""

    @pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
    def test_a_module_is_small_and_says_what_it_is_for(self, module: Path) -> None:
        text = module.read_text()
        assert len(text.splitlines()) < 400
        assert ast.get_docstring(ast.parse(text))

    @pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
    def test_only_the_standard_library_is_imported(self, module: Path) -> None:
        for node in ast.walk(ast.parse(module.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                top = name.split(".")[0]
                assert top == "precedent_client" or top in sys.stdlib_module_names

    def test_reading_what_was_seen_loads_neither_the_network_nor_argparse(self) -> None:
        code = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "import precedent_client.seen, precedent_client.session, precedent_client.terminal\n"
            "heavy = {'urllib.request', 'http.client', 'ssl', 'argparse', 'subprocess', 'email'}\n"
            "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
        )
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, str(CLIENT)], capture_output=True, check=False
        )
        assert done.stderr == b""
