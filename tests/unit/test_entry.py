"""Entries: hashes over the bytes as stored, a chain, and what no reader may choke on."""

import msgspec
import pytest
from precedent import canonical
from precedent.consume import open_object
from precedent.entry import GENESIS, Arrived, Dot, Place, Unreadable, read
from precedent.orset import digest, fold
from precedent.project import project
from precedent.recall import recall, show, targets
from precedent.rows import QuarantineRow

from tests.fakes.memory import MemoryProjection
from tests.property.picture import NAMES, shown_live
from tests.property.shop import SCOPE, Shop, adopted, attach, element, id_of, prop

PLACE = Place("acme", "shop", "alice.laptop", 1)
SEARCH = "feature:search"


@pytest.fixture
def line():
    """A line of the log, parsed: change it, `sealed` makes it whole again."""
    shop = Shop()
    decision = adopted(
        "Engine", prop(SEARCH, "engine", "a"), attach("service:db"), date="2025-01-01"
    )
    shop.send("alice.laptop", decision)
    return msgspec.json.decode(shop.log.objects["alice.laptop", 1])


def sealed(line):
    """The line with its hashes put right, as a writer of another version would write it."""
    entry = line["entry"]
    for block in ("intent", "decision", "context"):
        if line[block] is not None:
            digest_of_block = canonical.sha256(canonical.dumps(line[block]))
            if block == "decision":
                entry["decision"] = ["d_" + digest_of_block[:24], digest_of_block]
            else:
                entry[block] = digest_of_block
    line["hash"] = canonical.sha256(canonical.dumps(entry))
    return canonical.dumps(line)


def arrived(line, place=PLACE):
    return read(sealed(line), place, place.seq)


def reason(data, place=PLACE):
    with pytest.raises(Unreadable) as refused:
        read(data, place, place.seq)
    assert refused.value.line_hash == canonical.sha256(data)
    return refused.value.reason


def test_what_is_sealed_can_be_read(line):
    assert arrived(line).dot == Dot("alice.laptop", 1)


class TestUnknownFields:
    @pytest.mark.parametrize("block", ["entry", "intent", "decision", "context"])
    def test_they_are_kept_hashed_and_folded(self, line, block):
        before = digest(fold([arrived(line)]).values())
        line[block]["later"] = {"any": ["thing"]}
        data = sealed(line)
        assert isinstance(read(data, PLACE, 1), Arrived)
        after = digest(fold([read(data, PLACE, 1)]).values())
        assert (before == after) is (block != "decision")
        assert "not match" in reason(data.replace(b'"thing"', b'"other"'))

    def test_beside_the_blocks_they_do_no_harm(self, line):
        line["later"] = 1
        assert arrived(line)

    def test_of_a_decision_they_are_shown_as_recorded(self, line):
        line["decision"]["later"] = "thing"
        projection = MemoryProjection()
        entry = arrived(line)
        project(projection, entry)
        assert show(projection, entry.entry.decision[0]).decision["later"] == "thing"


class TestWhatALaterVersionMayWrite:
    """An unknown act, mutation or slot prefix is folded and shown generically."""

    @pytest.fixture(
        params=["act", "op", "prefix", "no rest", "pointer", "outcome", "types", "number"]
    )
    def entry(self, request, line):
        claim = line["entry"]["claims"][0]
        match request.param:
            case "act":
                line["entry"]["act"] = "endorse"
            case "op":
                line["decision"]["mutations"][0] = {"op": "rename", "to": "x"}
            case "prefix":
                claim[1] = line["context"]["sets"][0][1] = "q:new:thing"
            case "no rest":
                claim[1] = "l:x"
            case "pointer":
                line["context"]["sets"][0][2] = "/mutations/99/no/such"
            case "outcome":
                line["decision"]["outcome"] = line["entry"]["outcome"] = "deferred"
            case "types":
                line["decision"] |= {
                    "title": ["a"],
                    "rationale": None,
                    "rejected": 3,
                    "mutations": 0,
                }
            case "number":
                line["decision"]["title"] = 7
                line["decision"]["weight"] = 2**53 - 1
        return arrived(line)

    def test_a_number_canonical_json_does_not_know_is_shown_as_it_stands(self, line):
        sealed(line)
        old = canonical.dumps(line["decision"])
        new = old.replace(b'"title":', b'"huge":123456789012345678901,"title":')
        sha256 = canonical.sha256(new)
        line["entry"]["decision"] = ["d_" + sha256[:24], sha256]
        line["hash"] = canonical.sha256(canonical.dumps(line["entry"]))
        data = canonical.dumps(line).replace(old, new)
        projection = MemoryProjection()
        project(projection, read(data, PLACE, 1))
        assert recall(projection, "shop", targets(projection, NAMES, []))[0].decisions

    def test_it_is_folded(self, entry):
        projection = MemoryProjection()
        project(projection, entry)
        assert shown_live(projection) == meant_live_of(entry)
        assert digest(projection.all_statuses()) == digest(fold([entry]).values())

    def test_it_is_shown_and_nothing_breaks(self, entry):
        projection = MemoryProjection()
        project(projection, entry)
        recalled, _ = recall(projection, "shop", targets(projection, NAMES, []))
        assert entry.entry.decision[0] in recalled.decisions
        assert show(projection, entry.entry.decision[0]).in_force


def meant_live_of(entry):
    slots = {element(SEARCH): entry.entry.claims[0].slot, element("service:db"): "~"}
    meant = {name.id: set() for name in NAMES}
    for place, slot in slots.items():
        meant[place] = {(slot, entry.dot)}
    return meant


class TestRedaction:
    def test_without_decision_and_context_it_verifies_folds_and_digests_the_same(self, line):
        whole = arrived(line)
        line["decision"] = line["context"] = None
        redacted = read(canonical.dumps(line), PLACE, 1)
        assert redacted.hash == whole.hash
        assert redacted.content == {}
        assert redacted.body is None
        state, same = fold([whole])[whole.dot], fold([redacted])[whole.dot]
        assert (state.claims, state.mentions, state.date, state.outcome) == (
            same.claims,
            same.mentions,
            same.date,
            same.outcome,
        )
        assert digest([state]) == digest([same])

    def test_it_is_still_in_force_and_shown_without_its_text(self, line):
        sealed(line)
        line["decision"] = line["context"] = None
        projection = MemoryProjection()
        entry = read(canonical.dumps(line), PLACE, 1)
        project(projection, entry)
        recalled, _ = recall(projection, "shop", targets(projection, NAMES, []))
        [shown] = recalled.decisions.values()
        assert (shown.title, shown.rationale) == ("", "")
        assert recalled.shown == []


class TestQuarantine:
    def test_an_unknown_version(self, line):
        line["entry"]["v"] = 2
        assert "version 2" in reason(sealed(line))

    @pytest.mark.parametrize("block", ["entry", "intent", "decision", "context"])
    def test_a_block_that_does_not_match_its_hash(self, line, block):
        sealed(line)
        line[block]["changed"] = True
        assert "match" in reason(canonical.dumps(line))

    @pytest.mark.parametrize("part", ["tenant", "project", "writer", "seq"])
    def test_another_place_than_the_line_names(self, line, part):
        place = PLACE._replace(**{part: 2 if part == "seq" else "other"})
        assert "place" in (said := reason(sealed(line), place)) or "lies at" in said

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b" ",
            b"null",
            b"[]",
            b"{}",
            b'{"entry":',
            b"\x00\xff\xfe",
            b"[" * 100_000,
            b'{"entry":{"v":1e999}}',
            b'{"entry":{"v":"1"},"intent":{},"hash":""}',
            b'{"entry":"\\ud800","intent":{},"hash":""}',
            b"\xef\xbb\xbf{}",
        ],
    )
    def test_what_is_no_line(self, data):
        assert reason(data)

    @pytest.mark.parametrize(
        ("claims", "why"),
        [
            ([["el_x", "p:a", ""]], "element id"),
            ([["el_" + "0" * 20, "", ""]], "slot"),
            ([["el_" + "0" * 20, "p:" + "x" * 700, ""]], "slot"),
            ([["el_" + "0" * 20, f"p:{n}", ""] for n in range(401)], "too many"),
            ([["el_" + "0" * 20, "~", ""]], "slot"),
            ([["el_" + "0" * 20, "r:uses:el_" + "0" * 20, ""]], "slot"),
        ],
    )
    def test_claims_that_could_not_be_rows(self, line, claims, why):
        line["entry"]["claims"] = claims
        assert why in reason(sealed(line))

    @pytest.mark.parametrize("date", ["", "yesterday", "2026-01-01#", "2026-01-01T00:00:00+01:00"])
    def test_a_date_that_could_not_be_a_key(self, line, date):
        line["entry"]["recorded_at"] = date
        assert "date" in reason(sealed(line))

    @pytest.mark.parametrize("dot", [["a#b", 1], ["", 1], ["bob.desk", 0], ["bob.desk", 10**12]])
    def test_a_displaced_dot_that_could_not_be_a_key(self, line, dot):
        line["entry"]["displaces"] = [["el_" + "0" * 20, "p:a", dot, "seen"]]
        assert "dot" in reason(sealed(line))

    def test_the_lines_around_it_count(self):
        shop = Shop()
        shop.send("alice.laptop", *(adopted(t, attach(f"topic:{t}")) for t in "abc"))
        lines = shop.log.objects["alice.laptop", 1].splitlines(keepends=True)
        data = lines[0] + b"rubbish\n" + lines[2]
        first, bad, last = open_object(SCOPE, "alice.laptop", 1, data, GENESIS).lines
        assert (first.dot.seq, bad.dot.seq, last.dot.seq) == (1, 2, 3)
        assert isinstance(bad, QuarantineRow)
        assert isinstance(last, Arrived)


def test_a_line_that_displaces_itself_is_folded_as_it_stands(line):
    line["entry"]["displaces"] = [[*line["entry"]["claims"][0][:2], ["alice.laptop", 1], "seen"]]
    projection = MemoryProjection()
    entry = arrived(line)
    project(projection, entry)
    assert fold([entry]) == {s.dot: s for s in projection.all_statuses()}
    assert shown_live(projection)[element(SEARCH)] == set()


def test_what_one_writer_says_of_names_is_what_everybody_hashes(line):
    assert line["entry"]["decision"][0] == id_of(line["decision"])
