"""Drift: whether a judge has changed since it was last compared with people.

The same frozen samples are scored again with another model, prompt or version. Per metric: how the mean moved, how far
the two runs agree, which items moved most, and, if there are labels, whether the agreement with people has dropped.
Only labels show which of two runs is right, so only they can raise an alarm.

Intervals resample questions (`stats.estimate`). The change in agreement is resampled as a difference: both runs on the
same items.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

import numpy as np

from saiten.choices import ScoreBy
from saiten.data.labels import deciding
from saiten.errors import BadInput
from saiten.records import CHECKS, Label, Score
from saiten.results.drift import AgreementChange, DriftReport, Measure, MetricDrift, Moved
from saiten.results.labeled_answers import answer_digest, noting_others
from saiten.results.place import place_of
from saiten.runs import RunReader, sample_to_json
from saiten.runs.lines import content_key, to_line
from saiten.stats.auroc import auroc
from saiten.stats.classification import agreement, cohen_kappa
from saiten.stats.clusters import Column, Floats
from saiten.stats.correlation import spearman
from saiten.stats.estimate import Estimate, bootstrap_statistic
from saiten.stats.paired import compare_paired, holm
from saiten.stats.reliability import icc_of_pairs
from saiten.trust.inputs.declining import Graded, graded
from saiten.trust.inputs.outputs import EXPECTED_NAME
from saiten.trust.inputs.scales import GRADES_AT_MOST
from saiten.trust.inputs.score_figure import ScoreFigure
from saiten.words import Message

_MEASURES: Mapping[Measure, Callable[[Column, Column], Estimate]] = {
    "agreement": agreement,
    "auroc": auroc,
    "spearman": spearman,
}
_SHOWN = 3


def drift(
    before: RunReader,
    now: RunReader,
    labels: Iterable[Label] = (),
    *,
    aspect: str | None = None,
    tolerance: float = 0.02,
    most: int = 5,
    resamples: int = 1_000,
    seed: int = 0,
    by: ScoreBy = "value",
) -> DriftReport:
    """Return the report on two runs over the same samples.

    Args:
        before: the trusted run.
        now: the run to check, over the same samples.
        labels: human labels; an adjudicated label overrides the others, otherwise the annotators' mean counts.
        aspect: the aspect of the labels to use, if there are several.
        tolerance: a drop in agreement up to this raises no alarm.
        most: maximum number of moved items listed per metric.
        resamples: number of resamples for the intervals.
        seed: seed of the draws.
        by: compare values or expected values, as in `outputs_of_run`.

    Raises:
        BadInput: the runs have different samples or share no metric, the labels are of several aspects or match none of
            the samples, or a run has no expected value.
    """
    questions = _same_samples(before, now)
    figures = [ScoreFigure(by), ScoreFigure(by)]
    scores = [_by_metric(run, figure) for run, figure in zip((before, now), figures, strict=True)]
    shared = [metric for metric in scores[0] if metric in scores[1]]
    if not shared:
        had = " and ".join(", ".join(side) or "nothing" for side in scores)
        raise BadInput(f"there is no metric that both runs have: they have {had}")
    theirs = noting_others(labels, {sample.id: answer_digest(sample) for sample in before.samples()}, before.notify)
    people, unmatched, declined = _people(theirs, aspect, questions, shared)
    settings = _Settings(tolerance, most, resamples, seed)
    found = [_metric(metric, (scores[0][metric], scores[1][metric]), questions, people, settings) for metric in shared]
    named = [each.metric + EXPECTED_NAME * any(one.has(each.metric) for one in figures) for each in found]
    competing = [each.metric not in CHECKS for each in found]
    corrected = holm([each.shift.p_value for each in found], competing=competing)
    return DriftReport(
        tuple(
            replace(each, metric=name, shift=replace(each.shift, p_value=p))
            for each, name, p in zip(found, named, corrected, strict=True)
        ),
        tuple(_differences(before, now, shared)),
        tuple(metric for metric in (*scores[0], *scores[1]) if metric not in shared),
        len(questions),
        unmatched,
        tolerance,
        declined,
    )


@dataclass(frozen=True, slots=True)
class _Settings:
    tolerance: float
    most: int
    resamples: int
    seed: int


def _same_samples(before: RunReader, now: RunReader) -> dict[str, str]:
    """Return sample → question; raise BadInput unless both runs hold the same samples."""
    first, second = (
        {sample.id: content_key(to_line(sample_to_json(sample))) for sample in run.samples()} for run in (before, now)
    )
    questions = {sample.id: place_of(sample).question for sample in before.samples()}
    faults = []
    for what, ids in (
        (f"only in {before.folder}", [key for key in first if key not in second]),
        (f"only in {now.folder}", [key for key in second if key not in first]),
        ("with other content", [key for key in first if key in second and first[key] != second[key]]),
    ):
        if ids:
            faults.append(f"{len(ids)} {what} ({', '.join(ids[:_SHOWN])}{', …' if len(ids) > _SHOWN else ''})")
    if faults:
        raise BadInput(
            f"drift is measured on one frozen set, but the runs have different samples: {'; '.join(faults)}. "
            "Score the same file again; `saiten compare` takes what two runs share"
        )
    if not questions:
        raise BadInput(f"there are no samples in {before.folder}")
    return questions


def _by_metric(run: RunReader, figure: ScoreFigure) -> dict[str, dict[str, Score]]:
    found: dict[str, dict[str, Score]] = {metric: {} for metric in run.manifest.signatures}
    for one in run.scores():
        # Keep only value and status: a score's details may be long.
        found.setdefault(one.metric, {})[one.sample] = Score(figure.of(one), one.score.status)
    figure.check(str(run.folder), run.notify)
    return {metric: scores for metric, scores in found.items() if scores}


def _people(
    labels: Iterable[Label], aspect: str | None, known: Mapping[str, str], metrics: Sequence[str]
) -> tuple[dict[str, float], int, int]:
    """Return the value per labeled item, and the numbers of unmatched labels and of answers labeled as declined."""
    given = list(labels)
    aspects = sorted({label.aspect for label in given})
    if aspect is not None and given and aspect not in aspects:
        raise BadInput(f"there are no labels of {aspect!r}; there are labels of {', '.join(map(repr, aspects))}")
    if aspect is None and len(aspects) > 1:
        raise BadInput(f"the labels are of several aspects, {', '.join(map(repr, aspects))}; name one with --aspect")
    chosen = [label for label in given if aspect is None or label.aspect == aspect]
    if any(label.category for label in chosen):
        raise BadInput("the labels are words without an order; verdicts or grades are needed")
    ours = [label for label in chosen if label.item in known]
    kept = graded(chosen[0].aspect, ours, metrics) if ours else Graded(ours)
    values = {item: fmean(label.value for label in each) for item, each in deciding(kept.labels).items()}
    unmatched = sum(label.item not in known for label in chosen)
    if given and not values:
        raise BadInput("no label is of an item that the runs have; labels are matched by the sample's id")
    return values, unmatched, len(kept.declined)


def _metric(
    metric: str,
    runs: tuple[Mapping[str, Score], Mapping[str, Score]],
    questions: Mapping[str, str],
    people: Mapping[str, float],
    settings: _Settings,
) -> MetricDrift:
    before, now = runs
    missing = Score(None, "failed", "it is not in the run")
    # sorted, so that draws do not depend on the order of the files
    every = [(sample, before.get(sample, missing), now.get(sample, missing)) for sample in sorted(questions)]
    statuses = Counter((old.status, new.status) for _, old, new in every if old.status != new.status)
    pairs = [
        (sample, old.value, new.value) for sample, old, new in every if old.value is not None and new.value is not None
    ]
    a, b = [old for _, old, _ in pairs], [new for *_, new in pairs]
    clusters = [questions[sample] for sample, *_ in pairs]
    resampled = partial(bootstrap_statistic, resamples=settings.resamples, seed=settings.seed)
    kappa = Estimate(None, len(a), Message("remark", "finer_values"))
    if len({*a, *b}) <= GRADES_AT_MOST:
        kappa = resampled(partial(cohen_kappa, weights="quadratic"), a, b, clusters)
    moved = sorted((each for each in pairs if each[1] != each[2]), key=lambda x: (-abs(x[2] - x[1]), x[0]))
    return MetricDrift(
        metric,
        fmean(a) if a else None,
        fmean(b) if b else None,
        compare_paired(a, b, clusters, seed=settings.seed),
        resampled(agreement, a, b, clusters),
        resampled(icc_of_pairs, a, b, clusters),
        kappa,
        dict(statuses),
        tuple(Moved(*each, people.get(each[0])) for each in moved[: settings.most]),
        _held(pairs, people, questions, settings) if people else None,
    )


def _held(
    pairs: Sequence[tuple[str, float, float]],
    people: Mapping[str, float],
    questions: Mapping[str, str],
    settings: _Settings,
) -> AgreementChange:
    rows = [(people[sample], old, new, questions[sample]) for sample, old, new in pairs if sample in people]
    said, old, new = (np.array([row[i] for row in rows], dtype=np.float64) for i in range(3))
    verdicts = _binary(said)
    measure: Measure = "spearman"
    if verdicts:
        measure = "agreement" if _binary(old) and _binary(new) else "auroc"
    statistic = _MEASURES[measure]

    def change(drawn: Floats, _: Floats) -> Estimate:
        rows_drawn = drawn.astype(np.int64)
        was, is_now = (statistic(said[rows_drawn], side[rows_drawn]) for side in (old, new))
        if was.value is None or is_now.value is None:
            return Estimate(None, len(drawn), was.reason or is_now.reason)
        return Estimate(is_now.value - was.value, len(drawn))

    # The resampled columns are row numbers, so that one draw serves three columns.
    numbers = np.arange(len(rows), dtype=np.float64)
    clusters = [row[3] for row in rows]
    found = bootstrap_statistic(change, numbers, numbers, clusters, resamples=settings.resamples, seed=settings.seed)
    dropped = found.value is not None and found.value < -settings.tolerance
    alarm = dropped and found.high is not None and found.high < 0
    return AgreementChange(measure, statistic(said, old).value, statistic(said, new).value, found, alarm)


def _binary(values: Floats) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _differences(
    before: RunReader, now: RunReader, metrics: Sequence[str]
) -> Iterable[tuple[str, str, str | None, str | None]]:
    """Yield the differing parts of the signatures (`metric|key:value|…`)."""
    for metric in metrics:
        old, new = (run.manifest.made_by(metric) for run in (before, now))
        for key in old | new:
            if old.get(key) != new.get(key):
                yield metric, key, old.get(key), new.get(key)
