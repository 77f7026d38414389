"""Clusters of passages by their embeddings, so that questions cover the topics of a base."""

from math import isqrt

import numpy as np
import numpy.typing as npt

from saiten.models.vectors import Vector

Numbers = npt.NDArray[np.intp]

_FEWEST = 40
"""Passages from which there are clusters; in a smaller base, documents and sections are topics enough."""
_MOST_CLUSTERS = 64
_SAMPLED = 10_000
_ROUNDS = 20


def clusters_of(vectors: Vector) -> Numbers:
    """Return the cluster of each row, numbered from 0; all are in one if there are fewer than 40.

    k-means (from k-means++, with a fixed seed) over at most 10,000 rows, evenly spaced; the other rows join the nearest
    center. The number of clusters is the square root of half the rows, and 64 at most.
    """
    n = len(vectors)
    if n < _FEWEST:
        return np.zeros(n, np.intp)
    from scipy.cluster.vq import kmeans2, vq  # noqa: PLC0415 - takes a third of a second to import

    sampled = vectors[np.linspace(0, n - 1, min(n, _SAMPLED)).astype(np.intp)]
    k = min(_MOST_CLUSTERS, isqrt(n // 2))
    first = _plus_plus(sampled, k)
    centers, _ = kmeans2(sampled, first, iter=_ROUNDS, minit="matrix", missing="warn")
    found: Numbers = vq(vectors, centers, check_finite=False)[0].astype(np.intp)
    return found


def _plus_plus(rows: Vector, k: int) -> Vector:
    """Return k rows that are far from each other (Arthur and Vassilvitskii 2007, *k-means++*)."""
    random = np.random.default_rng(0)
    chosen = [int(random.integers(len(rows)))]
    distances = ((rows - rows[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < k and distances.sum() > 0:
        chosen.append(int(random.choice(len(rows), p=distances / distances.sum())))
        distances = np.minimum(distances, ((rows - rows[chosen[-1]]) ** 2).sum(axis=1))
    return rows[chosen]
