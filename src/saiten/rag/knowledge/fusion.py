"""Several rankings as one: reciprocal rank fusion.

Source: Cormack, Clarke and Büttcher 2009, *Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods*: a document's score is the sum over the rankings of 1 / (k + rank), with k = 60 and the first rank 1.
"""

from collections.abc import Sequence
from dataclasses import replace

from saiten.rag.knowledge.engine import Hit

K = 60


def fuse(rankings: Sequence[Sequence[Hit]], k: int = K) -> list[Hit]:
    """The hits of all rankings, the best first; of equal ones, that of the earlier ranking first."""
    scores: dict[str, float] = {}
    hits: dict[str, Hit] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit.id] = scores.get(hit.id, 0.0) + 1 / (k + rank)
            hits.setdefault(hit.id, hit)
    return [replace(hits[each], score=scores[each]) for each in sorted(scores, key=scores.__getitem__, reverse=True)]
