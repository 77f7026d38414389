"""Order of items per annotator, determined by the project's seed alone.

Each item belongs to one of 1,024 bins, by a hash of the seed and its key. An annotator goes through the bins, and
through the items of a bin, in an individual order. So no two annotators see the same sequence, nothing depends on
time, items added later do not affect the others, and the next item is found by an index: ordering by a hash of
annotator and item would require looking at every item or storing a row per pair. Up to a few hundred items a bin rarely
holds more than one; of 100,000 items, a hundred share a bin and come close together for everybody.
"""

from functools import lru_cache
from hashlib import blake2b

BINS = 1024


def bin_of(seed: int, key: str) -> int:
    """Return the bin of an item."""
    return _hash(seed, "bin", key) % BINS


def drawn(seed: int, key: str) -> int:
    """Return the number that draws the overlap: the items with the smallest belong to it."""
    return _hash(seed, "overlap", key)


def topic_of(question: str) -> int:
    """Return the same number for the same question."""
    return _hash(0, "topic", question)


@lru_cache(maxsize=256)
def bins_of(seed: int, person: int) -> tuple[int, ...]:
    """Return the bins in this annotator's order."""
    return tuple(sorted(range(BINS), key=lambda number: _hash(seed, f"bins of {person}", str(number))))


def place(seed: int, person: int, item: int) -> int:
    """Return the number by which the items of one bin are sorted for this annotator."""
    return _hash(seed, f"person {person}", str(item))


def _hash(seed: int, purpose: str, text: str) -> int:
    """Hash to 63 bits, which both databases take as an integer."""
    data = f"{seed}\0{purpose}\0{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest()) >> 1
