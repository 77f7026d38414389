"""Measuring a tuned judge: it performs the held-out tasks, and its grades are compared with people's.

Works with any `Judge`, so the untrained base, a small encoder and the offline judge are measured alike.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from itertools import groupby

from saiten.errors import CannotJudge, JudgeError, Unreadable
from saiten.executor import LocalExecutor
from saiten.judges.held_out import HeldOut, HeldOutAspect
from saiten.metrics.rubrics.weights import Weights
from saiten.protocols import Judge, Reply
from saiten.stats.clusters import Column
from saiten.stats.correlation import pearson
from saiten.stats.differences import mean_absolute_error, mean_difference
from saiten.stats.estimate import Estimate, Statistic, bootstrap_statistic
from saiten.tasks.aspects import Rating
from saiten.tasks.correctness import Decision, Grade
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.overall import overall_scores

_Graded = tuple[GradedExample, float | JudgeError]
"""An example with the judge's grade, or why there is none."""


async def held_out(
    judge: Judge,
    examples: Sequence[GradedExample],
    *,
    name: str,
    means: Mapping[str, float],
    weights: Mapping[str, Weights] | None = None,
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
        weights: weights for an overall grade, by name; see `overall.mate_weights`.
        seed: seed of the bootstrap.
        resamples: number of bootstrap rounds.
        step: called after each example.

    Raises:
        ConfigurationError: the judge is misconfigured.
    """

    async def graded(example: GradedExample) -> _Graded:
        try:
            return example, value_of(await judge.perform(example.task))
        except JudgeError as error:
            return example, error

    every: list[_Graded] = []
    async with aclosing(LocalExecutor(64).run(graded, examples)) as results:
        async for result in results:
            every.append(result)
            step()
    every.sort(key=lambda one: (one[0].aspect, one[0].item))
    by_aspect = groupby(every, key=lambda one: one[0].aspect)
    graded_ones = [(example, value) for example, value in every if not isinstance(value, JudgeError)]
    return HeldOut(
        name,
        tuple(_compared(aspect, list(found), means[aspect], resamples, seed) for aspect, found in by_aspect),
        overall_scores(graded_ones, weights or {}, resamples=resamples, seed=seed),
    )


def value_of(reply: Reply) -> float:
    """Return the metric's value for a reply: a grade, the mean of several, 1 or 0 for a verdict.

    Raises:
        CannotJudge: the judge says that there is nothing to grade.
    """
    if isinstance(reply, Rating) and reply.ungraded:
        raise CannotJudge(f"the judge gave no grade: {reply.reason or 'no reason was given'}")
    if isinstance(reply, Rating | Grade):
        return reply.value
    if isinstance(reply, Decision):
        return float(reply.holds)
    raise TypeError(f"{type(reply).__name__} has no grade")


def _compared(aspect: str, found: Sequence[_Graded], mean: float, resamples: int, seed: int) -> HeldOutAspect:
    read = [(value, example) for example, value in found if not isinstance(value, JudgeError)]
    pairs = [(value, each) for value, each in read if not (each.graded and 0 in (value, each.value))]
    said = [value for value, _ in pairs]
    people = [example.value for _, example in pairs]
    questions = [example.question for _, example in pairs]

    def with_interval(statistic: Statistic, grades: Column) -> Estimate:
        return bootstrap_statistic(statistic, grades, people, questions, resamples=resamples, seed=seed)

    unreadable = sum(isinstance(value, Unreadable) for _, value in found)
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
