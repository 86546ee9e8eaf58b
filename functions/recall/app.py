"""Recall: what is in force for an area or on one element; one decision; the digest."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query, Response
from precedent.answers import DigestAnswer, Recalled, Shown
from precedent.digesting import digest_of
from precedent.recall import Cursor, recall_element, show
from precedent.web import searching
from precedent.web.answering import tagged
from precedent.web.api import PROJECT, api, serve
from precedent.web.asked import DecisionId, ElementId, InElement, Nothing
from precedent.web.documented import DIGEST, ELEMENT, READ
from precedent.web.reading import Reading

app = api("recall", searching.router)


@app.get(PROJECT + "/elements/{element}", response_model=Recalled, responses=ELEMENT)
def element(reading: Reading, element: ElementId, asked: InElement) -> Response:
    """What is in force on one element, by its id, or was at a date."""
    cursors = reading.cursors(f"element {element} {asked.as_of}")
    start, scope = cursors.load(asked.cursor, Cursor), reading.scope
    answer, more = recall_element(reading.projection, scope.project, element, start, asked.as_of)
    return tagged(reading, replace(answer, cursor=cursors.dump(more)))


@app.get(PROJECT + "/decisions/{decision}", responses=READ)
def decision(reading: Reading, decision: DecisionId, asked: Annotated[Nothing, Query()]) -> Shown:
    """One decision in full, in force or not."""
    return show(reading.projection, decision)


@app.get(PROJECT + "/digest", responses=DIGEST)
def digest(reading: Reading, asked: Annotated[Nothing, Query()]) -> DigestAnswer:
    """The digest of everything that has arrived."""
    return digest_of(reading.projection)


handler = serve(app)
