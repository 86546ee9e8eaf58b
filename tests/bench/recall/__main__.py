"""`make bench-recall`: whether the decision that matters is among the first, beside plain BM25 and a scan.

Exit code 1 if search is worse than plain BM25 on any kind of question, all sets together. What a question costs in
stores of growing size is in `make bench`, as the rows of `search`.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict

from tests.bench.recall.corpus import KINDS, Corpus, corpora
from tests.bench.recall.ranking import RANKERS, measures, place_of

Places = dict[tuple[str, str], list[int | None]]
"""(kind, ranker) → where the right answer stood."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench-recall", description=__doc__)
    parser.add_argument("--corpus", help="a folder of decision records of yours")
    logging.disable(logging.INFO)
    every: Places = defaultdict(list)
    sets = list(corpora(parser.parse_args().corpus))
    if not sets:
        print(
            "skipped: no records lie beside this repository; name some: make bench-recall CORPUS=DIR"
        )
        return 0
    for corpus in sets:
        places = _places(corpus)
        for key, found in places.items():
            every[key] += found
        _print(f"{corpus.name}: {len(corpus.contents)} decisions", places)
    if len(sets) > 1:
        _print("together", every)
    worse = [
        f"{kind}: {name} is {mine[name]:.3f}, plain BM25's {theirs[name]:.3f}"
        for kind in KINDS
        if (kind, "search") in every
        for mine, theirs in [[measures(every[kind, ranker]) for ranker in ("search", "plain BM25")]]
        for name in mine
        if mine[name] < theirs[name]
    ]
    for told in worse:
        print(f"✗ {told}", file=sys.stderr)
    return 1 if worse else 0


def _places(corpus: Corpus) -> Places:
    places: Places = defaultdict(list)
    for name, ranker in RANKERS.items():
        rank = ranker(corpus)
        for asked in corpus.asked:
            places[asked.kind, name].append(place_of(rank, asked))
    return places


def _print(heading: str, places: Places) -> None:
    print(f"\n{heading:34}{'questions':>10}{'recall@5':>10}{'MRR':>8}{'nDCG@10':>9}")
    for kind in KINDS:
        for name in RANKERS:
            if found := places.get((kind, name)):
                told = measures(found)
                numbers = f"{told['recall@5']:>10.3f}{told['MRR']:>8.3f}{told['nDCG@10']:>9.3f}"
                print(f"  {kind:18}{name:14}{len(found):>10}{numbers}")


if __name__ == "__main__":
    sys.exit(main())
