"""Probing from Python, with any coroutine that scores a sample."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing

from saiten.executor import LocalExecutor
from saiten.protocols import Metric
from saiten.records import Sample, Score
from saiten.results.probe import ProbeReport
from saiten.trust.probes.catalog import chosen_probes
from saiten.trust.probes.pairs import PREFERENCE, PreferenceMetric
from saiten.trust.probes.plan import ProbePlan, ScoreKey, make_plan
from saiten.trust.probes.probe import Probe, ProbedMetric
from saiten.trust.probes.verdicts import LIMITS, ProbeLimits, probe_report


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
    """Return the report on one metric with one judge.

    `form_turned` and `rubric_turned` need two metrics, so they need a custom plan; for `order_swapped`
    there is `probe_order`.

    Args:
        samples: the originals; their ids must differ.
        metric: what is known about the metric.
        score: scores a sample; an exception ends the probing.
        probes: default: all.
        translated: further samples for `other_language`.
        limits: what counts as a change and as a fault.
        at_once: how many samples are under way at the same time.

    Raises:
        ConfigurationError: `at_once` is below 1.
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
    """Return the report on `order_swapped` alone: how the order of two answers affects a judge.

    Args:
        samples: those with the same question are compared with each other, others with their shortened reference.
        score: scores a sample with a metric and the judge, as `scoring.score_once` does.
        limits: what counts as a change and as a fault.
        at_once: how many samples are under way at the same time.

    Raises:
        ConfigurationError: `at_once` is below 1.
    """
    plan = make_plan(samples, [], chosen_probes(["order_swapped"]))
    metric = PreferenceMetric(plan.seconds)
    return probe_report(plan, await _scores(plan, PREFERENCE.name, lambda one: score(one, metric), at_once), limits)


async def _scores(
    plan: ProbePlan, name: str, score: Callable[[Sample], Awaitable[Score]], at_once: int
) -> dict[ScoreKey, Score]:
    async def scored(sample: Sample) -> tuple[ScoreKey, Score]:
        return (sample.id, name), await score(sample)

    async with aclosing(LocalExecutor(at_once).run(scored, plan.samples.values())) as found:
        return dict([each async for each in found])
