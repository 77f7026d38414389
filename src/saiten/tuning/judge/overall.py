"""The overall grade of a tuned judge, measured in two ways, as in LLM-MATE (spec 06).

Asked for directly (`direct`), and composed from aspects (MATE); a fine-tuned judge reached Pearson 0.72 directly and
0.74 by aspects there. Both are over the same answers: those with people's overall grade and all of the judge's.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from saiten.errors import ConfigurationError
from saiten.judges.held_out import HeldOutScore
from saiten.metrics.rubrics import Rubric
from saiten.metrics.rubrics.weights import Weights, read_weights
from saiten.stats.correlation import pearson
from saiten.stats.estimate import bootstrap_statistic
from saiten.stats.regression import least_squares
from saiten.tasks.aspects import RateAspect
from saiten.tuning.judge.graded_example import GradedExample

DIRECT, PUBLISHED, LEARNED = "direct", "mate", "mate, weights of the learned questions"


def mate_weights(learned: Sequence[GradedExample], rubric: Rubric) -> dict[str, Weights]:
    """Return the published weights, and those fitted to the training questions; empty for other aspects."""
    published = read_weights()
    try:
        published.check(rubric, "the published weights")
    except ConfigurationError:
        return {}
    rated = [one for one in learned if isinstance(one.task, RateAspect)]
    grades = _by_item((one.item, one.aspect, one.value) for one in rated)
    return fitted_weights(grades, {one.item: one.question for one in rated})


def fitted_weights(grades: Mapping[str, Mapping[str, float]], questions: Mapping[str, str]) -> dict[str, Weights]:
    """Return the published weights, and those fitted to these grades; empty if no item has every grade.

    Args:
        grades: people's, by item and aspect.
        questions: by item.
    """
    published = read_weights()
    items = sorted(item for item, found in grades.items() if {published.target, *published.names} <= found.keys())
    if not items:
        return {}
    fit = least_squares(
        [[published.feature(one, [grades[item][one.name]]) for item in items] for one in published.aspects],
        [grades[item][published.target] - published.best for item in items],
        [questions[item] for item in items],
        names=published.names,
        resamples=1,
    )
    if fit.reason is not None:
        return {PUBLISHED: published}
    aspects = tuple(
        replace(one, weight=found.value or 0.0) for one, found in zip(published.aspects, fit.weights, strict=True)
    )
    return {PUBLISHED: published, LEARNED: replace(published, aspects=aspects)}


def overall_scores(
    graded: Sequence[tuple[GradedExample, float]], weights: Mapping[str, Weights], *, resamples: int, seed: int
) -> tuple[HeldOutScore, ...]:
    """Correlate `direct` and each MATE with people's overall grade; () if no answer has every grade."""
    if not weights:
        return ()
    rated = [(one, value) for one, value in graded if isinstance(one.task, RateAspect)]
    said = _by_item((one.item, one.aspect, value) for one, value in rated)
    people = _by_item((one.item, one.aspect, one.value) for one, _ in rated)
    questions = {one.item: one.question for one, _ in rated}
    first = next(iter(weights.values()))
    items = sorted(item for item, found in said.items() if {first.target, *first.names} <= found.keys())
    if not items:
        return ()
    columns = {DIRECT: [said[item][first.target] for item in items]} | {
        name: [each.score({aspect: [value] for aspect, value in said[item].items()}) for item in items]
        for name, each in weights.items()
    }
    overall, clusters = [people[item][first.target] for item in items], [questions[item] for item in items]
    return tuple(
        HeldOutScore(
            name,
            first.target,
            len(items),
            len(set(clusters)),
            bootstrap_statistic(pearson, column, overall, clusters, resamples=resamples, seed=seed),
        )
        for name, column in columns.items()
    )


def _by_item(grades: Iterable[tuple[str, str, float]]) -> Mapping[str, Mapping[str, float]]:
    """Return item → aspect → grade."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for item, aspect, value in grades:
        found[item][aspect] = value
    return found
