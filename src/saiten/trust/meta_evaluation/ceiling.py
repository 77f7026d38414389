"""How well people agree with people: each annotator held against the others, as a metric is (`against_others.py`).

A metric is held against all annotators, an annotator against one fewer, so the ceiling is a little low and a metric may
come out above it.

Someone who was asked because the others differ (a third decision that is not marked as one) would spoil this: that
person meets hard items alone, and helps whoever is sided with. Such annotators are found and left out, by name.
"""

from dataclasses import dataclass, replace

import numpy as np

from saiten.stats.clusters import Floats, Ints
from saiten.stats.estimate import Estimate
from saiten.stats.resampling import Resamples
from saiten.trust.meta_evaluation.against_others import CORRELATIONS, DECISIONS, GRADES, AgainstOthers, against_others
from saiten.trust.meta_evaluation.decisions import as_verdicts
from saiten.trust.meta_evaluation.pairing import LabelledAspect
from saiten.trust.meta_evaluation.preferences import KINDS, most_said
from saiten.trust.meta_evaluation.scales import are_grades, scale_of

MOSTLY = 0.5
"""An annotator who meets more disagreement among the others than this, and all there is, was asked because of it."""

AFFORDABLE = 200_000_000
"""Labels times resamples for which ranks are resampled; the other figures always are."""

FIGURES = (*CORRELATIONS, *DECISIONS, *GRADES, "accuracy")
"""Those by which metrics can be ranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFigures:
    """All figures by which metrics can be ranked; those that the labels do not allow have a reason instead."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
    agreement: Estimate
    kappa: Estimate
    f1: Estimate
    macro_f1: Estimate
    balanced_accuracy: Estimate
    auroc: Estimate
    linear_kappa: Estimate
    quadratic_kappa: Estimate
    accuracy: Estimate
    """Of preferences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorFigures(PeopleFigures):
    """One annotator against the others."""

    annotator: str
    n: int
    """Items that somebody else labelled too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling(PeopleFigures):
    """The mean over annotators, each weighing the same, with intervals by question."""

    people: tuple[AnnotatorFigures, ...]
    left_out: tuple[str, ...]
    """Annotators who were asked because the others differ."""


def ceiling(aspect: LabelledAspect, resamples: Resamples, *, yes_from: float | None = None) -> Ceiling | None:
    """None where no item has two annotators. `yes_from`: the lowest grade that is a yes, where a metric is held so."""
    rows, who, values = aspect.given
    n = len(aspect.items)
    settlers = [number for number in range(len(aspect.annotators)) if _settles(number, rows, who, values, n)]
    kept = ~np.isin(who, settlers)
    rows, who, values = rows[kept], who[kept], values[kept]
    given = np.bincount(rows, minlength=n)
    if not len(rows) or given.max() < 2:
        return None
    sums = np.bincount(rows, weights=values, minlength=n)
    said = np.stack([np.bincount(rows[np.sign(values) == kind], minlength=n) for kind in KINDS], axis=1)
    scale = scale_of(np.concatenate([aspect.people, aspect.given[2]]))
    graded = not aspect.pairs and are_grades(scale, aspect.people)
    affordable = len(rows) * resamples.resamples <= AFFORDABLE
    people: list[AnnotatorFigures] = []
    drawn: dict[str, list[Floats]] = {name: [] for name in FIGURES}
    for number, annotator in enumerate(aspect.annotators):
        if number in settlers:
            continue
        at: Ints = np.flatnonzero((who == number) & (given[rows] > 1))
        own, items = values[at], rows[at]
        others = (sums[items] - own) / (given[items] - 1)
        against = AgainstOthers(
            own,
            others,
            as_verdicts(others, yes_from, verdicts=aspect.verdicts),
            as_verdicts(own, yes_from, verdicts=aspect.verdicts),
            most_said(said[items] - (np.sign(own)[:, None] == np.array(KINDS))) if aspect.pairs else None,
            graded,
            replace(resamples, groups=resamples.groups[items]),
        )
        figures, of = against_others(against, ranked=affordable)
        people.append(AnnotatorFigures(annotator=annotator, n=len(own), **figures))
        for name, each in of.items():
            drawn[name].append(each)
    return Ceiling(
        people=tuple(people),
        left_out=tuple(aspect.annotators[number] for number in settlers),
        **{name: _mean(name, people, drawn[name], resamples, affordable=affordable) for name in FIGURES},
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


def _mean(
    name: str, people: list[AnnotatorFigures], drawn: list[Floats], resamples: Resamples, *, affordable: bool
) -> Estimate:
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
