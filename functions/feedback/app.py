"""Feedback: what became of decisions that were handed out, and how often that was said."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response
from precedent.answers import FeedbackAnswer, FeedbackGiven, Tallied
from precedent.aws.wiring import feedbacks_of
from precedent.feedback import give
from precedent.web.api import PROJECT, api, serve
from precedent.web.asked import AskedFeedback, GivenFeedback
from precedent.web.documented import GIVEN, READ
from precedent.web.identity import Author
from precedent.web.reading import Reading

app = api("feedback")


@app.post(PROJECT + "/feedback", responses=GIVEN)
def said(
    author: Author, reading: Reading, given: GivenFeedback, response: Response
) -> FeedbackGiven:
    """Count it, once a writer, session, decision and kind. Sending it again is safe."""
    response.headers["cache-control"] = "no-store"
    feedbacks = feedbacks_of(reading.scope)
    told = give(feedbacks, reading.projection, author.writer, given.session, given.said())
    return FeedbackGiven(told.counted, told.before, told.unknown)


@app.get(PROJECT + "/feedback", responses=READ)
def counts(reading: Reading, asked: Annotated[AskedFeedback, Query()]) -> FeedbackAnswer:
    """What was said of decisions; those of which nothing was are left out."""
    found = feedbacks_of(reading.scope).counts(asked.decision)
    told: dict[str, dict[str, Tallied]] = {
        decision: {kind: Tallied(tally.sessions, tally.writers) for kind, tally in counts.items()}
        for decision, counts in sorted(found.items())
    }
    return FeedbackAnswer(told)


handler = serve(app)
