"""Probing from Python: a coroutine that scores a sample is all it takes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

from saiten.protocols import Metric
from saiten.records import Sample, Score
from saiten.trust.probes.catalog import chosen_probes
from saiten.trust.probes.findings import LIMITS, ProbeLimits, ProbeReport, probe_report
from saiten.trust.probes.pairs import PREFERENCE, PreferenceMetric
from saiten.trust.probes.plan import ProbePlan, ScoreKey, make_plan
from saiten.trust.probes.probe import Probe, ProbedMetric


async def probe_judge(
    samples: Sequence[Sample],
    metric: ProbedMetric,
    score: Callable[[Sample], Awaitable[Score]],
    probes: Sequence[Probe] | None = None,
    *,
    translated: Sequence[Sample] = (),
    limits: ProbeLimits = LIMITS,
    at_once: int = 16,
) -> ProbeReport:
    """The report on one metric with one judge.

    `form_turned` and `rubric_turned` need two metrics, so they are left to a plan of one's own; for `order_swapped`
    there is `probe_order`.

    Args:
        samples: the originals; their ids must differ.
        metric: what is known about the metric.
        score: scores a sample; whatever it raises ends the probing.
        probes: default: all.
        translated: further samples for `other_language`.
        limits: what counts as a change and as a fault.
        at_once: how many samples are under way at the same time.

    Raises:
        ValueError: `at_once` is below 1.
    """
    chosen = chosen_probes() if probes is None else probes
    wanted = [probe for probe in chosen if not isinstance(probe.changes, str) and not probe.pairwise]
    plan = make_plan(samples, [metric], wanted, translated=translated)
    return probe_report(plan, await _scores(plan, metric.name, score, at_once), limits)


async def probe_order(
    samples: Sequence[Sample],
    score: Callable[[Sample, Metric], Awaitable[Score]],
    *,
    limits: ProbeLimits = LIMITS,
    at_once: int = 16,
) -> ProbeReport:
    """What the order of two answers does to a judge: the report on `order_swapped` alone.

    Args:
        samples: those with the same question are compared with each other, others with their shortened reference.
        score: scores a sample with a metric and the judge, as `scoring.score_once` does.
        limits: what counts as a change and as a fault.
        at_once: how many samples are under way at the same time.

    Raises:
        ValueError: `at_once` is below 1.
    """
    plan = make_plan(samples, [], chosen_probes(["order_swapped"]))
    metric = PreferenceMetric(plan.seconds)
    return probe_report(plan, await _scores(plan, PREFERENCE.name, lambda one: score(one, metric), at_once), limits)


async def _scores(
    plan: ProbePlan, name: str, score: Callable[[Sample], Awaitable[Score]], at_once: int
) -> dict[ScoreKey, Score]:
    if at_once < 1:
        raise ValueError(f"at_once is {at_once}; it must be at least 1")
    scores: dict[ScoreKey, Score] = {}
    waiting = iter(plan.samples.values())
    while some := list(islice(waiting, at_once)):
        for sample, found in zip(some, await asyncio.gather(*map(score, some)), strict=True):
            scores[sample.id, name] = found
    return scores
