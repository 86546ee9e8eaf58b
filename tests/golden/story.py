"""The story the golden log tells: five writers, a few weeks, everything the model knows."""

from __future__ import annotations

from typing import Any

from tests.property.shop import Shop, adopted, attach, id_of, link, prop, request_of, unlink

ALICE, BOB, CAROL, CI, IMPORTER = "alice.laptop", "bob.desk", "carol.mac", "ci.main", "importer.adr"
SEARCH, CHECKOUT, DB, QUEUE = (
    "feature:Product Search",
    "feature:checkout",
    "service:postgres",
    "service:queue",
)


def engine(value: Any, **fields: Any) -> dict[str, Any]:
    return adopted(f"Search runs on {value}", prop(SEARCH, "engine", value), **fields)


def tell() -> Shop:
    """Everything that was ever recorded, in the order of recording."""
    shop = Shop()
    _beginnings(shop)
    _conflict_and_revival(shop)
    _links(shop)
    _dead_ends_and_notes(shop)
    _addresses(shop)
    _history_imported(shop)
    _parallel_worlds(shop)
    _scripts_and_values(shop)
    return shop


def _beginnings(shop: Shop) -> None:
    """A batch, in order, in one object: the second supersedes the first, the third stands alone."""
    draft = adopted("One deployable", prop(CHECKOUT, "shape", "monolith"), attach("team:core"))
    final = adopted("Two", prop(CHECKOUT, "shape", "services"), supersedes=[id_of(draft)])
    budget = adopted("Checkout answers in 300 ms", prop(CHECKOUT, "budget-ms", 300))
    shop.send(ALICE, draft, final, budget)
    shop.send(BOB, final)  # already in force: nothing is written
    shop.send(BOB, adopted("Retries", prop(CHECKOUT, "retries", 3), prop(CHECKOUT, "jitter", True)))


def _conflict_and_revival(shop: Shop) -> None:
    """elastic; postgres beside it; solr ends the conflict; then elastic, postgres, elastic again."""
    elastic, postgres, solr = engine("elastic"), engine("postgres"), engine("solr")
    shop.send(ALICE, elastic)
    shop.send(BOB, postgres, on_unseen="branch")
    shop.send(CAROL, solr, overrule=[id_of(elastic)], seen=[id_of(postgres)])
    shop.send(CI, elastic, seen=[id_of(solr)])
    for now, then in [(postgres, elastic), (elastic, postgres)] * 3:
        shop.send(BOB if now is postgres else ALICE, now, seen=[id_of(then), id_of(solr)])
    shop.send(CI, adopted("We agree", prop(SEARCH, "engine", "elastic")))
    shop.send(CAROL, adopted("Withdrawn", supersedes=[id_of(elastic)], mutations=[]))
    shop.send(ALICE, engine(None), on_unseen="branch")
    both = adopted("One language", prop(SEARCH, "language", "go"), prop(CHECKOUT, "language", "go"))
    shop.send(BOB, both)
    shop.send(CI, adopted("Search in Rust", prop(SEARCH, "language", "rust")), seen=[id_of(both)])


def _links(shop: Shop) -> None:
    """Added, retired, added again, at both ends; two kinds between the same two."""
    uses = adopted("Checkout uses the queue", link(CHECKOUT, "USES", QUEUE))
    unused = adopted("It does not", unlink(CHECKOUT, "uses", QUEUE))
    shop.send(ALICE, uses)
    for now, then in [(unused, uses), (uses, unused), (unused, uses), (uses, unused)]:
        shop.send(CAROL if now is unused else ALICE, now, seen=[id_of(then)])
    shop.send(BOB, adopted("And owns it", link(CHECKOUT, "OWNS", QUEUE), link(SEARCH, "USES", DB)))
    shop.send(CI, adopted("Not ours", unlink(CHECKOUT, "OWNS", QUEUE)), on_unseen="branch")


def _dead_ends_and_notes(shop: Shop) -> None:
    mongo = adopted("Mongo for search", prop(SEARCH, "engine", "mongo"), outcome="rejected")
    note = adopted("Search owns its index", attach(SEARCH), attach(DB), outcome="note")
    shop.send(BOB, mongo)
    shop.send(CAROL, note)
    off = adopted("No longer true", supersedes=[id_of(note)], mutations=[])
    shop.send(ALICE, off)
    shop.send(CAROL, note, seen=[id_of(off)])
    shop.send(
        CI, adopted("Read this first", attach(CHECKOUT), refs=[{"rel": "adr", "url": "docs/1.md"}])
    )


def _addresses(shop: Shop) -> None:
    first = adopted("Where search is", prop(SEARCH, "paths", ["search/**", "!search/old/**"]))
    shop.send(ALICE, first)
    shop.send(BOB, adopted("Also here", prop(SEARCH, "paths", ["web/search/*.ts"]), attach(DB)))
    shop.send(CI, adopted("Superseded by name", attach(SEARCH), supersedes=[id_of(first)]))
    moved = adopted("Moved", prop(SEARCH, "paths", ["src/search/**"]), prop(DB, "version", 16))
    shop.send(CAROL, moved, seen=[id_of(first)])
    shop.send(CAROL, adopted("Nowhere", prop(DB, "paths", None)))


def _history_imported(shop: Shop) -> None:
    """Old records: behind what holds they are history; where nothing holds they are in force."""
    for year in range(2016, 2024):
        record = adopted(
            f"Engine of {year}", prop(SEARCH, "engine", f"v{year}"), date=f"{year}-03-01"
        )
        shop.send(IMPORTER, record, on_unseen="historical")
    batch = [
        adopted(f"Record {n}", prop(f"topic:record {n}", "decided", True), date=f"2019-0{n}-01")
        for n in range(1, 10)
    ]
    shop.send(IMPORTER, *batch, on_unseen="historical")
    shop.send(CI, *batch, on_unseen="historical")  # run twice: nothing is written


def _parallel_worlds(shop: Shop) -> None:
    """Two who do not know of each other displace the same head; a third displaces one of them.

    Read in the order of the writers' names, entries are displaced before they arrive.
    """
    base = adopted("Cache for an hour", prop(CHECKOUT, "cache", 3600))
    shop.send(CI, base)
    view = shop.arrived()
    one = adopted("Cache for a minute", prop(CHECKOUT, "cache", 60))
    two = adopted("Cache for a day", prop(CHECKOUT, "cache", 86400))
    for writer, content in [(CAROL, one), (BOB, two)]:
        request = request_of(content, key=f"parallel-{writer}", seen=[id_of(base)])
        assert shop.send_unaware(writer, view, request)
    shop.sweep()
    last = adopted("No cache", prop(CHECKOUT, "cache", None))
    shop.send(ALICE, last, overrule=[id_of(one)], beside=[id_of(two)])


def _scripts_and_values(shop: Shop) -> None:
    shop.send(IMPORTER, adopted("検索", prop("機能:検索", "エンジン", "標準")))
    shop.send(IMPORTER, adopted("Größe", prop("Straße:İstanbul", "Größe", ["ä", "\U0001f600"])))
    shop.send(
        IMPORTER,
        adopted("Bounds", prop(DB, "rows", 2**53 - 1), prop(DB, "floor", -(2**53) + 1)),
        circumstances={"agent": "claude-code", "branch": "main", "commit": "0" * 40},
    )
    for value in (True, 1, "1", ["1"], []):
        shop.send(
            BOB, adopted(f"Replicas {value!r}", prop(DB, "replicas", value)), on_unseen="branch"
        )
