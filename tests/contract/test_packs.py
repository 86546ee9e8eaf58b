"""The contract of `ports.Packs`, and packing on S3 as it is."""

from __future__ import annotations

import pytest
from precedent.aws.log import s3_client
from precedent.aws.packs import S3Packs
from precedent.packed import PackedLog
from precedent.packing import pack
from precedent.packs import FEWEST, seal
from precedent.ports import Log, Packs, StoreError

from tests.contract.conftest import Aws, PacksOf

NAME, DATA = seal(0, {1: b"x\n"})
OTHER, OTHER_DATA = seal(1, {1001: b"y\n"})


def test_what_was_put_is_read_back_until_it_is_deleted(packs: Packs) -> None:
    packs.put("alice", NAME, DATA)
    packs.put("alice", OTHER, OTHER_DATA)
    assert packs.names("alice") == [NAME, OTHER]
    assert packs.get("alice", NAME) == DATA
    packs.delete("alice", NAME)
    packs.delete("alice", NAME)
    assert packs.names("alice") == [OTHER]
    assert packs.get("alice", NAME) is None


def test_a_pack_that_went_wrong_can_be_put_again(packs: Packs) -> None:
    packs.put("alice", NAME, b"rubbish")
    packs.put("alice", NAME, DATA)
    assert packs.get("alice", NAME) == DATA


def test_writers_and_projects_whose_names_begin_alike_keep_apart(
    packs_of: PacksOf, tenant: str
) -> None:
    shop, api = packs_of(tenant, "shop"), packs_of(tenant, "shop-api")
    for writer in ("a", "a.b", "a-b"):
        shop.put(writer, NAME, DATA)
    assert list(shop.writers()) == ["a", "a-b", "a.b"]
    assert shop.names("a") == [NAME]
    assert list(api.writers()) == []
    assert api.get("a", NAME) is None


def test_a_packed_log_reads_as_the_log_does(log: Log, packs: Packs) -> None:
    for first in range(1, FEWEST + 2):
        log.put("alice", first, b'{"seq":%d}\n' % first)
    packed = pack(log, packs)
    assert (packed.made, packed.objects) == (1, FEWEST + 1)
    reader = PackedLog(log, packs)
    wanted = list(log.get_all("alice", range(FEWEST + 3)))
    assert list(reader.get_all("alice", range(FEWEST + 3))) == wanted
    assert reader.passed_over == {}


# -------------------------------------------------------------------------------- S3 alone


@pytest.mark.parametrize("name", ["", "x.zst", "../" + NAME, NAME + "/", NAME.upper()])
def test_a_name_that_is_no_packs_is_refused(aws: Aws, name: str) -> None:
    with pytest.raises(ValueError, match="not the name"):
        aws.packs("acme", "shop").put("alice", name, b"")


def test_what_is_no_pack_is_passed_over(aws: Aws, tenant: str) -> None:
    log, packs = aws.log(tenant, "shop"), aws.packs(tenant, "shop")
    log.put("alice", 1, b"x\n")
    key = f"t/{tenant}/shop/packs/alice/notes.txt"
    s3_client().put_object(Bucket=aws.pack_bucket, Key=key, Body=b"x")
    assert PackedLog(log, packs).get("alice", 1) == b"x\n"
    assert pack(log, packs).deleted == 0


def test_without_the_bucket_the_log_is_read_and_packing_says_so(aws: Aws, tenant: str) -> None:
    log, packs = aws.log(tenant, "shop"), S3Packs("no-such-bucket", tenant, "shop")
    log.put("alice", 1, b"x\n")
    reader = PackedLog(log, packs)
    assert reader.get("alice", 1) == b"x\n"
    assert "NoSuchBucket" in reader.passed_over["alice"]
    with pytest.raises(StoreError, match="packs: ListObjectsV2"):
        pack(log, packs)
