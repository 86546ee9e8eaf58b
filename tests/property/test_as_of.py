"""What was in force at a date: today's answer at this moment, and an oracle's at every other."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from precedent.dates import begins, ends
from precedent.past import Past
from precedent.recall import recall, targets

from tests.property.picture import NAMES, shown_live
from tests.property.worlds import histories

DAYS = ("2025-05-31", "2025-06-01", "2025-12-31", "2026-01-01", "2026-01-01T00:00:07Z")
LATE = "2999-12-31"
ON_ONE_SLOT = {"p:engine", "p:timeout", "p:paths"}


def shown_at(projection, at):
    return {
        name.id: {(live.row.slot, live.row.dot) for live in Past(projection, at).live(name.id)}
        for name in NAMES
    }


def arrived(history):
    history.shop.sweep()
    return sorted(history.shop.arrived(), key=lambda one: (begins(one.entry.effective), one.dot))


def told_by_the_oracle(entries, at):
    """The entries up to a date, laid over each other by date: what is displaced by then is gone; what was ever
    displaced gives way to history after it; history gives way to whatever follows on its slot.
    """
    then = [one for one in entries if begins(one.entry.effective) <= ends(at)]
    ever = {(g.dot, g.element, g.slot) for one in entries for g in one.entry.displaces}
    by_then = {(g.dot, g.element, g.slot) for one in then for g in one.entry.displaces}
    holding = {}
    for one in then:
        entry, since = one.entry, begins(one.entry.effective)
        for claim in entry.historical:
            for key, (start, kind) in list(holding.items()):
                may_end = kind == "history" or key in ever
                if key[1:] == claim[:2] and may_end and start < since:
                    del holding[key]
            holding[entry.dot, claim.element, claim.slot] = since, "history"
        for claim in entry.claims:
            for key, (start, kind) in list(holding.items()):
                if key[1:] == claim[:2] and kind == "history" and start < since:
                    del holding[key]
            holding[entry.dot, claim.element, claim.slot] = since, "claim"
    return holding.keys() - by_then


@given(histories())
def test_at_a_moment_after_all_dates_it_is_what_is_in_force(history):
    history.shop.sweep()
    projection = history.shop.projection
    assert shown_at(projection, LATE) == shown_live(projection)
    asked = targets(projection, NAMES, [])
    now, cursor = recall(projection, "shop", asked)
    assert recall(projection, "shop", asked, as_of=LATE) == (replace(now, as_of=LATE), cursor)


@given(histories(), st.sampled_from(DAYS))
def test_at_any_date_it_is_what_the_entries_say_laid_over_each_other_by_date(history, at):
    entries = arrived(history)
    then = shown_at(history.shop.projection, at)
    told = told_by_the_oracle(entries, at)
    for name in NAMES:
        shown = {
            (dot, name.id, slot) for slot, dot in then[name.id] if slot[:2] in ("p:", "l:", "@")
        }
        meant = {key for key in told if key[1] == name.id}
        assert shown == meant


@given(histories(), st.sampled_from(DAYS))
def test_a_link_was_shown_at_both_ends(history, at):
    history.shop.sweep()
    then = shown_at(history.shop.projection, at)
    for owner, shown in then.items():
        for slot, dot in shown:
            if slot.startswith("l:"):
                kind, to = slot[2:].rsplit(":", 1)
                assert (f"r:{kind}:{owner}", dot) in then[to]


@given(histories(), st.sampled_from(DAYS))
def test_whatever_is_recorded_afterwards_about_later_days_changes_nothing_of_a_day(history, at):
    """Monotone: a day's answer is made of what is dated up to then, and of what that displaced."""
    entries = arrived(history)
    later = [one for one in entries if begins(one.entry.effective) > ends(at)]
    for live in (
        live for name in NAMES for live in Past(history.shop.projection, at).live(name.id)
    ):
        assert live.row.dot not in {one.dot for one in later}
        assert not {gone.by for gone in live.status.lost} & {one.dot for one in later}
