"""Human agreement as a ceiling: each annotator compared with the others, by every figure that ranks metrics.

Correlations and grades: with the mean of the others. Decisions: with the majority of the others, or, for grades, their
mean and the threshold; items on which they are split evenly are left out. Preferences: with the others' majority of
first, tie and second. An annotator who gives only 0 and 1 has no finer scores for ranking items, so the AUROC equals
the balanced accuracy; with a threshold the annotator's grades are the scores.

A metric is compared with all annotators, an annotator with one fewer, so the ceiling is slightly low and a metric may
exceed it.

An annotator who was asked because the others differ (an adjudicator whose labels are not marked as adjudicated) would
distort this: that person sees only hard items, and raises the agreement of the side taken. Such annotators are detected
and left out, by name.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from saiten.results.ceiling import AnnotatorFigures, Ceiling
from saiten.stats.auroc import auroc, auroc_each
from saiten.stats.clusters import Floats, Ints
from saiten.stats.estimate import Estimate, Statistic
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.pairing import LabeledAspect
from saiten.trust.inputs.scales import are_grades, grades
from saiten.trust.meta_evaluation.decisions import as_verdicts
from saiten.trust.meta_evaluation.figures import CORRELATIONS, GRADES, PREFERENCES, VERDICT_FIGURES, Draw, of_verdicts
from saiten.trust.meta_evaluation.preferences import most_said, votes_of
from saiten.trust.meta_evaluation.ranking import NAMES
from saiten.words import Message

_RANKED = ("spearman", "kendall", "auroc")
"""Figures whose ranks have to be recounted in every resample."""
_MOSTLY = 0.5
"""An annotator of all disputed items, with a larger share of disputed items than this, was asked because of them."""
_AFFORDABLE = 200_000_000
"""Maximum labels times resamples for which ranks are resampled; the other figures always are."""

_Draw = Callable[[], Floats]
_Parts = tuple[Mapping[str, Estimate], Mapping[str, _Draw]]
"""Figures, and how each is resampled."""


def ceiling(aspect: LabeledAspect, resamples: Resamples, *, yes_from: float | None = None) -> Ceiling | None:
    """Return the ceiling, None if no item has two annotators; `yes_from`: the lowest grade that is a yes."""
    rows, who, values = aspect.given
    n = len(aspect.items)
    settlers = [number for number in range(len(aspect.annotators)) if _settles(number, rows, who, values, n)]
    kept = ~np.isin(who, settlers)
    rows, who, values = rows[kept], who[kept], values[kept]
    given = np.bincount(rows, minlength=n)
    if not len(rows) or given.max() < 2:
        return None
    sums, votes = np.bincount(rows, weights=values, minlength=n), votes_of(rows, values, n)
    graded = are_grades(aspect.scale, aspect.people)
    affordable = len(rows) * resamples.resamples <= _AFFORDABLE
    people: list[AnnotatorFigures] = []
    drawn: dict[str, list[Floats]] = {name: [] for name in NAMES}
    for number, annotator in enumerate(aspect.annotators):
        if number in settlers:
            continue
        at: Ints = np.flatnonzero((who == number) & (given[rows] > 1))
        own, items = values[at], rows[at]
        others = (sums[items] - own) / (given[items] - 1)
        some = replace(resamples, groups=resamples.groups[items])
        truth, decision = (as_verdicts(side, yes_from, verdicts=aspect.verdicts) for side in (others, own))
        parts = [_resampled(CORRELATIONS, own, others, some), _decisions(own, truth, decision, some)]
        if graded and not aspect.pairs:
            parts.append(_resampled(GRADES, grades(own), grades(others), some))
        else:
            parts.append(_none(GRADES, own, "no_common_grades"))
        if aspect.pairs:
            preferred = most_said(votes[items] - votes_of(np.arange(len(own)), own, len(own)))
            parts.append(_resampled(PREFERENCES, np.sign(own), preferred, some))
        else:
            parts.append(_none(["accuracy"], own, "no_preferences"))
        figures: dict[str, Estimate] = {}
        for whole, draws in parts:
            figures |= whole
            for name, draw in draws.items():
                if figures[name].value is not None and (affordable or name not in _RANKED):
                    drawn[name].append(draw())
        people.append(AnnotatorFigures(annotator=annotator, n=len(own), **figures))
    return Ceiling(
        people=tuple(people),
        left_out=tuple(aspect.annotators[number] for number in settlers),
        **{name: _mean(name, people, drawn[name], resamples, affordable=affordable) for name in NAMES},
    )


def _resampled(registry: Mapping[str, tuple[Statistic, Draw]], x: Floats, y: Floats, resamples: Resamples) -> _Parts:
    whole = {name: figure(x, y) for name, (figure, _) in registry.items()}
    return whole, {name: partial(drawn, x, y, resamples) for name, (_, drawn) in registry.items()}


def _none(names: Iterable[str], own: Floats, reason: str) -> _Parts:
    return dict.fromkeys(names, Estimate(None, len(own), Message("remark", reason))), {}


def _decisions(own: Floats, truth: Floats | None, decision: Floats | None, resamples: Resamples) -> _Parts:
    """Compare decisions with the others' verdict, NaN where they are split; None if there are no verdicts."""
    if truth is None or decision is None:
        return _none((*VERDICT_FIGURES, "auroc"), own, "no_verdicts")
    clear = np.flatnonzero(~np.isnan(truth))
    truth, own = truth[clear], own[clear]
    resamples = replace(resamples, groups=resamples.groups[clear])
    each = of_verdicts(truth, decision[clear], resamples)
    draws: dict[str, _Draw] = {name: drawn.copy for name, (_, drawn) in each.items()}
    # For 0 and 1 the AUROC equals the balanced accuracy, which is already resampled.
    draws["auroc"] = draws["balanced_accuracy"]
    if not np.isin(own, (0, 1)).all():
        draws["auroc"] = lambda: resamples.each(auroc_each(truth, own))
    return {**{name: whole for name, (whole, _) in each.items()}, "auroc": auroc(truth, own)}, draws


def _settles(number: int, rows: Ints, who: Ints, values: Floats, items: int) -> bool:
    """Return whether this annotator labeled all items on which the others differ, mostly those, and not all items."""
    others = who != number
    low, high = np.full(items, np.inf), np.full(items, -np.inf)
    np.minimum.at(low, rows[others], values[others])
    np.maximum.at(high, rows[others], values[others])
    asked = np.bincount(rows[~others], minlength=items) > 0
    differ = high > low
    agreed = (np.bincount(rows[others], minlength=items) > 1) & ~differ
    if not asked.any() or not (agreed & ~asked).any() or (differ & ~asked).any():
        return False
    return bool(differ[asked].mean() > _MOSTLY)


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
        note = None if affordable else Message("remark", "ranks_too_many")
        return Estimate(whole.value, n, note=note, clusters=resamples.clusters)
    table = np.stack(drawn)
    lost = np.isnan(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(lost, 0, table).sum(axis=0) / (~lost).sum(axis=0)
    return resamples.interval(whole, means)
