"""Tallies for agreement figures: columns that add up over items, so that a bootstrap only weights them.

The columns of a unit (an item, a kind of item, or a cluster) are: number of items, their share of equal pairs, number
of labels, their sum and sum of squares, disagreement within items (nominal and interval), how often each value was
given, how often two different values met on an item (Krippendorff's coincidences), and the table of each pair of
annotators.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from saiten.stats.clusters import Floats, Ints
from saiten.stats.interrater.votes import Votes, pairs_within
from saiten.stats.reliability import equal_pairs

MOST_KINDS = 201
"""Maximum number of distinct values treated as grades, 0 to 100 in halves; above it only interval figures apply."""

MOST_PAIRS = 10_000_000
"""Maximum number of pairs of labels within items (identically labeled items once) for comparing annotators."""

BASIC = 7
"""Columns before those of the values: items, equal pairs, labels, sum, squares, nominal and interval disagreement."""


@dataclass(frozen=True, slots=True)
class Tallies:
    """The sparse matrix units × columns, and the meaning of its columns."""

    matrix: Any
    """scipy's CSR, transposed: columns × units."""
    kinds: Floats
    """The values, scaled to -1 to 1, the median at 0; empty if there are too many."""
    met: tuple[Ints, Ints]
    """Per column of coincidences: the two values, the lower one first."""
    pair: Ints
    """Per column of pairs of annotators: the pair's index, ascending."""
    said: tuple[Ints, Ints]
    """Per column of pairs of annotators: the first's value, the second's value."""
    pairs: Ints
    """The pairs of annotators who share an item: shape (pairs, 2)."""

    @property
    def width(self) -> int:
        """Numbers held per resample."""
        return BASIC + len(self.kinds) * (1 + 2 * len(self.pairs)) + len(self.met[0]) + len(self.pair)

    def only(self, pairs: Ints) -> "Tallies":
        """Return the same tallies with only some of the pairs of annotators, given by index, ascending."""
        cells = np.flatnonzero(np.isin(self.pair, pairs))
        begin = self.matrix.shape[0] - len(self.pair)
        return replace(
            self,
            matrix=self.matrix[np.concatenate((np.arange(begin), begin + cells))],
            pair=np.searchsorted(pairs, self.pair[cells]),
            said=(self.said[0][cells], self.said[1][cells]),
            pairs=self.pairs[pairs],
        )


def tally(votes: Votes) -> Tallies:
    """Return the columns of all units."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - takes a third of a second to import

    x = scaled(votes.kinds, votes.code)
    graded = len(votes.kinds) <= MOST_KINDS
    blocks = [*_basic(votes, x)]
    width, met = BASIC, (np.empty(0, np.int64), np.empty(0, np.int64))
    pair, said = np.empty(0, np.int64), met
    pairs = np.empty((0, 2), np.int64)
    if graded:
        counts, coincidences, met = _values(votes)
        blocks += [_right(counts, width), _right(coincidences, width + len(votes.kinds))]
        width += len(votes.kinds) + len(met[0])
        if comparable(votes):
            cells, pair, said, pairs = _tables(votes)
            blocks.append(_right(cells, width))
            width += len(pair)
    unit, column, value = (np.concatenate(part) for part in zip(*blocks, strict=True))
    matrix = coo_array((value, (column, unit)), shape=(width, len(votes.times))).tocsr()
    return Tallies(matrix, x if graded else x[:0], met, pair, said, pairs)


def comparable(votes: Votes) -> bool:
    """Return whether annotators are named, and few enough to compare all pairs in acceptable time."""
    return bool(votes.annotators) and int((votes.sizes * (votes.sizes - 1) // 2).sum()) <= MOST_PAIRS


def scaled(kinds: Floats, codes: Ints) -> Floats:
    """Scale the values to -1 to 1, the median to 0, which keeps kappa and alpha and prevents overflowing squares.

    Around the median, differences of common values keep their precision, even with a value a million times as far away.
    """
    if not len(kinds) or kinds[0] == kinds[-1]:
        return np.zeros_like(kinds)
    middle = kinds[int(np.median(codes))]
    away: Floats = kinds / 2 - middle / 2
    largest: float = np.abs(away).max()
    return away / largest


Block = tuple[Ints, Ints, Floats]
"""Unit, column and value of each entry."""


def _basic(votes: Votes, x: Floats) -> list[Block]:
    size = votes.sizes.astype(np.float64)
    n = len(size)
    value = x[votes.code]
    total = np.bincount(votes.item, value, minlength=n)
    spread = np.bincount(votes.item, (value - (total / size)[votes.item]) ** 2, minlength=n)
    item, _, count = _counts(votes)
    ordered = np.asarray(np.bincount(item, count * (count - 1.0), minlength=n), dtype=np.float64)
    differing = (size**2 - np.bincount(item, count * count, minlength=n)) / (size - 1)
    squares = np.bincount(votes.item, value**2, minlength=n)
    columns = (np.ones(n), equal_pairs(ordered, size), size, total, squares, differing, 2 * size * spread / (size - 1))
    return [(votes.unit, np.full(n, place), column.astype(np.float64)) for place, column in enumerate(columns)]


def _values(votes: Votes) -> tuple[Block, Block, tuple[Ints, Ints]]:
    """Count how often each value was given, and how often two different ones met, divided by the labels less one."""
    item, code, count = _counts(votes)
    first, second = pairs_within(np.bincount(item, minlength=len(votes.sizes)))
    cell, place = np.unique(code[first] * len(votes.kinds) + code[second], return_inverse=True)
    met = count[first] * count[second] / (votes.sizes[item[first]] - 1)
    coincidences = (votes.unit[item[first]], place, met)
    return (votes.unit[item], code, count.astype(np.float64)), coincidences, _split(cell, len(votes.kinds))


def _tables(votes: Votes) -> tuple[Block, Ints, tuple[Ints, Ints], Ints]:
    """Count each combination of values per pair of annotators; only combinations that occur have a column."""
    first, second = pairs_within(votes.sizes)
    people, kinds = len(votes.annotators), len(votes.kinds)
    two = votes.annotator[first] * people + votes.annotator[second]
    cell, place = np.unique((two * kinds + votes.code[first]) * kinds + votes.code[second], return_inverse=True)
    block = (votes.unit[votes.item[first]], place, np.ones(len(place)))
    both, said = np.divmod(cell, kinds * kinds)
    different, pair = np.unique(both, return_inverse=True)
    return block, pair, _split(said, kinds), np.stack(_split(different, people), axis=1)


def _counts(votes: Votes) -> tuple[Ints, Ints, Ints]:
    """Return item, value and count: one row per value of each item."""
    key, count = np.unique(votes.item * max(1, len(votes.kinds)) + votes.code, return_counts=True)
    item, code = _split(key, max(1, len(votes.kinds)))
    return item, code, count


def _split(key: Ints, base: int) -> tuple[Ints, Ints]:
    high, low = np.divmod(key, base)
    return high, low


def _right(block: Block, by: int) -> Block:
    """Return the block shifted to the right by this many columns."""
    unit, column, value = block
    return unit, column + by, value
