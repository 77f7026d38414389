"""The difficulty of the items of a test set, and how well they separate systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from saiten.results.set_scores import SetScores
from saiten.stats.correlation import pearson
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.testsets.items import SetItem

MARGIN = 0.1
"""Share of the scale within which scores of an item count as equal, and as the best or the worst."""
LEAST_SYSTEMS, LEAST_ITEMS = 3, 10
"""Systems and items from which on the discrimination of an item is computed."""
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class ItemFigures:
    """The scores of all systems on one item."""

    item: SetItem
    values: tuple[float, ...]
    """In the order of the systems."""
    discrimination: float | None = None
    """Correlation, over systems, of the item's scores with the means of the other items; None if it is undefined."""

    @property
    def mean(self) -> float:
        """The mean over systems."""
        return fmean(self.values)

    @property
    def range(self) -> float:
        """The highest score minus the lowest."""
        return max(self.values) - min(self.values)


@dataclass(frozen=True, slots=True)
class KindDifficulty:
    """The difficulty of all items, or of those of a kind."""

    kind: str | None
    """None: all."""
    n: int
    """Number of items that every system has a value for."""
    of: int
    """Number of items."""
    mean: Estimate
    """Mean of the items' means."""
    quartiles: tuple[float, float, float] | None
    """Of the items' means."""
    easy: int | None
    """Number of items on which every system gets the best score; None if the scale has no best end."""
    hard: int | None
    """Number of items on which every system gets the worst."""
    alike: int | None
    """Number of items that separate no two systems; None for a single system."""


@dataclass(frozen=True, slots=True)
class SetDifficulty:
    """The difficulty of a test set."""

    margin: float
    """Scores this close count as equal."""
    rows: tuple[KindDifficulty, ...]
    """All items, then by kind if there are several."""
    items: tuple[ItemFigures, ...]
    """The items that every system has a value for, in the order of the set."""
    ranked: bool
    """Whether there are systems and items enough for discrimination."""

    def alike(self, figures: ItemFigures) -> bool:
        """Return whether the item separates no two of several systems."""
        return len(figures.values) > 1 and figures.range <= self.margin + _SLACK

    @property
    def reversed(self) -> list[ItemFigures]:
        """The items on which better systems score lower by more than the margin: perhaps their reference is wrong."""
        return [each for each in self.items if (each.discrimination or 0.0) < 0 and not self.alike(each)]


def set_difficulty(scores: SetScores) -> SetDifficulty:
    """Compute difficulty and discrimination over the items that every system has a value for."""
    margin = MARGIN * (scores.scale.high - scores.scale.low)
    table = np.array([[of.values[item] for of in scores.systems] for item in scores.complete]).reshape(
        len(scores.complete), len(scores.systems)
    )
    ranked = len(scores.systems) >= LEAST_SYSTEMS and len(table) >= LEAST_ITEMS
    rest = [(table.sum(axis=0) - row) / (len(table) - 1) for row in table] if ranked else []
    items = tuple(
        ItemFigures(
            scores.items[item],
            tuple(map(float, row)),
            pearson(row, rest[at]).value if ranked else None,
        )
        for at, (item, row) in enumerate(zip(scores.complete, table, strict=True))
    )
    made = SetDifficulty(margin, (), items, ranked)
    return SetDifficulty(margin, tuple(_rows(scores, made)), items, ranked)


def _rows(scores: SetScores, made: SetDifficulty) -> Iterator[KindDifficulty]:
    kinds = list(dict.fromkeys(item.kind for item in scores.items.values()))
    for kind in (None, *(kinds if len(kinds) > 1 else ())):
        part = [each for each in made.items if kind is None or each.item.kind == kind]
        of = sum(kind is None or item.kind == kind for item in scores.items.values())
        yield _row(kind, part, of, scores, made)


def _row(
    kind: str | None, part: Sequence[ItemFigures], of: int, scores: SetScores, made: SetDifficulty
) -> KindDifficulty:
    means = [each.mean for each in part]
    quartiles = np.quantile(means, [0.25, 0.5, 0.75]).tolist() if means else None
    best = scores.best
    ends = None if best is None else tuple(_at(part, end, made.margin) for end in best)
    return KindDifficulty(
        kind,
        len(part),
        of,
        bootstrap_mean(means, [scores.clusters[each.item.id] for each in part]),
        None if quartiles is None else (quartiles[0], quartiles[1], quartiles[2]),
        None if ends is None else ends[0],
        None if ends is None else ends[1],
        sum(map(made.alike, part)) if len(scores.systems) > 1 else None,
    )


def _at(part: Sequence[ItemFigures], end: float, margin: float) -> int:
    return sum(all(abs(value - end) <= margin + _SLACK for value in each.values) for each in part)
