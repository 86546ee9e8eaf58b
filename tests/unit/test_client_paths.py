"""A file is named from where one stands, and asked about from its repository's root."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.client_support import Client, git, recalled, scripted

A = "d_" + "a" * 24


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "search" / "index").mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return folder


def asked(client: Client, cwd: Path, *paths: str) -> list[str]:
    words = [word for path in paths for word in ("--path", path)]
    with scripted(recalled(A)) as service:
        done = client("recall", *words, service=service, cwd=cwd)
        assert done.code == 0, done.err
        found = service.bodies[0]["path"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("stand", "written", "wanted"),
    [
        (".", "search/api.py", "search/api.py"),
        ("search", "api.py", "search/api.py"),
        ("search", "./index/../api.py", "search/api.py"),
        ("search/index", "../../README.md", "README.md"),
        ("search", "no/such folder, yet/x.py", "search/no/such folder, yet/x.py"),
        (".", "search\\index\\x.py", "search/index/x.py"),
        (".", "{shop}/search/api.py", "search/api.py"),
        ("search", "{shop}/top.py", "top.py"),
    ],
)
def test_from_anywhere_in_the_repository(
    client: Client, shop: Path, stand: str, written: str, wanted: str
) -> None:
    assert asked(client, shop / stand, written.format(shop=shop)) == [wanted]


def test_a_worktree_is_the_same_repository(client: Client, shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "feature"
    git(shop, "worktree", "add", "-q", str(other))
    (other / "search").mkdir()
    assert asked(client, other / "search", "api.py") == ["search/api.py"]
    assert asked(client, shop, str(other / "search" / "api.py")) == ["search/api.py"]
    nested = shop / "trees" / "fix"
    git(shop, "worktree", "add", "-q", str(nested))
    assert asked(client, shop, "trees/fix/a.py") == ["a.py"]


def test_a_repository_within_ours_is_a_part_of_ours(client: Client, shop: Path) -> None:
    inner = shop / "vendor" / "lib"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    assert asked(client, shop, "vendor/lib/x.c") == ["vendor/lib/x.c"]
    assert asked(client, inner, "x.c") == ["x.c"]


def test_through_a_link_to_the_repository(client: Client, shop: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(shop)
    assert asked(client, shop, str(link / "search" / "api.py")) == ["search/api.py"]
    assert asked(client, link, str(shop / "search" / "api.py")) == ["search/api.py"]


def test_without_a_repository_paths_count_from_here(client: Client, tmp_path: Path) -> None:
    assert asked(client, tmp_path, "a/b.py") == ["a/b.py"]


@pytest.mark.parametrize(
    "written", ["../x.py", "/etc/passwd", "search/../../x", "{shop}-api/x.py", "out/x.py", ".", "", "C:\\x.py"]
)  # fmt: skip
def test_what_is_no_file_of_the_repository_is_refused_and_not_asked(
    client: Client, shop: Path, tmp_path: Path, written: str
) -> None:
    (tmp_path / "shop-api").mkdir()
    (shop / "out").symlink_to(tmp_path)
    with scripted(recalled(A)) as service:
        done = client("recall", "--path", written.format(shop=shop), service=service, cwd=shop)
    assert (done.code, service.requests) == (2, [])


def test_each_file_once(client: Client, shop: Path) -> None:
    assert asked(client, shop, "a.py", "./a.py", "search/../a.py") == ["a.py"]
