"""The bench of recall measures what it says, on records that are always at hand."""

import pytest

from tests.bench.recall.corpus import QUERIES, read
from tests.bench.recall.ranking import RANKERS, measures, place_of
from tests.unit.client_support import SAMPLES


def test_measures():
    assert measures([0, 1, None, 7]) == {
        "recall@5": 0.5,
        "MRR": pytest.approx((1 + 1 / 2 + 1 / 8) / 4),
        "nDCG@10": pytest.approx((1 + 0.6309 + 0.3155) / 4, abs=0.001),
    }


def test_a_set_without_questions_is_asked_for_its_titles():
    corpus = read(SAMPLES)
    assert len(corpus.asked) == len(corpus.contents) == 8
    for ranker in RANKERS.values():
        rank = ranker(corpus)
        assert measures([place_of(rank, asked) for asked in corpus.asked])["recall@5"] == 1


def test_every_question_is_of_a_record_and_of_each_kind():
    for path in QUERIES.glob("*.tsv"):
        first, *rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
        assert first == ["record", "title words", "paraphrase", "question"]
        assert all(len(row) == 4 and row[0].isdigit() for row in rows)
