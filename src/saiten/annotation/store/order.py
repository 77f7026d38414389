"""Who sees which item when, drawn from the project's seed and from nothing else.

Each item lies in one of 1,024 bins, by a hash of the seed and its key. An annotator goes through the bins in an order
of their own, and through the items of a bin in an order of their own. So no two annotators see the same sequence,
nothing depends on the time, items that are added later change nothing about the others, and the next item is found by
an index: an order by a hash of annotator and item would mean to look at every item, or to keep a row for each pair. Up
to a few hundred items a bin seldom holds more than one; of 100,000 a hundred lie in one and come near each other for
all.
"""

from functools import lru_cache
from hashlib import blake2b

BINS = 1024


def bin_of(seed: int, key: str) -> int:
    """The bin in which an item lies."""
    return _hash(seed, "bin", key) % BINS


def drawn(seed: int, key: str) -> int:
    """A number by which the items of the overlap are drawn: those with the smallest."""
    return _hash(seed, "overlap", key)


def topic_of(question: str) -> int:
    """The same number for the same question."""
    return _hash(0, "topic", question)


@lru_cache(maxsize=256)
def bins_of(seed: int, person: int) -> tuple[int, ...]:
    """The bins in this annotator's order."""
    return tuple(sorted(range(BINS), key=lambda number: _hash(seed, f"bins of {person}", str(number))))


def place(seed: int, person: int, item: int) -> int:
    """By this number the items of one bin stand in this annotator's order."""
    return _hash(seed, f"person {person}", str(item))


def _hash(seed: int, what: str, text: str) -> int:
    """63 bits: what both databases take as an integer."""
    told = f"{seed}\0{what}\0{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(told, digest_size=8).digest()) >> 1
