"""Measuring a tuned judge: it performs the held-out tasks, and its grades are compared with people's.

Works with any `Judge`, so the untrained base, a small encoder and the offline judge are measured alike. The overall
grade is measured in two ways, as in LLM-MATE (spec 06): asked for directly (`direct`), and composed from aspects
(MATE); a fine-tuned judge reached Pearson 0.72 directly and 0.74 by aspects there. Both are over the same answers:
those with people's overall grade and all of the judge's.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import groupby

from saiten.errors import ConfigurationError, JudgeError, Unreadable
from saiten.executor import LocalExecutor
from saiten.judges.tuned import HeldOut, HeldOutAspect, HeldOutScore
from saiten.metrics.rubrics import Rubric
from saiten.metrics.rubrics.weights import Weights, read_weights
from saiten.protocols import Executor, Judge, Reply
from saiten.stats.clusters import Column
from saiten.stats.correlation import pearson
from saiten.stats.differences import mean_absolute_error, mean_difference
from saiten.stats.estimate import Estimate, Statistic, bootstrap_statistic
from saiten.stats.regression import least_squares
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.correctness import Decision, Grade
from saiten.tuning.judge.examples import GradedExample

AT_ONCE = 64
"""Concurrent examples; a network batches them."""
DIRECT, PUBLISHED, LEARNED = "direct", "mate", "mate, weights of the learned questions"

ByItem = Mapping[str, Mapping[str, float]]
"""Item → aspect → grade."""


@dataclass(frozen=True, slots=True)
class _Graded:
    """An example with the judge's grade."""

    example: GradedExample
    value: float | None
    unreadable: bool = False


async def held_out(
    judge: Judge,
    examples: Sequence[GradedExample],
    *,
    name: str,
    means: Mapping[str, float],
    weights: Mapping[str, Weights] | None = None,
    executor: Executor | None = None,
    seed: int = 0,
    resamples: int = 1_000,
    step: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Compare the judge's grades with people's, by aspect, independent of the order of examples.

    Unreadable replies and failed calls are counted; errors of the whole setup are raised.

    Args:
        judge: performs the tasks of the examples.
        examples: of questions that the judge did not learn from.
        name: the judge's name in tables.
        means: people's mean grade in the training data, by aspect.
        weights: weights for an overall grade, by name; see `mate_weights`.
        executor: None: a local one with `AT_ONCE` concurrent examples.
        seed: seed of the bootstrap.
        resamples: number of bootstrap rounds.
        step: called after each example.

    Raises:
        ConfigurationError: the judge is misconfigured.
    """

    async def graded(example: GradedExample) -> _Graded:
        try:
            return _Graded(example, value_of(await judge.perform(example.task)))
        except JudgeError as error:
            return _Graded(example, None, isinstance(error, Unreadable))

    every: list[_Graded] = []
    async with aclosing((executor or LocalExecutor(AT_ONCE)).run(graded, examples)) as results:
        async for result in results:
            every.append(result)
            step()
    every.sort(key=lambda one: (one.example.aspect, one.example.item))
    by_aspect = groupby(every, key=lambda one: one.example.aspect)
    graded_ones = [(one.example, one.value) for one in every if one.value is not None]
    return HeldOut(
        name,
        tuple(_compared(aspect, list(found), means[aspect], resamples, seed) for aspect, found in by_aspect),
        _overall_scores(graded_ones, weights or {}, resamples=resamples, seed=seed),
    )


def value_of(reply: Reply) -> float:
    """Return the metric's value for a reply: a grade, the mean of several, 1 or 0 for a verdict."""
    if isinstance(reply, Rating | Grade):
        return reply.value
    if isinstance(reply, Decision):
        return float(reply.correct)
    raise TypeError(f"{type(reply).__name__} has no grade")


def _compared(aspect: str, found: Sequence[_Graded], mean: float, resamples: int, seed: int) -> HeldOutAspect:
    read = [(one.value, one.example) for one in found if one.value is not None]
    pairs = [(value, each) for value, each in read if not (each.graded and 0 in (value, each.value))]
    said = [value for value, _ in pairs]
    people = [example.value for _, example in pairs]
    questions = [example.question for _, example in pairs]

    def with_interval(statistic: Statistic, grades: Column) -> Estimate:
        return bootstrap_statistic(statistic, grades, people, questions, resamples=resamples, seed=seed)

    unreadable = sum(one.unreadable for one in found)
    return HeldOutAspect(
        aspect,
        len(pairs),
        len(set(questions)),
        unreadable,
        len(found) - len(read) - unreadable,
        with_interval(pearson, said),
        with_interval(mean_absolute_error, said),
        with_interval(mean_difference, said),
        with_interval(mean_absolute_error, [mean] * len(pairs)),
        len(read) - len(pairs),
    )


def mate_weights(learned: Sequence[GradedExample], rubric: Rubric) -> dict[str, Weights]:
    """Return the published weights, and those fitted to the training questions; empty for other aspects."""
    published = read_weights()
    try:
        published.check(rubric, "the published weights")
    except ConfigurationError:
        return {}
    rated = [one for one in learned if isinstance(one.task, RateAspect)]
    grades, questions = _by_item((one.item, one.aspect, one.value) for one in rated), _questions(rated)
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


def _overall_scores(
    graded: Sequence[tuple[GradedExample, float]], weights: Mapping[str, Weights], *, resamples: int, seed: int
) -> tuple[HeldOutScore, ...]:
    """Correlate `direct` and each MATE with people's overall grade; () if no answer has every grade."""
    if not weights:
        return ()
    rated = [(one, value) for one, value in graded if isinstance(one.task, RateAspect)]
    said = _by_item((one.item, one.aspect, value) for one, value in rated)
    people = _by_item((one.item, one.aspect, one.value) for one, _ in rated)
    questions = _questions(one for one, _ in rated)
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


def _by_item(grades: Iterable[tuple[str, str, float]]) -> ByItem:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for item, aspect, value in grades:
        found[item][aspect] = value
    return found


def _questions(examples: Iterable[GradedExample]) -> Mapping[str, str]:
    return {one.item: one.question for one in examples}
