"""Metrics held against what is known: the mean per defect, and how well good answers are told from bad ones."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from saiten.demo.defects import DEFECTS
from saiten.demo.samples import DemoSample
from saiten.demo.targets import Fact, target_of
from saiten.records import STATUSES, Score, Scored, Status
from saiten.stats.auroc import auroc
from saiten.stats.estimate import Estimate, bootstrap_statistic

_CLAIMS = {defect.name: defect.claims for defect in DEFECTS}


@dataclass(frozen=True, slots=True)
class KindFigure:
    """What one metric gave to the answers with one defect."""

    defect: str
    mean: float | None
    """Over the scores with status `ok`; None where there is none."""
    n: int
    """How many those are."""
    others: Mapping[Status, int]
    """How many have each other status, those that occur."""


@dataclass(frozen=True, slots=True)
class DefectRow:
    """What one metric made of the demo."""

    metric: str
    """The metric's name, settings included."""
    kinds: tuple[KindFigure, ...]
    """One for each defect that was scored, in the order of `DEFECTS`."""
    separates: Fact | None
    """What the answers with high scores should be; None if the metric measures something else."""
    auroc: float | None
    """How often an answer that is `separates` scores higher than one that is not, ties counting half; 0.5 is chance."""
    low: float | None
    """Lower end of its 95 % interval, questions resampled."""
    high: float | None
    """Upper end of it."""
    good: int
    """The answers that are `separates`, of those that entered the AUROC."""
    bad: int
    """The others of those."""
    reason: str | None
    """Why there is no AUROC although there is something to separate."""
    note: str
    """What the metric cannot see, in one sentence."""


def hold_against_defects(scored: Iterable[Scored], demo: Sequence[DemoSample]) -> tuple[DefectRow, ...]:
    """One row for each metric, in the order in which they first occur.

    Only scores with the status `ok` enter means and AUROC. Refusals, which claim nothing, do not enter an AUROC about
    faithfulness alone. Scores of samples that are not in `demo` are passed over, so the scores of both languages can be
    held against one of them; of two scores of one sample and metric the later counts.
    """
    known = {one.sample.id: one for one in demo}
    by_metric: dict[str, dict[str, Score]] = {}
    for one in scored:
        if one.sample in known:
            by_metric.setdefault(one.metric, {})[one.sample] = one.score
    return tuple(
        _row(metric, [(known[sample], score) for sample, score in scores.items()])
        for metric, scores in by_metric.items()
    )


def _row(metric: str, scores: Sequence[tuple[DemoSample, Score]]) -> DefectRow:
    target = target_of(metric)
    kinds = tuple(
        _kind(defect.name, found)
        for defect in DEFECTS
        if (found := [score for sample, score in scores if sample.defect == defect.name])
    )
    if target.fact is None:
        return DefectRow(metric, kinds, None, None, None, None, 0, 0, None, target.note)
    measured = [
        (sample, score.value)
        for sample, score in scores
        if score.status == "ok"
        and score.value is not None
        and (target.fact != "faithful" or _CLAIMS.get(sample.defect, True))
    ]
    labels = [_holds(target.fact, sample) for sample, _ in measured]
    estimate = _separation(measured, labels)
    good = sum(labels)
    return DefectRow(
        metric,
        kinds,
        target.fact,
        estimate.value,
        estimate.low,
        estimate.high,
        good,
        len(labels) - good,
        _why_none(target.fact, good, len(labels) - good) if estimate.value is None else None,
        target.note,
    )


def _kind(defect: str, scores: Sequence[Score]) -> KindFigure:
    values = [score.value for score in scores if score.status == "ok" and score.value is not None]
    counts = Counter(score.status for score in scores)
    others: dict[Status, int] = {status: counts[status] for status in STATUSES if status != "ok" and counts[status]}
    return KindFigure(defect, sum(values) / len(values) if values else None, len(values), others)


def _holds(fact: Fact, sample: DemoSample) -> bool:
    return {
        "correct": sample.correct,
        "faithful": sample.faithful,
        "correct and faithful": sample.correct and sample.faithful,
    }[fact]


def _separation(measured: Sequence[tuple[DemoSample, float]], labels: Sequence[bool]) -> Estimate:
    """With an interval that resamples questions, since the answers to one question are not independent."""
    questions = [sample.sample.question for sample, _ in measured]
    return bootstrap_statistic(auroc, labels, [value for _, value in measured], questions)


def _why_none(fact: Fact, good: int, bad: int) -> str:
    return f"both are needed: {good} answers that are {fact} and {bad} that are not were measured"
