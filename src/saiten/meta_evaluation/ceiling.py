"""How well people agree with people: each annotator held against the mean of the others, as a metric is.

A metric is held against the mean of all annotators, an annotator against one fewer, so the ceiling is a little low and
a metric may come out above it. For kappa the others' majority counts; where it is split the item is left out.

Someone who was asked because the others differ (a third decision that is not marked as one) would spoil this: that
person meets hard items alone, and helps whoever is sided with. Such annotators are found and left out, by name.
"""

from dataclasses import dataclass

import numpy as np

from saiten.meta_evaluation.pairing import Aspect
from saiten.stats import Estimate, cohen_kappa, kendall, pearson, spearman
from saiten.stats.clusters import Floats, Ints
from saiten.stats.resampled import Resamples, kendall_each, moments, pearson_of, spearman_each

MOSTLY = 0.5
"""An annotator who meets more disagreement among the others than this, and all there is, was asked because of it."""

AFFORDABLE = 200_000_000
"""Labels times resamples for which ranks are resampled; Pearson and kappa always are."""


@dataclass(frozen=True, slots=True)
class Person:
    """One annotator against the mean of the others."""

    annotator: str
    n: int
    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The mean over annotators, each weighing the same, with intervals by question."""

    people: tuple[Person, ...]
    left_out: tuple[str, ...]
    """Annotators who were asked because the others differ."""
    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
    kappa: Estimate


def ceiling(aspect: Aspect, resamples: Resamples) -> Ceiling | None:
    """None where no item has two annotators."""
    rows, who, values = aspect.given
    n = len(aspect.items)
    settlers = [number for number in range(len(aspect.annotators)) if _settles(number, rows, who, values, n)]
    kept = ~np.isin(who, settlers)
    rows, who, values = rows[kept], who[kept], values[kept]
    given = np.bincount(rows, minlength=n)
    if not len(rows) or given.max() < 2:
        return None
    sums = np.bincount(rows, weights=values, minlength=n)
    affordable = len(rows) * resamples.resamples <= AFFORDABLE
    people: list[Person] = []
    drawn: dict[str, list[Floats]] = {"pearson": [], "spearman": [], "kendall": [], "kappa": []}
    for number, annotator in enumerate(aspect.annotators):
        if number in settlers:
            continue
        at: Ints = np.flatnonzero((who == number) & (given[rows] > 1))
        own, items = values[at], rows[at]
        others = (sums[items] - own) / (given[items] - 1)
        people.append(_person(annotator, own, others, verdicts=aspect.verdicts))
        counted = Resamples(
            resamples.groups[items], resamples.clusters, resamples.resamples, resamples.confidence, resamples.seed
        )
        for name, figures in _drawn(people[-1], own, others, counted, ranked=affordable).items():
            drawn[name].append(figures)
    return Ceiling(
        tuple(people),
        tuple(aspect.annotators[number] for number in settlers),
        **{name: _mean(name, people, drawn[name], resamples, affordable=affordable) for name in drawn},
    )


def _settles(number: int, rows: Ints, who: Ints, values: Floats, items: int) -> bool:
    """Whether this annotator was asked wherever the others differ, mostly there, and not on all items."""
    others = who != number
    low, high = np.full(items, np.inf), np.full(items, -np.inf)
    np.minimum.at(low, rows[others], values[others])
    np.maximum.at(high, rows[others], values[others])
    asked = np.bincount(rows[~others], minlength=items) > 0
    differ = high > low
    agreed = (np.bincount(rows[others], minlength=items) > 1) & ~differ
    if not asked.any() or not (agreed & ~asked).any() or (differ & ~asked).any():
        return False
    return bool(differ[asked].mean() > MOSTLY)


def _person(annotator: str, own: Floats, others: Floats, *, verdicts: bool) -> Person:
    if verdicts:
        clear = np.abs(others - 0.5) > 1e-12
        kappa = cohen_kappa(own[clear], (others[clear] > 0.5).astype(float))
    else:
        kappa = Estimate(None, len(own), "the labels are no verdicts")
    return Person(annotator, len(own), pearson(own, others), spearman(own, others), kendall(own, others), kappa)


def _drawn(person: Person, own: Floats, others: Floats, resamples: Resamples, *, ranked: bool) -> dict[str, Floats]:
    """The resampled figures of one annotator, only those that are defined."""
    found: dict[str, Floats] = {}
    if person.pearson.value is not None:
        found["pearson"] = pearson_of(resamples.sums(moments(own, others)))
        if ranked:
            found["spearman"] = resamples.each(spearman_each(own, others))
            found["kendall"] = resamples.each(kendall_each(own, others))
    if person.kappa.value is not None:
        clear = (np.abs(others - 0.5) > 1e-12).astype(float)
        yes = (others > 0.5).astype(float)
        features = np.stack([clear, clear * own, clear * yes, clear * own * yes], axis=1)
        n, x, y, xy = resamples.sums(features).T
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = (x * y + (n - x) * (n - y)) / n**2
            found["kappa"] = np.where(chance < 1, ((n - x - y + 2 * xy) / n - chance) / (1 - chance), np.nan)
    return found


def _mean(name: str, people: list[Person], drawn: list[Floats], resamples: Resamples, *, affordable: bool) -> Estimate:
    figures: list[Estimate] = [getattr(person, name) for person in people]
    values = [figure.value for figure in figures if figure.value is not None]
    n = sum(figure.n for figure in figures)
    if not values:
        return Estimate(None, n, figures[0].reason)
    whole = Estimate(float(np.mean(values)), n)
    if not drawn:
        note = None if affordable else "no interval: too many labels to recount their ranks in every resample"
        return Estimate(whole.value, n, note=note, clusters=resamples.clusters)
    table = np.stack(drawn)
    lost = np.isnan(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(lost, 0, table).sum(axis=0) / (~lost).sum(axis=0)
    return resamples.interval(whole, means)
