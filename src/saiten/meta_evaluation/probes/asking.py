"""Probing from Python: a coroutine that scores a sample is all it takes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

from saiten.meta_evaluation.probes.catalog import FORM_TURNED, chosen_probes
from saiten.meta_evaluation.probes.plan import ScoreKey, make_plan
from saiten.meta_evaluation.probes.probe import Probe, ProbedMetric
from saiten.meta_evaluation.probes.report import LIMITS, Limits, ProbeReport, probe_report
from saiten.records import Sample, Score


async def probe_judge(
    samples: Sequence[Sample],
    metric: ProbedMetric,
    score: Callable[[Sample], Awaitable[Score]],
    probes: Sequence[Probe] | None = None,
    *,
    translated: Sequence[Sample] = (),
    limits: Limits = LIMITS,
    at_once: int = 16,
) -> ProbeReport:
    """The report on one metric with one judge; `form_turned` needs two, so it is left to a plan of one's own.

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
    if at_once < 1:
        raise ValueError(f"at_once is {at_once}; it must be at least 1")
    wanted = [probe for probe in (chosen_probes() if probes is None else probes) if probe.name != FORM_TURNED]
    plan = make_plan(samples, [metric], wanted, translated=translated)
    scores: dict[ScoreKey, Score] = {}
    waiting = iter(plan.samples.values())
    while some := list(islice(waiting, at_once)):
        for sample, found in zip(some, await asyncio.gather(*map(score, some)), strict=True):
            scores[sample.id, metric.name] = found
    return probe_report(plan, scores, limits)
