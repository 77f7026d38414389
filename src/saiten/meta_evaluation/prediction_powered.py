"""What people would have said of the whole set: per system, over all, and for the difference of two systems.

From few labels and a judge's score of every item; see `stats.prediction_powered` for the method and its source.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.errors import BadInput
from saiten.meta_evaluation.outputs import Item, Output
from saiten.meta_evaluation.pairing import pair
from saiten.records import Label
from saiten.stats.prediction_powered import Powered, Scores, prediction_powered

SUSPICIOUS = 0.01
"""p-value below which the labelled items look like no random sample of all."""


@dataclass(frozen=True, slots=True)
class Row:
    """One estimate."""

    aspect: str
    metric: str
    what: str
    """`all`, a system, or `FIRST - SECOND`."""
    powered: Powered

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know before believing it."""
        found = [] if self.powered.note is None else [self.powered.note]
        p = self.powered.imbalance
        if p is not None and p < SUSPICIOUS:
            found.append(f"the labelled items look like no random sample (p = {p:.1g}), then no interval is valid")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Estimates:
    """All estimates, and the half width that labels were to be forecast for."""

    rows: tuple[Row, ...]
    width: float | None = None


def estimate(
    items: Mapping[str, Item],
    outputs: Sequence[Output],
    labels: Iterable[Label],
    *,
    metrics: Sequence[str] = (),
    aspects: Sequence[str] = (),
    yes_from: float | None = None,
    systems: tuple[str, str] | None = None,
    width: float | None = None,
) -> Estimates:
    """One row over all items, one a system, and one for the difference of two systems, by aspect and metric.

    Args:
        items: all samples.
        outputs: what the metrics said; items without a value of a metric do not count for it.
        labels: of some of the items, drawn at random.
        metrics: only these; empty for all.
        aspects: only these; empty for all.
        yes_from: labels of at least this are a yes, so that the mean is a share.
        systems: the two whose difference is wanted, first minus second.
        width: half the width that an interval should have; the labels for it are forecast.

    Raises:
        BadInput: nothing matched, no such metric or system, or labels of pairs of answers.
    """
    found: list[Row] = []
    for aspect in pair(items, outputs, labels, aspects=aspects):
        if aspect.pairs:
            raise BadInput(
                f"the labels of {aspect.name!r} are preferences between two answers; no mean is made of those"
            )
        people = aspect.people if yes_from is None else (aspect.people >= yes_from).astype(float)
        for column in aspect.columns:
            if metrics and column.metric not in metrics:
                continue
            labelled = {aspect.items[row]: (people[row], column.values[row]) for row in column.rows}
            rest = {
                one.item: one.said
                for one in outputs
                if one.metric == column.metric
                and isinstance(one.said, float | int)
                and one.item in items
                and one.item not in labelled
                and one.aspect in {"", aspect.name}
            }
            found += _rows(aspect.name, column.metric, items, labelled, rest, systems=systems)
    if not found:
        there = ", ".join(sorted({one.metric for one in outputs})) or "none"
        raise BadInput(f"there is no estimate to make: no labelled item has a value of the metrics asked for ({there})")
    return Estimates(tuple(found), width)


def _rows(
    aspect: str,
    metric: str,
    items: Mapping[str, Item],
    labelled: Mapping[str, tuple[float, float]],
    rest: Mapping[str, float],
    *,
    systems: tuple[str, str] | None,
) -> list[Row]:
    names = sorted({name for item in labelled if (name := items[item].system) is not None})
    for name in systems or ():
        if name not in names:
            raise BadInput(f"there are no labels of the system {name!r}; there are of {', '.join(names) or 'none'}")

    def part(name: str | None, weight: float = 1.0) -> Scores:
        known = [item for item in labelled if name is None or items[item].system == name]
        others = [item for item in rest if name is None or items[item].system == name]
        return Scores(
            np.array([labelled[item][0] for item in known]),
            np.array([labelled[item][1] for item in known]),
            np.array([rest[item] for item in others], float),
            [items[item].question for item in known],
            [items[item].question for item in others],
            weight,
        )

    made = [Row(aspect, metric, "all", prediction_powered(part(None)))]
    if len(names) > 1:
        made += [Row(aspect, metric, name, prediction_powered(part(name))) for name in names]
    if systems is not None:
        first, second = systems
        difference = prediction_powered(part(first, 1.0), part(second, -1.0))
        made.append(Row(aspect, metric, f"{first} - {second}", difference))
    return made
