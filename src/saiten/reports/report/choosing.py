"""Which samples a report holds where there are more than it can: the same ones in every run, drawn by their ids.

A digest of the id decides, so the choice is as good as random, does not depend on order or scores, comes out the same
each time, and takes a sample in all runs or in none.
"""

from array import array
from collections.abc import Iterable
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

    def holds(self, identity: str) -> bool:
        """Whether this sample is shown."""
        return self._below is None or _digest(identity) < self._below


def choose(ids: Iterable[str], limit: int) -> Choice:
    """At most `limit` of the samples with these ids, over all runs; memory: 8 bytes a sample."""
    digests = array("Q", (_digest(identity) for identity in ids))
    if len(digests) <= limit:
        return Choice(len(digests), len(digests), None)
    ordered = np.sort(np.frombuffer(digests, dtype=np.uint64))
    below = ordered[limit]  # where one sample in several runs would not fit as a whole, it is left out as a whole
    return Choice(len(digests), int(np.searchsorted(ordered, below, side="left")), int(below))


def _digest(identity: str) -> int:
    return int.from_bytes(blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest())
