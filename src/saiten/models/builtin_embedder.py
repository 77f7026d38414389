"""The built-in embedder: hashed character n-grams, no download."""

import re
import unicodedata
from collections.abc import Sequence
from math import log

import numpy as np
import numpy.typing as npt

from saiten.errors import ConfigurationError
from saiten.models.vectors import Vector
from saiten.protocols import Embeddings

_DIMENSIONS, _FEWEST, _MOST = 4096, 64, 65_536
_WIDE = 0x2E80  # scripts from here on: one character is about a syllable or a word (kana, kanji, hangul)
_NO_WORD = re.compile(r"[\W_]+")
_SEAM = re.compile("(?<=[\u2e80-\U0010ffff])(?=[^\u2e80-\U0010ffff])|(?<=[^\u2e80-\U0010ffff])(?=[\u2e80-\U0010ffff])")
"""Boundaries between wide and other characters, so that the number in 年20日 is a word by itself."""
_SCALE = 1024
_TIMES = np.array([0] + [round(_SCALE * (1 + log(times))) for times in range(1, 1025)], np.int64)
"""Weight per count of an n-gram, as an integer: exact on every platform."""

_Words = npt.NDArray[np.uint64]


class BuiltinEmbedder:
    """Measures surface similarity: the share of character n-grams that two texts have in common.

    Good for near-duplicates, spelling variants and inflections, in Japanese and English, for tests and for a first run
    without a model. It does not capture meaning: synonyms count for nothing, and a negation changes next to nothing.
    Deterministic to the last bit on every platform. Signatures show it as `builtin-ngrams`.

    Texts are NFKC-normalized and case-folded. The n-grams are runs of 1 to 2 Japanese or 3 to 5 other characters (the
    latter with word boundaries), each weighted 1 + ln(count) and hashed with a sign into 4,096 dimensions (Weinberger
    et al. 2009, *Feature Hashing for Large Scale Multitask Learning*), or fewer for large collections:
    `builtin-ngrams-1024`.
    """

    def __init__(self, dimensions: int = _DIMENSIONS) -> None:
        """Raises ConfigurationError for an unusable number of dimensions."""
        if not _FEWEST <= dimensions <= _MOST:
            raise ConfigurationError(
                f"the built-in embedder has {_FEWEST} to {_MOST} dimensions, not {dimensions}; {_DIMENSIONS} is usual"
            )
        self._dimensions = dimensions
        self.name = "builtin-ngrams" if dimensions == _DIMENSIONS else f"builtin-ngrams-{dimensions}"

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        vectors = np.zeros((len(texts), self._dimensions), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            row[:] = _embed(text, self._dimensions)
        return Embeddings(vectors)

    async def close(self) -> None:
        """Do nothing; there is nothing to release."""


def _embed(text: str, dimensions: int = _DIMENSIONS) -> Vector:
    pieces, times = np.unique(_hashes(text), return_counts=True)
    weights = _TIMES[np.minimum(times, len(_TIMES) - 1)]
    signs = np.where(pieces >> np.uint64(63), 1, -1)
    sums = np.zeros(dimensions, np.int64)
    np.add.at(sums, (pieces % np.uint64(dimensions)).astype(np.intp), signs * weights)
    # integers up to here; square root and division are exactly rounded everywhere
    length = np.sqrt(np.float64((sums * sums).sum()))
    return (sums / (length or 1.0)).astype(np.float32)


def _hashes(text: str) -> _Words:
    """Return a 64-bit hash for every n-gram of the text."""
    plain = _NO_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    words = " ".join(_SEAM.sub(" ", plain).split())
    if not words:
        return np.zeros(0, np.uint64)
    points = np.frombuffer(f" {words} ".encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    wide = points >= _WIDE
    return np.concatenate([_pieces(points, wide, length) for length in range(1, 6)])


def _pieces(points: _Words, wide: npt.NDArray[np.bool_], length: int) -> _Words:
    """Hash the runs of this length that count: short ones of wide characters, long ones of others."""
    runs = len(points) - length + 1
    if runs < 1:
        return np.zeros(0, np.uint64)
    hashes = np.full(runs, length, np.uint64)
    how_wide = np.zeros(runs, np.int64)
    for start in range(length):
        hashes = _mix(hashes ^ points[start : start + runs])
        how_wide += wide[start : start + runs]
    chosen: _Words = hashes[how_wide == (length if length < 3 else 0)]
    return chosen


def _mix(words: _Words) -> _Words:
    """Spread every bit over all others. Source: the finaliser of splitmix64 (Steele, Lea and Flood 2014)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)  # array arithmetic wraps around, as it should
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
