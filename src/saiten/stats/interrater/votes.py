"""Labels as a sparse table items × annotators, and the units of it that a bootstrap draws.

Two things make a million labels quick. Items that were labelled alike (the same annotators gave the same values) count
once with a multiplicity; a resample of the items is then a draw of multiplicities, which has the very same
distribution. And whatever is counted adds up over items, so that a resample is a weighted sum.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.stats.clusters import Column, Floats, Ints, as_floats

HELD = 4_000_000
"""Weights or sums of resamples that are held at once: 32 MB."""

_MANY_ALIKE = 8
"""From so many items a unit on, drawing the multiplicities is quicker than drawing the items."""


@dataclass(frozen=True, slots=True)
class Votes:
    """The labels of all items with at least two, sorted by item; items labelled alike are kept once."""

    item: Ints
    """Of each label: the place of its item."""
    annotator: Ints
    """Of each label: the place of its annotator in `annotators`; all 0 where nobody is named."""
    code: Ints
    """Of each label: the place of its value in `kinds`."""
    sizes: Ints
    """Of each item: how many labels it has."""
    unit: Ints
    """Of each item: what is drawn when it is drawn, a kind of item or a cluster."""
    times: Ints
    """Of each unit: how often it stands in the data."""
    kinds: Floats
    """The different values, ascending."""
    annotators: tuple[Hashable, ...]
    """Sorted by name; empty where nobody is named."""
    items: int
    """How many items have at least two labels, those labelled alike included."""

    @property
    def starts(self) -> Ints:
        """Of each item: where its labels begin."""
        starts: Ints = np.cumsum(self.sizes) - self.sizes
        return starts


def make_votes(
    items: Sequence[Hashable],
    values: Column,
    annotators: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> Votes:
    """The table of labels, one row of the arguments a label.

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
    """Each label's place among the different ones, sorted by name so that the order of rows is without effect."""
    seen: dict[Hashable, int] = {}
    codes = np.fromiter((seen.setdefault(label, len(seen)) for label in labels), np.int64, len(labels))
    names = sorted(seen, key=str)
    place = np.empty(len(names), np.int64)
    place[[seen[name] for name in names]] = np.arange(len(names))
    return place[codes], tuple(names)


def pairs_within(sizes: Ints) -> tuple[Ints, Ints]:
    """The places of all pairs of rows, first before second, within groups of these sizes lying one after the other."""
    starts = np.cumsum(sizes) - sizes
    first, second = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for size in np.unique(sizes):
        i, j = np.triu_indices(int(size), 1)
        begins = starts[sizes == size][:, None]
        first.append((begins + i).ravel())
        second.append((begins + j).ravel())
    return np.concatenate(first), np.concatenate(second)


def weights(votes: Votes, resamples: int, seed: int, width: int) -> Iterator[Floats]:
    """How often each unit stands in each resample, shape (some resamples, units); `width` sums are held beside it."""
    random = np.random.default_rng(seed)
    units, drawn = len(votes.times), int(votes.times.sum())
    alike = units * _MANY_ALIKE < drawn
    rows = max(1, HELD // max(units if alike else drawn, width))
    members = np.repeat(np.arange(units), 0 if alike else votes.times)
    for start in range(0, resamples, rows):
        some = min(rows, resamples - start)
        if alike:
            yield random.multinomial(drawn, votes.times / drawn, size=some).astype(np.float64)
        else:
            chosen = members[random.integers(0, drawn, size=(some, drawn))]
            chosen += np.arange(some)[:, None] * units
            yield np.bincount(chosen.ravel(), minlength=some * units).reshape(some, units).astype(np.float64)


def _alike(votes: Votes) -> Votes:
    """Every kind of item once."""
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
    return Votes(
        item=np.repeat(np.arange(len(items)), sizes),
        annotator=votes.annotator[labels],
        code=votes.code[labels],
        sizes=sizes,
        unit=np.arange(len(items)),
        times=np.concatenate(times),
        kinds=votes.kinds,
        annotators=votes.annotators,
        items=votes.items,
    )


def _clustered(votes: Votes, clusters: Sequence[Hashable]) -> Votes:
    """The same labels; drawn are the clusters, one of which is given for each item."""
    unit, names = numbered(clusters)
    return Votes(
        item=votes.item,
        annotator=votes.annotator,
        code=votes.code,
        sizes=votes.sizes,
        unit=unit,
        times=np.ones(len(names), np.int64),
        kinds=votes.kinds,
        annotators=votes.annotators,
        items=votes.items,
    )
