"""Three ways to rank the same texts: the product's search, plain BM25, and a scan of every text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import log2
from typing import Any

import bm25s
from precedent.query import parse
from precedent.relevance import rarity, saturated, texts_of, weights_of
from precedent.search import search
from precedent.terms import terms_of
from snowballstemmer import stemmer

from tests.bench.recall.corpus import Asked, Corpus

Ranker = Callable[[str], list[str]]


def product(corpus: Corpus) -> Ranker:
    """`search`, over what is in force, what is not, and dead ends."""

    def rank(question: str) -> list[str]:
        # Quotes and minus are signs of ours; here the words count alone.
        query = replace(parse(question), phrases=(), without=())
        hits = search(corpus.projection, "shop", query, "all", 50).hits
        return [hit.id for hit in hits if hit.id in corpus.contents]

    return rank


def plain_bm25(corpus: Corpus) -> Ranker:
    """bm25s with its defaults, English stop words and the same stemmer, over each decision as one text."""
    ids = list(corpus.contents)
    english = stemmer("english")

    def tokenized(texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=english.stemWords, show_progress=False)

    whole = [
        "\n".join(text for texts in texts_of(corpus.contents[one]).values() for text in texts)
        for one in ids
    ]
    index = bm25s.BM25()
    index.index(tokenized(whole), show_progress=False)

    def rank(question: str) -> list[str]:
        found, scores = index.retrieve(tokenized([question]), k=len(ids), show_progress=False)
        return [ids[n] for n, score in zip(found[0], scores[0], strict=True) if score > 0]

    return rank


def linear_scan(corpus: Corpus) -> Ranker:
    """Every text weighed as search weighs the few it reads, with the true number of texts for each term."""
    weights = {one: weights_of(content) for one, content in corpus.contents.items()}
    holding = Counter(term for each in weights.values() for term in each)

    def rank(question: str) -> list[str]:
        scores: dict[str, float] = {}
        for term in dict.fromkeys(terms_of(question)):
            for one, each in weights.items():
                if term in each:
                    rare = rarity(holding[term], len(weights))
                    score = rare * saturated(sum(each[term].values()))
                    scores[one] = scores.get(one, 0) + score
        return sorted(scores, key=lambda one: (-scores[one], one))

    return rank


RANKERS = {"search": product, "plain BM25": plain_bm25, "linear scan": linear_scan}


def place_of(rank: Ranker, asked: Asked) -> int | None:
    """Where the decision that answers stands, from 0; None where it is not found."""
    found = rank(asked.question)
    return found.index(asked.decision) if asked.decision in found else None


def measures(places: list[int | None]) -> dict[str, float]:
    """recall@5, mean reciprocal rank, nDCG@10 (one right answer each)."""
    found = [place for place in places if place is not None]
    return {
        "recall@5": sum(place < 5 for place in found) / len(places),
        "MRR": sum(1 / (place + 1) for place in found) / len(places),
        "nDCG@10": sum(1 / log2(place + 2) for place in found if place < 10) / len(places),
    }
