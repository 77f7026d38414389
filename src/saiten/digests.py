"""A map from digests of 8 bytes to numbers, in a tenth of the memory of a dict."""

from array import array
from collections.abc import Hashable, Iterator
from typing import Literal

_SMALLEST = 1 << 10
_LAST_64 = (1 << 64) - 1


def digest_here(value: Hashable) -> int:
    """Return a digest of 8 bytes, the same in this process only; of 10 million, two collide in one of 400,000 runs."""
    return hash(value) & _LAST_64


class Digests:
    """Digests and a number for each: 12 to 24 bytes per digest, and as many bytes again for large numbers.

    An open-addressing table with linear probing: digests are random, so their last bits are the place.
    """

    def __init__(self, numbers: Literal["B", "Q"] = "B") -> None:
        """`numbers`: `B` for numbers below 256, `Q` for numbers of 8 bytes."""
        self._type: Literal["B", "Q"] = numbers
        self._used = 0
        self._room(_SMALLEST)

    def __len__(self) -> int:
        return self._used

    def __contains__(self, digest: int) -> bool:
        return self._digests[self._place(digest or 1)] != 0

    def get(self, digest: int) -> int | None:
        """Return the digest's number; None if the map does not have it."""
        place = self._place(digest or 1)
        return self._numbers[place] if self._digests[place] else None

    def put(self, digest: int, number: int = 0) -> int | None:
        """Set the digest's number; return the earlier one, None if the digest is new."""
        digest = digest or 1  # 0 marks a free place
        digests, last = self._digests, self._last
        place = digest & last  # as `_place`, whose call would take as long
        while (there := digests[place]) and there != digest:
            place = (place + 1) & last
        if there:
            before = self._numbers[place]
            self._numbers[place] = number
            return before
        digests[place], self._numbers[place] = digest, number
        self._used += 1
        if 3 * self._used > 2 * len(self._digests):
            self._grow()
        return None

    def items(self) -> Iterator[tuple[int, int]]:
        """Yield each digest with its number."""
        return ((digest, number) for digest, number in zip(self._digests, self._numbers, strict=True) if digest)

    def _place(self, digest: int) -> int:
        """Return the digest's place, or the free one where it belongs."""
        digests, last = self._digests, self._last
        place = digest & last
        while (there := digests[place]) and there != digest:
            place = (place + 1) & last
        return place

    def _room(self, places: int) -> None:
        self._digests, self._last = array("Q", bytes(8 * places)), places - 1
        self._numbers = array(self._type, bytes(places * array(self._type).itemsize))

    def _grow(self) -> None:
        """Double the places; in order of their last bits, each digest goes to its place or behind the one before."""
        import numpy as np  # noqa: PLC0415 - small maps never need it

        digests, numbers = np.frombuffer(self._digests, np.uint64), np.frombuffer(self._numbers, self._type)
        used = np.flatnonzero(digests)
        self._room(2 * len(digests))
        home = (digests[used] & np.uint64(self._last)).astype(np.int64)
        order = np.argsort(home, kind="stable")
        at = np.arange(len(order))
        places = at + np.maximum.accumulate(home[order] - at)
        digests, numbers = digests[used[order]], numbers[used[order]]
        inside = places <= self._last
        np.frombuffer(self._digests, np.uint64)[places[inside]] = digests[inside]
        np.frombuffer(self._numbers, self._type)[places[inside]] = numbers[inside]
        for digest, number in zip(digests[~inside].tolist(), numbers[~inside].tolist(), strict=True):
            place = self._place(digest)  # behind the last one, so from the beginning
            self._digests[place], self._numbers[place] = digest, number
