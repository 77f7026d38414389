"""Thresholds: whether a run's figures are good enough.

A missing figure misses its threshold, and so does one over too few of the samples, or of an unfinished run: an
unmeasured result is never good enough.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappush, heappushpop
from typing import Literal

from saiten.choices import COVERAGE, By
from saiten.records import Sample, Scored
from saiten.results.summary import Figure, Place, Summary, unmeasured
from saiten.stats.estimate import FEW
from saiten.words import Message, joined

Side = Literal["under", "over"]

Verdict = Literal["met", "missed", "unmeasured"]

EXTREMES = ("min", "max")
"""Figures of single samples: their thresholds apply to every sample."""
FIGURES = ("mean", "low", "high", *EXTREMES, "coverage")
"""Figures that a threshold can bound; `low` and `high` are the ends of the 95 % interval."""

_OF_THE_MEAN = ("mean", "low", "high")

WORST = 5
"""Number of samples named for a missed figure."""
BEYOND = 100
"""Maximum number of samples named if every single sample is checked."""
_SLACK = 1e-9
"""0.1 + 0.2 is at least 0.3: the last bits of a sum are ignored."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit on one figure of one metric."""

    metric: str
    """As spelled in the run."""
    limit: float
    side: Side = "under"
    """The side of the limit on which the figure misses."""
    figure: str = "mean"
    """One of `FIGURES`."""

    def __str__(self) -> str:
        name = self.metric if self.figure == "mean" else f"{self.metric}.{self.figure}"
        return f"{name} {'>=' if self.side == 'under' else '<='} {self.limit:g}"

    def beyond(self, value: float) -> bool:
        """Return whether the value misses; a value equal up to the last bits does not."""
        slack = _SLACK * max(1.0, abs(self.limit))
        return value < self.limit - slack if self.side == "under" else value > self.limit + slack


@dataclass(frozen=True, slots=True)
class Outcome:
    """One threshold checked against the run, or against one of its systems or groups."""

    threshold: Threshold
    verdict: Verdict
    """`unmeasured` also misses: there is no value, or for too few samples."""
    why: Message | None
    """None if it is met."""
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Number of samples with a value."""
    samples: int
    """Number of all samples; for the whole run including rows that could not be converted to a sample."""
    place: str | None = None
    """The system or group; None for the whole run."""
    worst: tuple[Scored, ...] = ()
    """For a missed threshold: the worst samples beyond the limit, or all of them if each sample is checked; bounded."""
    beyond: int = 0
    """If each sample is checked: the number beyond the limit, including unnamed ones."""

    @property
    def missed(self) -> bool:
        """Whether the run misses this threshold."""
        return self.verdict != "met"


def hold(
    thresholds: Sequence[Threshold],
    summary: Summary,
    places: Mapping[str, Place],
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
    worst = {threshold: _Worst(threshold) for threshold in thresholds}
    for one in scores():
        for each_worst in worst.values():
            each_worst.see(one)
    figures = {(figure.metric, figure.system, figure.group): figure for figure in summary.figures}
    found = []
    for place, samples in _counted(places, each).items():
        where = (place if each == "system" else None, place if each == "group" else None)
        for threshold in thresholds:
            if place is not None and threshold.figure in EXTREMES:
                continue  # every sample is already required
            figure = figures.get((threshold.metric, *where))
            least = 0.0 if threshold.metric in own else coverage
            lost = bad_rows if place is None else 0  # their system or group is unknown
            outcome = _outcome(
                threshold, figure, worst[threshold], samples=samples, least=least, place=place, lost=lost
            )
            if not finished and outcome.verdict != "missed":
                outcome = replace(outcome, verdict="unmeasured", why=Message("gate", "not_finished"))
            found.append(outcome)
    return tuple(found)


def _counted(places: Mapping[str, Place], each: By | None) -> dict[str | None, int]:
    """Return the number of samples: of all, then by name."""
    names = Counter(name for place in places.values() if each and (name := getattr(place, each)) is not None)
    return {None: len(places), **dict(sorted(names.items()))}


def _outcome(
    threshold: Threshold,
    figure: Figure | None,
    worst: "_Worst",
    *,
    samples: int,
    least: float,
    place: str | None,
    lost: int,
) -> Outcome:
    n = figure.n if figure else 0
    because = _because(figure, samples, lost)
    samples += lost
    share = n / samples if samples else 0.0
    value = _value(threshold, figure, share, worst)
    verdict: Verdict = "met"
    why = None
    if n == 0 and threshold.figure != "coverage":
        verdict, why = "unmeasured", Message("gate", "no_value", because=because)
    elif share < least - _SLACK:
        verdict = "unmeasured"
        why = Message("gate", "too_few", n=n, of=samples, share=share, least=least, because=because)
    elif value is None:
        note = Message("gate", "note", note=figure.note) if figure and figure.note else ""
        verdict, why = "unmeasured", Message("gate", "no_interval", note=note)
    elif threshold.beyond(value):
        verdict, limit = "missed", threshold.limit
        why = (
            Message("gate", f"samples_{threshold.side}", n=worst.beyond, of=n, limit=limit, worst=value)
            if threshold.figure in EXTREMES
            else Message(
                "gate",
                threshold.side,
                value=value,
                limit=limit,
                because=because if threshold.figure == "coverage" else "",
            )
        )
    # The interval is the mean's; with a single sample or a share it would be misread as theirs.
    ends = (figure.low, figure.high) if figure and threshold.figure in _OF_THE_MEAN else (None, None)
    named = worst.samples() if verdict == "missed" and place is None and threshold.figure != "coverage" else ()
    return Outcome(
        threshold,
        verdict,
        why,
        value,
        *ends,
        n,
        samples,
        place,
        named,
        worst.beyond if threshold.figure in EXTREMES else 0,
    )


def _value(threshold: Threshold, figure: Figure | None, share: float, worst: "_Worst") -> float | None:
    if threshold.figure == "coverage":
        return share
    if figure is None:
        return None
    if threshold.figure in EXTREMES:
        return worst.extreme
    if threshold.figure == "mean":
        return figure.mean
    end = figure.low if threshold.figure == "low" else figure.high
    # If all questions have the same result, resampling shows no spread; with six or more that is enough evidence.
    return figure.mean if end is None and figure.questions >= FEW else end


def _because(figure: Figure | None, samples: int, lost: int) -> Message:
    """Return `: 3 failed, 2 not scored, rows that could not be used: 1 (the server said 500)`, as far as known."""
    unscored = samples - (figure.total if figure else 0)
    parts = [
        unmeasured(figure.coverage) if figure else "",
        Message("gate", "unscored", n=unscored) if unscored > 0 else "",
        Message("gate", "rows_lost", n=lost) if lost else "",
    ]
    text = joined(parts, "listed")
    reason = next((reason for _, reason in figure.missing), "") if figure else ""
    return joined(
        [
            Message("gate", "note", note=text) if text else "",
            Message("gate", "reason", reason=reason[:200]) if reason else "",
        ],
        "together",
    )


class _Worst:
    """Collects the worst samples of a metric beyond the limit from a stream of scores, in bounded memory."""

    def __init__(self, threshold: Threshold) -> None:
        self._threshold = threshold
        self._each = threshold.figure in EXTREMES
        # A threshold on the maximum asks for high values, whichever side of the limit it is.
        self._sign = {"min": -1.0, "max": 1.0}.get(threshold.figure, -1.0 if threshold.side == "under" else 1.0)
        self._heap: list[tuple[float, int, Scored]] = []
        self._seen = 0
        self.beyond = 0
        self.extreme: float | None = None

    def see(self, one: Scored) -> None:
        value = one.score.value
        if one.metric != self._threshold.metric or value is None or not math.isfinite(value):
            return
        badness = self._sign * value
        if self.extreme is None or badness > self._sign * self.extreme:
            self.extreme = value
        beyond = self._threshold.beyond(value)
        self.beyond += beyond
        self._seen += 1
        if not beyond:
            return
        entry = (badness, -self._seen, one)  # the first of equal ones
        if len(self._heap) < (BEYOND if self._each else WORST):
            heappush(self._heap, entry)
        else:
            heappushpop(self._heap, entry)

    def samples(self) -> tuple[Scored, ...]:
        return tuple(one for _, _, one in sorted(self._heap, key=lambda entry: entry[:2], reverse=True))


def named_in(outcomes: Sequence[Outcome], samples: Iterable[Sample]) -> dict[str, Sample]:
    """Return the samples named in outcomes, by id, from a stream of all samples."""
    wanted = {one.sample for outcome in outcomes for one in outcome.worst}
    return {sample.id: sample for sample in samples if sample.id in wanted} if wanted else {}
