"""Which passage of a base to ask about next, so that questions cover it."""

from collections.abc import Hashable, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from saiten.testsets.plan.clusters import Numbers
from saiten.testsets.plan.passages import BasePassage


class Coverage:
    """Counts how often documents, clusters, sections and passages have been used.

    The next passage is, in this order of importance, of

    1. a document that has not been used, or else one that has had the smallest part of its share, which is the square
       root of its number of passages, rounded down;
    2. those that have been used least, counting one for code and tables;
    3. the cluster that has had the smallest part of its share, likewise;
    4. the section that has been used least;
    5. those left, the one with the smallest digest of its place and the seed: chance, but always the same.
    """

    def __init__(self, passages: Sequence[BasePassage], clusters: Numbers, seed: int) -> None:
        self._documents, documents = _grouped([each.passage.source for each in passages])
        self._sections, sections = _grouped([(each.passage.source, each.section) for each in passages])
        self._clusters = clusters
        self._digests = np.array([_digest(each, seed) for each in passages], np.uint64)
        self._of_document, self._of_section = np.zeros(documents, np.intp), np.zeros(sections, np.intp)
        self._of_cluster = np.zeros(int(clusters.max(initial=-1)) + 1, np.intp)
        # code and tables are asked about when the sentences around them have been
        self._of_passage = np.array([not each.written for each in passages], np.intp)
        self._document_shares = np.sqrt(np.bincount(self._documents, minlength=documents)).astype(np.intp)
        self._cluster_shares = np.sqrt(np.maximum(np.bincount(clusters, minlength=self._of_cluster.size), 1))

    def next(self, eligible: npt.NDArray[np.bool_]) -> int | None:
        """Return the number of the next passage among the eligible ones; None if there are none."""
        left = np.flatnonzero(eligible)
        if not left.size:
            return None
        # 0 if unused; 1 until the share is used up, 2 until twice the share, …
        levels = (self._of_document > 0) + self._of_document // self._document_shares
        topics = self._of_cluster / self._cluster_shares
        left = _least(left, levels[self._documents[left]])
        left = _least(left, self._of_passage[left])
        left = _least(left, topics[self._clusters[left]])
        left = _least(left, self._of_section[self._sections[left]])
        return int(_least(left, self._digests[left])[0])

    def use(self, number: int) -> None:
        """Count a question about this passage."""
        self._of_document[self._documents[number]] += 1
        self._of_cluster[self._clusters[number]] += 1
        self._of_section[self._sections[number]] += 1
        self._of_passage[number] += 1


def _least(left: Numbers, values: npt.NDArray[np.generic]) -> Numbers:
    least: Numbers = left[values == values.min()]
    return least


def _grouped(keys: Sequence[Hashable]) -> tuple[Numbers, int]:
    """Return the number of each key's group, and how many groups there are."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.intp), len(numbers)


def _digest(passage: BasePassage, seed: int) -> int:
    place = f"{seed}\0{passage.passage.source}\0{passage.passage.start}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(place, digest_size=8).digest(), "big")
