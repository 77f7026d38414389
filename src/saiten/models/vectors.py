"""Vectors: unit length unless raw ones are requested, one row per text; zeros for a text without content."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saiten.errors import ConfigurationError

Vector = npt.NDArray[np.float32]

RAW = "raw:"
"""Name prefix of embedders whose vectors are not scaled to unit length."""

NOTHING: Vector = np.zeros(0, np.float32)
"""Placeholder for a text without content until the number of dimensions is known."""


def unit(vectors: npt.NDArray[np.float32]) -> Vector:
    """Scale rows to length 1; zero rows stay zero."""
    exact = vectors.astype(np.float64)
    lengths = np.sqrt((exact * exact).sum(axis=1, keepdims=True))
    return (exact / np.where(lengths == 0, 1, lengths)).astype(np.float32)


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
