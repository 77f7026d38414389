"""Ranks and pairs of rows, also for many resamples at once: a resample is a weight per row.

Recounting uses structures that are sorted once: O(n log g) per resample, g being the number of distinct values in the
coarser column, where sorting again would take O(n log n). The figures are exactly those of the resampled rows.
"""

from collections.abc import Callable

import numpy as np

from saiten.stats.clusters import Floats, Ints


def ranks(values: Floats) -> Floats:
    """Return ranks from 1, ties sharing their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_rank: Floats = np.cumsum(counts) - (counts - 1) / 2
    return mean_rank[place]


def ranks_each(values: Floats) -> Callable[[Floats], Floats]:
    """Return mid-ranks as a function of weights: the weight below, plus half of that of equal values."""
    codes = _codes(values)
    counted = _weights_by_value(codes)

    def figure(weights: Floats) -> Floats:
        at = counted(weights)
        return (np.cumsum(at, axis=1) - (at - 1) / 2)[:, codes]

    return figure


def ties_each(values: Floats) -> Callable[[Floats], Floats]:
    """Return the number of pairs of rows with equal values as a function of weights."""
    counted = _weights_by_value(_codes(values))

    def figure(weights: Floats) -> Floats:
        at = counted(weights)
        pairs: Floats = np.einsum("ij,ij->i", at, at - 1) / 2
        return pairs

    return figure


def concordance_each(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """Return concordant minus discordant pairs as a function of weights.

    Two rows differ in x exactly if there is a bit at which their dense ranks first differ. Bit by bit, the rows that
    agree above it are made adjacent, sorted by y; then each row with the bit set is compared with all those without it
    in running sums. The columns are swapped if y has fewer values, since the bits determine the cost.
    """
    codes, others = _codes(x), _codes(y)
    if len(codes) and codes.max() > others.max():
        codes, others = others, codes
    levels = [_level(codes, others, bit) for bit in range(int(codes.max()).bit_length() if len(codes) else 0)]

    def figure(weights: Floats) -> Floats:
        total = np.zeros(len(weights))
        for upper, lower, starts, ends, first, last in levels:
            running = np.zeros((len(weights), len(lower) + 1))
            np.cumsum(weights[:, lower], axis=1, out=running[:, 1:])
            seen = running[:, starts]
            seen += running[:, ends]
            seen -= running[:, first]
            seen -= running[:, last]
            total += np.einsum("ij,ij->i", weights[:, upper], seen)
        return total

    return figure


def _level(codes: Ints, others: Ints, bit: int) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Return where the rows with the bit set find, among those without it, the ends of their tie and of their block."""
    block, high = codes >> (bit + 1), (codes >> bit) & 1
    span = int(others.max()) + 2
    key = block * span + others
    lower = np.flatnonzero(high == 0)
    lower = lower[np.argsort(key[lower], kind="stable")]
    upper = np.flatnonzero(high == 1)
    upper = upper[np.argsort(key[upper], kind="stable")]  # for memory locality
    held = key[lower]
    begin = np.searchsorted(held, block[upper] * span)
    finish = np.searchsorted(held, block[upper] * span + span - 1, side="right")
    starts = np.searchsorted(held, key[upper], side="left")
    ends = np.searchsorted(held, key[upper], side="right")
    met = finish > begin
    return upper[met], lower, starts[met], ends[met], begin[met], finish[met]


def _weights_by_value(codes: Ints) -> Callable[[Floats], Floats]:
    """Return the weights added up by value, ascending."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(int(codes.max()) + 1)) if len(codes) else codes

    def figure(weights: Floats) -> Floats:
        at: Floats = np.add.reduceat(weights[:, order], starts, axis=1)
        return at

    return figure


def _codes(values: Floats) -> Ints:
    codes: Ints = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes
