"""Terms and their weights for BM25, which finds product codes, names and numbers that embeddings blur.

The inner product of a chunk's weights with a query's, times the rarity of each term (known to the engine), is BM25
(Robertson and Zaragoza 2009, *The Probabilistic Relevance Framework*, section 3.2), with one difference: a chunk's
length is its share of the chunk size in characters, not its number of terms relative to the mean. So a weight depends
only on its own chunk and does not change when documents come or go, and Japanese and English, with different numbers of
terms per chunk, can share a base.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

from saiten.text.normalization import normalize
from saiten.text.tokenizers import JAPANESE

RULE = "terms-1"
"""Changes with terms or weights: a base keeps the rule it was made with."""

_SATURATION, _LENGTH = 1.2, 0.75  # k1 and b, with the usual values

_RUN = re.compile(rf"(?P<ja>[{JAPANESE}]+)|[^\W_{JAPANESE}]+(?:[-./_:'’+][^\W_{JAPANESE}]+)*")
_PART = re.compile(rf"[^\W_{JAPANESE}]+")


@dataclass(frozen=True, slots=True)
class Terms:
    """A sparse vector."""

    indices: tuple[int, ...]
    """Terms as 32-bit hashes, ascending; collisions affect about one in a million chunks."""
    weights: tuple[float, ...]


def terms_of(text: str) -> Iterator[str]:
    """Yield the terms in order: characters and bigrams of Japanese, words and codes of everything else.

    A code such as RX-7800B is one term without separators, `rx7800b`, in any spelling (ＲＸ－７８００Ｂ, RX7800B), and
    also one per part. Plurals of English words lose their s (Harman 1991, *How Effective Is Suffixing?*).
    """
    for run in _RUN.finditer(normalize(text)):
        found = run.group()
        if run["ja"]:
            yield from found
            yield from (found[at : at + 2] for at in range(len(found) - 1))
            continue
        parts = _PART.findall(found)
        yield from map(_singular, parts)
        if len(parts) > 1:
            yield "".join(parts)


def document_terms(text: str, size: int) -> Terms:
    """Return the weights of a chunk's terms; `size` is the base's chunk size in characters."""
    norm = _SATURATION * (1 - _LENGTH + _LENGTH * len(text) / size)
    return _vector({term: n * (_SATURATION + 1) / (n + norm) for term, n in Counter(terms_of(text)).items()})


def query_terms(text: str) -> Terms:
    """Return each term of a query, with weight 1."""
    return _vector(dict.fromkeys(terms_of(text), 1.0))


def _vector(weights: dict[str, float]) -> Terms:
    hashed = {crc32(term.encode()): weight for term, weight in weights.items()}
    indices = sorted(hashed)
    return Terms(tuple(indices), tuple(hashed[index] for index in indices))


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]
