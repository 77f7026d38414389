"""Which samples a report holds where there are more than it can: the same ones in every run, drawn by their ids.

A digest of the id decides, so the choice is as good as random, does not depend on order or scores, comes out the same
each time, and takes a sample in all runs or in none. Answers that stand beside each other have one digest, of what they
share, so that they are taken together.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np


@dataclass(frozen=True, slots=True)
class Choice:
    """Which samples are shown."""

    total: int
    """Samples there are, over all runs."""
    shown: int
    """Of them, those that are shown."""
    _below: int | None
    """What the digests of those that are shown lie below; None for all."""
    _leader: Callable[[str], str]

    def holds(self, identity: str) -> bool:
        """Whether this sample is shown."""
        return self._below is None or _digest(self._leader(identity)) < self._below


def _itself(identity: str) -> str:
    return identity


def choose(ids: Sequence[str], limit: int, leader: Callable[[str], str] = _itself) -> Choice:
    """At most `limit` of the samples with these ids, over all runs; memory: 8 bytes a sample.

    `leader` gives the same text for ids that are taken together; where not one group of them fits, each goes alone.
    """
    if len(ids) <= limit:
        return Choice(len(ids), len(ids), None, leader)
    ordered = _digests(leader(identity) for identity in ids)
    if leader is not _itself and ordered[limit] == ordered[0]:
        leader, ordered = _itself, _digests(ids)
    below = ordered[limit]  # where one group would not fit as a whole, it is left out as a whole
    return Choice(len(ids), int(np.searchsorted(ordered, below, side="left")), int(below), leader)


def _digests(ids: Iterable[str]) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return np.sort(np.frombuffer(array("Q", (_digest(identity) for identity in ids)), dtype=np.uint64))


def _digest(identity: str) -> int:
    return int.from_bytes(blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest())
