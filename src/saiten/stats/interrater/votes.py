"""Labels as a sparse table items × annotators, and the units that a bootstrap draws.

Two properties make a million labels fast. Identically labeled items (the same annotators gave the same values) are
kept once with a multiplicity; a resample of the items is then a draw of multiplicities, which has exactly the same
distribution. And all counts add up over items, so that a resample is a weighted sum.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.clusters import Column, Floats, Ints, as_floats, batches

HELD = 4_000_000
"""Weights or sums of resamples held in memory at once: 32 MB."""

_MANY_ALIKE = 8
"""From this many items per unit on, drawing the multiplicities is faster than drawing the items."""


@dataclass(frozen=True, slots=True)
class Votes:
    """The labels of all items with at least two, sorted by item; identically labeled items are kept once."""

    item: Ints
    """Per label: the index of its item."""
    annotator: Ints
    """Per label: the index of its annotator in `annotators`; all 0 without names."""
    code: Ints
    """Per label: the index of its value in `kinds`."""
    sizes: Ints
    """Per item: its number of labels."""
    unit: Ints
    """Per item: the unit drawn with it, a kind of item or a cluster."""
    times: Ints
    """Per unit: its multiplicity in the data."""
    kinds: Floats
    """The distinct values, ascending."""
    annotators: tuple[Hashable, ...]
    """Sorted by name; empty without names."""
    items: int
    """Number of items with at least two labels, identically labeled ones included."""

    @property
    def starts(self) -> Ints:
        """Return the start of each item's labels."""
        starts: Ints = np.cumsum(self.sizes) - self.sizes
        return starts


def make_votes(
    items: Sequence[Hashable],
    values: Column,
    annotators: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> Votes:
    """Return the table of labels from one row per label.

    Raises:
        ValueError: lengths differ, a value is not finite, or an annotator has two labels on one item.
    """
    number = as_floats(values, "values")
    for name, column in (("items", items), ("annotators", annotators), ("clusters", clusters)):
        if column is not None and len(column) != len(number):
            raise ValueError(f"there are {len(number)} values but {len(column)} {name}; give one a value")
    item, names = numbered(items)
    who, people = numbered(annotators) if annotators is not None else (np.zeros(len(item), np.int64), ())
    several = np.bincount(item, minlength=len(names))[item] >= 2
    rows = np.flatnonzero(several)
    kinds, code = np.unique(number[rows], return_inverse=True)
    rows_sorted = np.lexsort((code, who[rows], item[rows]))
    rows, code = rows[rows_sorted], code[rows_sorted]
    item, who = item[rows], who[rows]
    if annotators is not None:
        twice = np.flatnonzero((np.diff(item) == 0) & (np.diff(who) == 0))
        if twice.size:
            at = twice[0]
            raise ValueError(f"{people[who[at]]!r} has two labels on {names[item[at]]!r}; one is expected")
    _, item, sizes = np.unique(item, return_inverse=True, return_counts=True)
    whole = Votes(
        item, who, code, sizes, np.arange(len(sizes)), np.ones(len(sizes), np.int64), kinds, people, len(sizes)
    )
    return _alike(whole) if clusters is None else _clustered(whole, [clusters[row] for row in rows[whole.starts]])


def numbered(labels: Sequence[Hashable]) -> tuple[Ints, tuple[Hashable, ...]]:
    """Return each label's index among the distinct ones, sorted by name so that the order of rows does not matter."""
    seen: dict[Hashable, int] = {}
    codes = np.fromiter((seen.setdefault(label, len(seen)) for label in labels), np.int64, len(labels))
    names = sorted(seen, key=str)
    place = np.empty(len(names), np.int64)
    place[[seen[name] for name in names]] = np.arange(len(names))
    return place[codes], tuple(names)


def pairs_within(sizes: Ints) -> tuple[Ints, Ints]:
    """Return the indexes of all pairs of rows, first before second, within consecutive groups of these sizes."""
    starts = np.cumsum(sizes) - sizes
    first, second = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for size in np.unique(sizes):
        i, j = np.triu_indices(int(size), 1)
        begins = starts[sizes == size][:, None]
        first.append((begins + i).ravel())
        second.append((begins + j).ravel())
    return np.concatenate(first), np.concatenate(second)


def weights(votes: Votes, resamples: int, seed: int, width: int) -> Iterator[Floats]:
    """Yield each unit's count per resample, shape (some resamples, units); `width`: sums held per resample."""
    random = np.random.default_rng(seed)
    units, drawn = len(votes.times), int(votes.times.sum())
    alike = units * _MANY_ALIKE < drawn
    members = np.repeat(np.arange(units), 0 if alike else votes.times)
    for some in batches(resamples, HELD // max(units if alike else drawn, width)):
        if alike:
            yield random.multinomial(drawn, votes.times / drawn, size=some).astype(np.float64)
        else:
            chosen = members[random.integers(0, drawn, size=(some, drawn))]
            chosen += np.arange(some)[:, None] * units
            yield np.bincount(chosen.ravel(), minlength=some * units).reshape(some, units).astype(np.float64)


def _alike(votes: Votes) -> Votes:
    """Keep every kind of item once."""
    token = votes.annotator * max(1, len(votes.kinds)) + votes.code
    kept: list[Ints] = [np.empty(0, np.int64)]
    times: list[Ints] = [np.empty(0, np.int64)]
    for size in np.unique(votes.sizes):
        members = np.flatnonzero(votes.sizes == size)
        rows = np.ascontiguousarray(token[votes.starts[members][:, None] + np.arange(size)], dtype=">i8")
        _, one, count = np.unique(rows.view(f"V{8 * size}").ravel(), return_index=True, return_counts=True)
        kept.append(members[one])
        times.append(count)
    items = np.concatenate(kept)
    sizes = votes.sizes[items]
    ends = np.cumsum(sizes)
    labels = np.arange(int(sizes.sum())) + np.repeat(votes.starts[items] - (ends - sizes), sizes)
    return replace(
        votes,
        item=np.repeat(np.arange(len(items)), sizes),
        annotator=votes.annotator[labels],
        code=votes.code[labels],
        sizes=sizes,
        unit=np.arange(len(items)),
        times=np.concatenate(times),
    )


def _clustered(votes: Votes, clusters: Sequence[Hashable]) -> Votes:
    """Return the same labels with clusters, one per item, as the units to draw."""
    unit, names = numbered(clusters)
    return replace(votes, unit=unit, times=np.ones(len(names), np.int64))
