"""The summary of a run: per metric the mean with its interval, how many samples it covers, per group and system.

Only scores with the status `ok` enter a mean; each other status is counted beside it. Intervals come from a bootstrap
that resamples questions, since answers to one question are not independent of each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from saiten.records import STATUSES, Sample, Scored, Signature, Status, Usage
from saiten.stats.bootstrap import bootstrap_mean
from saiten.stats.paired import PairedComparison, compare_paired
from saiten.stats.reliability import Reliability, reliability

_GRADES_AT_MOST = 11
_HIGHEST_GRADE = 10
"""A metric with more distinct values, or higher ones (a length), is not shown as a distribution of grades."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a summary needs to know about a sample."""

    question: str
    """Samples of one question are resampled together."""
    group: str | None
    system: str | None


def place_of(sample: Sample) -> Place:
    """The sample's place; a sample without a question is a cluster of its own."""
    return Place(sample.question or f"\0{sample.id}", sample.group, sample.system)


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of a summary."""

    metric: str
    group: str | None
    """None: over all groups."""
    system: str | None
    """None: over all systems."""
    mean: float | None
    """Over the scores with status `ok`; None where there is none."""
    low: float | None
    """Lower end of the 95 % interval; None where too few questions allow none."""
    high: float | None
    n: int
    """Scores with status `ok`."""
    questions: int
    """Distinct questions among them: what the interval resamples."""
    coverage: Mapping[Status, int]
    """How many scores have each status."""
    distribution: Mapping[float, int] = field(default_factory=dict)
    """How often each grade was given, for metrics that give grades; else empty."""
    note: str | None = None
    """Why there is no mean or no interval."""
    missing: Mapping[tuple[Status, str], int] = field(default_factory=dict)
    """Status and reason of the scores that are not measured, refusals to answer apart: how often, the most frequent
    first."""

    @property
    def total(self) -> int:
        """All scores, whatever their status."""
        return sum(self.coverage.values())


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that is shown of a run at a glance."""

    figures: tuple[Figure, ...]
    """Over everything first, then per system, then per group, metrics in the order of the run."""
    usage: Usage
    """What the scores of the run cost."""
    signatures: Mapping[str, Signature | str] = field(default_factory=dict)
    """By metric: how the figure was made."""
    reliability: Mapping[str, Reliability] = field(default_factory=dict)
    """By metric: how far the votes of a panel agree with each other; empty without votes."""
    evidence: PairedComparison | None = None
    """Where correctness was graded with the evidence of the answer (E2) and of the reference (E3): how the grade shifts
    from the first to the second, on the answers that both graded."""

    def overall(self, metric: str) -> Figure:
        """The figure of one metric over everything; raises KeyError."""
        for figure in self.figures:
            if figure.metric == metric and figure.group is None and figure.system is None:
                return figure
        raise KeyError(metric)


def summarise(
    scored: Iterable[Scored],
    places: Mapping[str, Place],
    signatures: Mapping[str, Signature | str] | None = None,
) -> Summary:
    """The summary of scores; a later score of the same sample and metric must already have replaced an earlier one.

    Args:
        scored: the scores.
        places: by sample id.
        signatures: by metric, to be shown under the figures.
    """
    # The metrics in the order in which they were asked for; their scores come in any order.
    rows: dict[str, list[tuple[Place, Scored]]] = {metric: [] for metric in signatures or {}}
    usage = Usage()
    for one in scored:
        rows.setdefault(one.metric, []).append((places.get(one.sample) or Place(one.sample, None, None), one))
        usage += one.score.usage
    rows = {metric: of for metric, of in rows.items() if of}
    systems = sorted({place.system for of in rows.values() for place, _ in of if place.system is not None})
    groups = sorted({place.group for of in rows.values() for place, _ in of if place.group is not None})
    figures = [_figure(metric, of, None, None) for metric, of in rows.items()]
    # One system or group alone would only repeat the first rows.
    for system in systems if len(systems) > 1 else []:
        figures += [_figure(metric, of, None, system) for metric, of in rows.items()]
    for group in groups if len(groups) > 1 else []:
        figures += [_figure(metric, of, group, None) for metric, of in rows.items()]
    agreement = {
        metric: reliability([one.score.votes for _, one in of if one.score.votes])
        for metric, of in rows.items()
        if any(one.score.votes for _, one in of)
    }
    return Summary(tuple(figures), usage, dict(signatures or {}), agreement, _evidence_shift(rows))


def _evidence_shift(rows: Mapping[str, list[tuple[Place, Scored]]]) -> PairedComparison | None:
    """E3 minus E2 (spec: the judge that sees what question and reference retrieve is the stricter one)."""
    graded: dict[str, dict[str, tuple[Place, float]]] = {}
    for metric, of in rows.items():
        if metric.partition("[")[0] != "correctness":
            continue
        for place, one in of:
            seen = one.score.details.get("evidence") or {}
            # Without a piece of evidence it is neither of the two, whatever was asked for.
            if one.score.value is not None and seen.get("pieces"):
                graded.setdefault(seen["mode"], {})[one.sample] = (place, one.score.value)
    if not {"answer", "reference"} <= set(graded):
        return None
    both = sorted(set(graded["answer"]) & set(graded["reference"]))
    questions = [graded["answer"][sample][0].question for sample in both]
    first, second = ([graded[mode][sample][1] for sample in both] for mode in ("answer", "reference"))
    return compare_paired(first, second, questions)


def _figure(metric: str, rows: list[tuple[Place, Scored]], group: str | None, system: str | None) -> Figure:
    chosen = [
        (place, one)
        for place, one in rows
        if (group is None or place.group == group) and (system is None or place.system == system)
    ]
    counts = Counter(one.score.status for _, one in chosen)
    coverage: dict[Status, int] = {status: counts[status] for status in STATUSES if counts[status]}
    measured = [
        (one.score.value, place.question)
        for place, one in chosen
        if one.score.status == "ok" and one.score.value is not None
    ]
    if not measured:
        none = "nothing was measured"
        return Figure(metric, group, system, None, None, None, 0, 0, coverage, note=none, missing=_missing(chosen))
    values = [value for value, _ in measured]
    interval = bootstrap_mean(values, [question for _, question in measured])
    return Figure(
        metric,
        group,
        system,
        interval.mean,
        interval.low,
        interval.high,
        interval.n,
        interval.clusters,
        coverage,
        _distribution([_given(one) for _, one in chosen if one.score.status == "ok"]),
        "; ".join(note for note in (interval.note, _without_evidence(metric, chosen)) if note) or None,
        _missing(chosen),
    )


def _without_evidence(metric: str, rows: list[tuple[Place, Scored]]) -> str | None:
    """How many grades were given without the evidence that the mode asks for, since the samples brought none."""
    if metric.partition("[")[0] != "correctness":
        return None
    seen = [one.score.details.get("evidence") or {} for _, one in rows]
    without = sum(each.get("mode") in {"answer", "reference"} and not each.get("pieces") for each in seen)
    return f"{without} graded without evidence" if without else None


def _missing(rows: list[tuple[Place, Scored]]) -> dict[tuple[Status, str], int]:
    scores = [one.score for _, one in rows if one.score.status not in {"ok", "declined"}]
    return dict(Counter((score.status, score.reason or "no reason was given") for score in scores).most_common())


def _given(scored: Scored) -> float:
    """The grade that was given, where the value is finer (a mean of votes, or the offline judge's figure)."""
    grade = scored.score.details.get("grade")
    return float(grade) if isinstance(grade, int) else float(scored.score.value or 0.0)


def _distribution(values: list[float]) -> dict[float, int]:
    counts = Counter(values)
    if len(counts) > _GRADES_AT_MOST or any(value != int(value) or value > _HIGHEST_GRADE for value in counts):
        return {}
    return dict(sorted(counts.items()))
