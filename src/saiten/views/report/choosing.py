"""Selection of the samples of a report that cannot contain all: the same ones in every run, by their ids.

A digest of the id decides, so the choice is as good as random, independent of order and scores, reproducible, and the
same in all runs. Answers shown side by side share a digest, so that they are selected together.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b


@dataclass(frozen=True, slots=True)
class Choice:
    """The selection of samples."""

    total: int
    """Number of samples over all runs."""
    shown: int
    """Number of selected samples."""
    _below: int | None
    """Upper bound of the digests of selected samples; None for all."""
    _leader: Callable[[str], str]

    def holds(self, identity: str) -> bool:
        """Return whether this sample is selected."""
        return self._below is None or _digest(self._leader(identity)) < self._below


def choose(ids: Sequence[str], limit: int, leader: Callable[[str], str] = str) -> Choice:
    """Choose at most `limit` of the samples with these ids, over all runs.

    `leader` returns the same text for ids that are selected together; if not even one group fits, ids are separate.
    """
    if len(ids) <= limit:
        return Choice(len(ids), len(ids), None, leader)
    ordered = sorted(_digest(leader(identity)) for identity in ids)
    if ordered[limit] == ordered[0]:
        leader, ordered = str, sorted(map(_digest, ids))
    below = ordered[limit]  # a group that would not fit as a whole is left out as a whole
    return Choice(len(ids), bisect_left(ordered, below), below, leader)


def _digest(identity: str) -> int:
    return int.from_bytes(blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest())
