"""The contract of `ports.Log`."""

from __future__ import annotations

import pytest
from precedent.aws.log import S3Log, list_projects, s3_client
from precedent.packs import md5
from precedent.ports import Log, Stored, Summary

from tests.contract.conftest import Aws, LogOf
from tests.contract.samples import at_once


def test_what_was_put_is_read_back_byte_for_byte(log: Log) -> None:
    data = '{"a":"ü"}\n'.encode()
    assert log.put("alice.laptop", 1, data)
    assert log.get("alice.laptop", 1) == data


def test_an_object_is_never_replaced(log: Log) -> None:
    assert log.put("alice", 1, b"first\n")
    assert not log.put("alice", 1, b"second\n")
    assert not log.put("alice", 1, b"first\n")
    assert log.get("alice", 1) == b"first\n"


def test_an_empty_object_is_an_object(log: Log) -> None:
    assert log.put("alice", 1, b"")
    assert log.get("alice", 1) == b""


def test_of_parallel_puts_of_one_name_exactly_one_wins(log: Log) -> None:
    twins = [b"%d\n" % number for number in range(8)]
    won = at_once(lambda data: log.put("alice", 1, data), twins)
    assert won.count(True) == 1
    assert log.get("alice", 1) == twins[won.index(True)]


def test_where_nothing_was_put_there_is_nothing(log: Log) -> None:
    assert log.get("alice", 1) is None
    assert log.first_after("alice", 0) is None
    assert log.last("alice", 0) is None
    assert list(log.writers()) == []


def test_first_after_finds_the_next_object_over_any_gap(log: Log) -> None:
    for first in (1, 5, 1000):
        log.put("alice", first, b"x\n")
    assert log.first_after("alice", 0) == 1
    assert log.first_after("alice", 1) == 5
    assert log.first_after("alice", 4) == 5
    assert log.first_after("alice", 5) == 1000
    assert log.first_after("alice", 1000) is None


def test_last_is_the_greatest_name_after_a_seq(log: Log) -> None:
    for first in (1, 5, 1000):
        log.put("alice", first, b"%d\n" % first)
    assert log.last("alice", 0) == Stored(1000, b"1000\n")
    assert log.last("alice", 999) == Stored(1000, b"1000\n")
    assert log.last("alice", 1000) is None


def test_writers_whose_names_begin_alike_keep_apart(log: Log) -> None:
    for number, writer in enumerate(("a", "a.b", "a-b", "a_b", "ab"), 1):
        log.put(writer, number, writer.encode())
    assert list(log.writers()) == ["a", "a-b", "a.b", "a_b", "ab"]
    assert log.first_after("a", 0) == 1
    assert log.first_after("a", 1) is None
    assert log.last("a", 0) == Stored(1, b"a")


def test_projects_whose_names_begin_alike_keep_apart(log_of: LogOf, tenant: str) -> None:
    shop, api = log_of(tenant, "shop"), log_of(tenant, "shop-api")
    api.put("alice", 1, b"x\n")
    assert shop.get("alice", 1) is None
    assert shop.first_after("alice", 0) is None
    assert list(shop.writers()) == []
    assert list(api.writers()) == ["alice"]


@pytest.mark.prove
def test_a_log_longer_than_a_page_of_the_listing(log: Log) -> None:
    for seq in range(1, 1051):
        log.put("alice", seq, b"x\n")
    assert log.last("alice", 0) == Stored(1050, b"x\n")
    assert log.first_after("alice", 1049) == 1050


def test_what_is_listed_of_an_object_is_its_size_and_the_md5_of_its_bytes(log: Log) -> None:
    for first in (1, 5, 999, 1000):
        log.put("alice", first, b"%d\n" % first)
    log.put("alice.b", 2, b"x")
    listed = log.summaries("alice", 0, 1000)
    assert list(listed) == [1, 5, 999]
    assert listed[5] == Summary(2, md5(b"5\n"))
    assert list(log.summaries("alice", 5, 1000)) == [5, 999]
    assert list(log.summaries("alice", 6, 999)) == []
    assert log.summaries("bob", 0, 1000) == {}


def test_several_objects_come_in_the_order_they_are_asked_for(log: Log) -> None:
    for first in range(1, 30):
        log.put("alice", first, b"%d" % first)
    asked = [*range(29, 0, -1), 77, 1]
    assert list(log.get_all("alice", asked)) == [log.get("alice", first) for first in asked]


# -------------------------------------------------------------------------------- S3 alone


@pytest.mark.parametrize("name", ["", "A", "a/b", "../a", ".a", "a" * 65, "a\n", "ä"])
def test_a_name_that_could_leave_its_prefix_is_refused(aws: Aws, name: str) -> None:
    with pytest.raises(ValueError, match="names are"):
        S3Log(aws.bucket, name, "shop")
    with pytest.raises(ValueError, match="names are"):
        S3Log(aws.bucket, "acme", name)
    with pytest.raises(ValueError, match="names are"):
        aws.log("acme", "shop").get(name, 1)


def test_keys_that_are_no_objects_of_the_log_are_passed_over(aws: Aws, tenant: str) -> None:
    s3, log = s3_client(), aws.log(tenant, "shop")
    folder = f"t/{tenant}/shop/log/alice/"
    strays = ("000000000001", "000000000001.jsonl.bak", "1.jsonl", "000000000002/x.jsonl", "zz")
    for stray in strays:
        s3.put_object(Bucket=aws.bucket, Key=folder + stray, Body=b"stray")
    assert log.first_after("alice", 0) is None
    assert log.last("alice", 0) is None
    log.put("alice", 3, b"x\n")
    assert log.first_after("alice", 0) == 3
    assert log.first_after("alice", 3) is None


def test_the_sweep_finds_every_project(aws: Aws, tenant: str) -> None:
    for project in ("shop", "shop-api"):
        aws.log(tenant, project).put("alice", 1, b"x\n")
    aws.log(f"{tenant}.b", "shop").put("alice", 1, b"x\n")
    s3_client().put_object(Bucket=aws.bucket, Key=f"t/{tenant}/NOT OURS/log/a/1", Body=b"")
    found = [pair for pair in list_projects(aws.bucket) if pair[0].startswith(tenant)]
    assert sorted(found) == [(tenant, "shop"), (tenant, "shop-api"), (f"{tenant}.b", "shop")]
