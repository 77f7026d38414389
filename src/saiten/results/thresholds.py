"""Thresholds: whether a run's figures are good enough.

A missing figure misses its threshold, and so does one over too few of the samples, or of an unfinished run: an
unmeasured result is never good enough.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from saiten.choices import COVERAGE, By
from saiten.records import Sample, Scored
from saiten.results.outcome import outcome_of
from saiten.results.place import Place
from saiten.results.places import Places
from saiten.results.summary import Summary
from saiten.results.threshold import EXTREMES, Outcome, Threshold
from saiten.results.worst_samples import Worst
from saiten.words import Message


def hold(
    thresholds: Sequence[Threshold],
    summary: Summary,
    places: Places | Mapping[str, Place],
    scores: Callable[[], Iterable[Scored]],
    *,
    each: By | None = None,
    coverage: float = COVERAGE,
    finished: bool = True,
    bad_rows: int = 0,
) -> tuple[Outcome, ...]:
    """Check a run against thresholds: over everything first, then per system or group.

    Args:
        thresholds: the thresholds.
        summary: of the run; with `each`, broken down by it.
        places: of all its samples, by id: those without a score count against the coverage.
        scores: the scores once more, as a stream.
        each: check each system, or each group, against the same thresholds as the whole.
        coverage: the required share of samples with a value, unless a threshold sets it.
        finished: whether the run is complete; unread samples can have any value.
        bad_rows: number of unusable rows in the data; for the whole run they count as samples without a value.
    """
    own = {threshold.metric for threshold in thresholds if threshold.figure == "coverage"}
    worst = {threshold: Worst(threshold) for threshold in thresholds}
    for one in scores():
        for each_worst in worst.values():
            each_worst.see(one)
    figures = {(figure.metric, figure.system, figure.group): figure for figure in summary.figures}
    found = []
    for place, samples in _counted(Places.of(places), each).items():
        where = (place if each == "system" else None, place if each == "group" else None)
        for threshold in thresholds:
            if place is not None and threshold.figure in EXTREMES:
                continue  # every sample is already required
            figure = figures.get((threshold.metric, *where))
            least = 0.0 if threshold.metric in own else coverage
            lost = bad_rows if place is None else 0  # their system or group is unknown
            outcome = outcome_of(
                threshold, figure, worst[threshold], samples=samples, least=least, place=place, lost=lost
            )
            if not finished and outcome.verdict != "missed":
                outcome = replace(outcome, verdict="unmeasured", why=Message("gate", "not_finished"))
            found.append(outcome)
    return tuple(found)


def _counted(places: Places, each: By | None) -> dict[str | None, int]:
    """Return the number of samples: of all, then by name."""
    found: dict[str | None, int] = {None: len(places)}
    if each is not None:
        found.update(places.counted(each))
    return found


def named_in(outcomes: Sequence[Outcome], samples: Iterable[Sample]) -> dict[str, Sample]:
    """Return the samples named in outcomes, by id, from a stream of all samples."""
    wanted = {one.sample for outcome in outcomes for one in outcome.worst}
    return {sample.id: sample for sample in samples if sample.id in wanted} if wanted else {}
