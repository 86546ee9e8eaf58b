"""The route that searches in words."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from precedent.answers import Found
from precedent.query import parse
from precedent.search import search
from precedent.web.answering import tagged
from precedent.web.api import PROJECT
from precedent.web.asked import AskedSearch
from precedent.web.documented import SEARCHED
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
    )
    return tagged(reading, found)
