"""Vectors: unit length unless raw ones are requested, one row per text; zeros for an empty text.

They are kept in single precision, as servers and networks compute them: half the memory and cache of doubles, for an
error of 6e-8 at most where a server sends more digits.
"""

from collections.abc import Sequence
from math import fsum, sqrt

import numpy as np
import numpy.typing as npt

from saiten.errors import ConfigurationError

Vector = npt.NDArray[np.float32]

RAW = "raw:"
"""Name prefix of embedders whose vectors are not scaled to unit length."""

NOTHING: Vector = np.zeros(0, np.float32)
"""Placeholder for an empty text until the number of dimensions is known."""


_LENGTH_1 = 1e-6
"""How far from 1 a length may be that was 1 before it was rounded to single precision."""


def unit(vectors: npt.NDArray[np.float32]) -> Vector:
    """Scale rows to length 1; rows of this length and zero rows stay as they are, since scaling would round again."""
    exact = vectors.astype(np.float64)
    lengths = np.sqrt((exact * exact).sum(axis=1, keepdims=True))
    kept = (lengths == 0) | (np.abs(lengths - 1) <= _LENGTH_1)
    return (exact / np.where(kept, 1, lengths)).astype(np.float32)


def cosines(vectors: Vector) -> list[float]:
    """Return the cosine of the first row with each other row, in [-1, 1]; 0 if either has zeros only.

    Computed in double precision from the vectors as they are: a length that was rounded to single precision is not
    quite 1. Sums are exact, so the result does not depend on the order or the platform.
    """
    first, *others = vectors.astype(np.float64)
    found = (_dot(first, other) / (sqrt(_dot(first, first) * _dot(other, other)) or 1.0) for other in others)
    return [min(1.0, max(-1.0, cosine)) for cosine in found]


def _dot(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    return fsum((one * other).tolist())


def rows(vectors: Sequence[Vector], model: str) -> Vector:
    """Stack vectors into an array of shape (texts, dimensions); `NOTHING` becomes a row of zeros.

    Raises:
        ConfigurationError: the vectors differ in their number of dimensions.
    """
    sizes = {vector.size for vector in vectors} - {0}
    if len(sizes) > 1:
        raise ConfigurationError(
            f"{model} gave vectors of {' and '.join(map(str, sorted(sizes)))} dimensions; the model behind this name "
            "must have changed: use another cache file, or give the model another name"
        )
    table = np.zeros((len(vectors), max(sizes, default=0)), np.float32)
    for row, vector in zip(table, vectors, strict=True):
        if vector.size:
            row[:] = vector
    return table
