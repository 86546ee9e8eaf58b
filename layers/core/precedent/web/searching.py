"""The routes that find what somebody asks about: recall of an area, and search in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Response

from precedent.answers import Recalled
from precedent.aws.wiring import feedbacks_of
from precedent.query import parse
from precedent.ranking import ranking
from precedent.recall import Cursor, recall, targets, unavailable
from precedent.search import search
from precedent.searched import Found
from precedent.web.answering import recalled, tagged
from precedent.web.api import PROJECT
from precedent.web.asked import Asked, AskedSearch
from precedent.web.documented import RECALLED, SEARCHED
from precedent.web.reading import Reading

router = APIRouter()


@router.get(PROJECT + "/search", response_model=Found, responses=SEARCHED, name="search")
def search_words(reading: Reading, asked: Annotated[AskedSearch, Query()]) -> Response:
    """The decisions that answer a question asked in words, the best first."""
    query = parse(asked.q)
    found = search(
        reading.projection,
        reading.scope.project,
        query,
        asked.include,
        asked.limit,
        explain=asked.explain,
        feedbacks=feedbacks_of(reading.scope) if asked.feedback else None,
    )
    return tagged(reading, found)


@router.get(PROJECT + "/recall", response_model=Recalled, responses=RECALLED)
def recall_query(reading: Reading, asked: Annotated[Asked, Query()]) -> Response:
    """What is in force on elements named, on those whose `paths` cover the files named, and where words are found."""
    if reading.is_lost:
        return recalled(reading, unavailable(reading.scope.project, asked.names()), asked.budget)
    area = targets(reading.projection, asked.names(), asked.paths())
    area, ranked = ranking(reading.projection, area, asked.question(), asked.branch)
    cursors = reading.cursors(f"recall {asked.area}")
    start, scope = cursors.load(asked.cursor, Cursor), reading.scope
    answer, more = recall(reading.projection, scope.project, area, start, asked.as_of)
    answer = ranked.ordered(replace(answer, cursor=cursors.dump(more)), explain=asked.explain)
    return recalled(reading, answer, asked.budget)


@router.post(PROJECT + "/recall", response_model=Recalled, responses=RECALLED)
def recall_body(reading: Reading, asked: Asked) -> Response:
    """The same, for more elements and files than a URL holds."""
    return recall_query(reading, asked)
