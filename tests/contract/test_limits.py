"""Whatever a line of the log says, its items have keys the table takes; what would not is quarantined."""

from __future__ import annotations

import msgspec
import pytest
from precedent import canonical
from precedent.aws.keys import Keys
from precedent.element import PATHS
from precedent.entry import (
    GENESIS,
    Arrived,
    Claim,
    Context,
    Displaced,
    Dot,
    Entry,
    Intent,
    Place,
    Unreadable,
    read,
    seal,
)
from precedent.live import read_live
from precedent.project import project
from precedent.rows import LiveRow

from tests.contract.conftest import Aws
from tests.contract.samples import CART, SEARCH
from tests.fakes.memory import MemoryProjection

WRITER, TENANT, PROJECT = "w" * 64, "t" * 64, "p" * 64
PLACE = Place(TENANT, PROJECT, WRITER, 10**12 - 1)
GLOB = "/" + "\U0001f5ff" * 498 + "/x"
DISPLACED = Displaced(SEARCH, "p:" + "ü" * 349, Dot("v" * 64, 10**12 - 1), "seen")


def line(
    displaced: Displaced = DISPLACED,
    slot: str = "l:" + "k" * 674 + f":{CART}",
    key: str = "k" * 64,
    kind: str = "\U0001f5ff" * 64,
    element: str = SEARCH,
) -> bytes:
    """A line at the edge of everything `read` lets through."""
    decision = canonical.dumps(
        {"title": "t", "date": "2026-11-30T10:00:00.123456Z", "paths": [GLOB]}
    )
    digest = canonical.sha256(decision)
    named = {element: (kind, "n"), CART: ("feature", "cart")}
    context = canonical.dumps(
        msgspec.to_builtins(Context("salt", named, ((SEARCH, PATHS, "/paths"),)))
    )
    intent = canonical.dumps(
        msgspec.to_builtins(
            Intent(TENANT, PROJECT, WRITER, key, 0, 1, "0" * 64, digest, (), (), "refuse", "")
        )
    )
    entry = Entry(
        v=1,
        act="record",
        writer=WRITER,
        seq=PLACE.seq,
        prev=GENESIS,
        recorded_at="2026-11-30T20:38:14.123Z",
        intent=canonical.sha256(intent),
        decision=(f"d_{digest[:24]}", digest),
        context=canonical.sha256(context),
        claims=(Claim(SEARCH, slot, "1" * 32), Claim(SEARCH, PATHS, "1" * 32)),
        displaces=(displaced,),
    )
    return seal(entry, intent, decision, context)[0]


def arrive() -> Arrived:
    return read(line(), PLACE, PLACE.seq)


def test_keys_stay_within_what_the_table_takes() -> None:
    projection = MemoryProjection(keys=Keys("g99", TENANT, PROJECT))
    project(projection, arrive())
    kinds = {pk.split("#")[3] for pk, _ in projection.table}
    assert kinds == set("DEHKLNP")
    assert max(len(pk.encode()) for pk, _ in projection.table) <= 2048
    assert max(len(sk.encode()) for _, sk in projection.table) <= 1024


def test_the_table_takes_them(aws: Aws) -> None:
    projection = aws.projection(TENANT, PROJECT)
    project(projection, arrive())
    (arrived,) = (one for one in projection.all_statuses() if one.arrived)
    assert arrived.globs == ((SEARCH, GLOB),)


@pytest.mark.parametrize(
    "bad",
    [
        line(displaced=DISPLACED._replace(dot=Dot("W", 1))),
        line(displaced=DISPLACED._replace(dot=Dot("w" * 3000, 1))),
        line(displaced=DISPLACED._replace(dot=Dot("a#b", 1))),
        line(displaced=DISPLACED._replace(dot=Dot("a", 0))),
        line(displaced=DISPLACED._replace(dot=Dot("a", 10**12))),
        line(slot="p:" + "k" * 700),
        line(key="k" * 2000),
        line(kind="ﷺ" * 300),
        line(element="el_" + "e" * 3000),
    ],
)
def test_a_line_whose_rows_could_not_be_kept_is_quarantined(bad: bytes) -> None:
    with pytest.raises(Unreadable):
        read(bad, PLACE, PLACE.seq)


def test_a_row_without_a_status_holds_nothing_and_ends() -> None:
    """A reader may stand in a generation that is being taken away."""
    projection = MemoryProjection()
    projection.put(LiveRow(SEARCH, "p:a", Dot("alice", 1), "d_1"))
    assert read_live(projection, SEARCH) == []
    assert read_live(projection, SEARCH, "p:a") == []
