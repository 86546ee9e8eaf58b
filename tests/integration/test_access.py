"""The access table, as deployed: writers, tokens and pointers."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from precedent.aws.access import Access, Identity
from precedent.errors import Invalid, NotFound
from precedent.ports import Pointer, StoreError

from local import deploy

BAD_NAMES = ["", "A", "a/b", "a#b", "-a", ".a", "a" * 65, "a b", "ä", "a\n"]


@pytest.fixture
def access(stack: Any) -> Access:
    return Access(stack.access_table, stack.client("dynamodb"))


@pytest.fixture
def tenant(stack: Any) -> str:
    name: str = stack.new_name("access")
    return name


def test_a_token_is_its_writer_until_it_is_revoked(access: Access, tenant: str) -> None:
    token = access.add_writer(tenant, "alice.laptop", "writer")
    assert re.fullmatch(r"pct_[A-Za-z0-9_-]{43}", token)
    assert access.identify(token) == Identity(tenant, "alice.laptop", "writer")
    access.revoke(tenant, "alice.laptop")
    assert access.identify(token) is None

    again = access.add_writer(tenant, "alice.laptop", "reader")
    assert again != token
    assert access.identify(again) == Identity(tenant, "alice.laptop", "reader")
    assert access.identify(token) is None


def test_a_writer_holds_one_token(access: Access, tenant: str) -> None:
    token = access.add_writer(tenant, "alice.laptop", "writer")
    with pytest.raises(Invalid, match="revoke it first"):
        access.add_writer(tenant, "alice.laptop", "writer")
    assert access.identify(token) is not None


def test_revoking_nobody(access: Access, tenant: str) -> None:
    with pytest.raises(NotFound):
        access.revoke(tenant, "nobody")
    access.add_writer(tenant, "alice.laptop", "writer")
    access.revoke(tenant, "alice.laptop")
    with pytest.raises(NotFound):
        access.revoke(tenant, "alice.laptop")


def test_the_table_holds_no_token(stack: Any, access: Access, tenant: str) -> None:
    token = access.add_writer(tenant, "alice.laptop", "writer")
    assert token not in str(stack.client("dynamodb").scan(TableName=stack.access_table)["Items"])


def test_writers_are_listed_by_tenant(access: Access, tenant: str) -> None:
    access.add_writer(tenant, "bob.desk", "reader")
    access.add_writer(tenant, "alice.laptop", "writer")
    access.add_writer(f"{tenant}x", "eve.pad", "writer")
    access.revoke(tenant, "bob.desk")
    found = list(access.writers(tenant))
    assert [(each.name, each.role, each.revoked_at is None) for each in found] == [
        ("alice.laptop", "writer", True),
        ("bob.desk", "reader", False),
    ]


@pytest.mark.parametrize(
    "token", ["", "pct_", "pct_" + "a" * 42, "x" * 47, "pct_" + "a" * 43 + "\n"]
)
def test_what_is_no_token_is_nobody(access: Access, token: str) -> None:
    assert access.identify(token) is None


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_are_checked(access: Access, tenant: str, name: str) -> None:
    with pytest.raises(Invalid):
        access.add_writer(tenant, name, "writer")
    with pytest.raises(Invalid):
        access.add_writer(name, "alice.laptop", "writer")
    with pytest.raises(Invalid):
        access.pointer(tenant, name)
    with pytest.raises(Invalid):
        access.pointer(name, "shop")


def test_roles_are_checked(access: Access, tenant: str) -> None:
    with pytest.raises(Invalid):
        access.add_writer(tenant, "alice.laptop", "owner")


def test_a_pointer_is_made_once(access: Access, tenant: str) -> None:
    assert access.pointer(tenant, "shop") is None
    first = Pointer("table", "g1", "salt")
    assert access.ensure_pointer(tenant, "shop", first) == first
    assert access.ensure_pointer(tenant, "shop", Pointer("other", "g2", "pepper")) == first
    assert access.pointer(tenant, "shop") == first


def test_many_making_a_pointer_at_once_agree(access: Access, tenant: str) -> None:
    wanted = [Pointer("table", f"g{number}", f"salt{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        got = set(pool.map(lambda each: access.ensure_pointer(tenant, "shop", each), wanted))
    assert len(got) == 1
    assert got <= set(wanted)


def test_a_pointer_is_flipped_by_one(access: Access, tenant: str) -> None:
    old = access.ensure_pointer(tenant, "shop", Pointer("table", "g1", "salt"))
    assert access.flip_pointer(tenant, "shop", old, replace(old, generation="g2"))
    assert access.pointer(tenant, "shop") == Pointer("table", "g2", "salt")
    assert not access.flip_pointer(tenant, "shop", old, replace(old, generation="g3"))
    assert access.pointer(tenant, "shop") == Pointer("table", "g2", "salt")


def test_flipping_no_pointer_makes_none(access: Access, tenant: str) -> None:
    old = Pointer("table", "g1", "salt")
    assert not access.flip_pointer(tenant, "shop", old, replace(old, generation="g2"))
    assert access.pointer(tenant, "shop") is None


def test_a_table_that_is_not_there(stack: Any) -> None:
    access = Access("no-such-table", deploy.client(stack.home, "dynamodb"))
    with pytest.raises(StoreError, match="ResourceNotFoundException"):
        access.identify("pct_" + "a" * 43)
    with pytest.raises(StoreError):
        access.pointer("acme", "shop")
