"""What clients send: decisions from so small a stock that they meet, agree and contradict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from precedent.decision import parse
from precedent.errors import Invalid
from precedent.request import AppendRequest

from tests.property.shop import adopted, attach, link, prop, request_of, unlink
from tests.property.worlds import DATES, ELEMENTS, GLOBS, KEYS, VALUES

if TYPE_CHECKING:
    from tests.simulation.world import Dice

TREATMENTS = ("branch", "branch", "branch", "refuse", "historical")


def requests(dice: Dice, key: str, known: Sequence[str]) -> AppendRequest:
    """A request of one to three decisions, whose author knows some of what there is."""

    def pick(things: Sequence[Any]) -> Any:
        return things[dice.below(len(things))]

    def some() -> list[str]:
        return sorted({pick(known) for _ in range(dice.below(3))}) if known else []

    sent = [decision(pick, some) for _ in range(pick((1, 1, 1, 2, 3)))]
    overrule = some() if dice.below(3) == 0 else []
    unique = list({parse(content).id: content for content in sent}.values())
    return request_of(
        *unique,
        key=key,
        seen=some(),
        overrule=overrule,
        beside=[] if overrule or dice.below(4) else some(),
        on_unseen=pick(TREATMENTS),
    )


def decision(pick: Any, some: Any) -> dict[str, Any]:
    """A decision that is valid: what breaks a rule of the model is left out."""
    mutations = [mutation(pick) for _ in range(pick((1, 1, 2)))]
    content = adopted(
        pick(("One", "Two", "Three")),
        *mutations,
        supersedes=some() if pick((True, False, False)) else [],
        outcome=pick(("adopted",) * 6 + ("rejected", "note")),
    )
    if date := pick(DATES):
        content["date"] = date
    try:
        parse(content)
    except Invalid:
        return {**content, "mutations": mutations[:1]}
    return content


def mutation(pick: Any) -> dict[str, Any]:
    element, other = pick(ELEMENTS[:2]), ELEMENTS[2]
    return pick(
        (
            lambda: prop(element, "engine", pick(VALUES)),
            lambda: prop(element, pick(KEYS), pick(VALUES)),
            lambda: prop(element, "paths", pick(GLOBS)),
            lambda: link(element, "USES", other),
            lambda: unlink(element, "USES", other),
            lambda: attach(element),
        )
    )()
