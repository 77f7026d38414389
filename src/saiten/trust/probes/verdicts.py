"""Results of the probes: per probe the effect with its interval, how many items break the expectation, and a verdict.

The difference is changed minus original over the trials with two values, with a bootstrap interval and a sign-flip test
by question (`stats.paired`), Holm-corrected over all rows. The share of trials that break the expectation has Wilson's
interval (Wilson 1927) with n as the number of questions: trials of one question are alike, and unlike the bootstrap it
also gives an interval where no trial, or every trial, breaks the expectation.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from saiten.records import STATUSES, Score
from saiten.results.probe import ProbeReport, ProbeRow, Verdict
from saiten.stats.paired import compare_paired, holm
from saiten.stats.reliability import Reliability, reliability
from saiten.stats.wilson import wilson
from saiten.trust.probes.order import order_rows
from saiten.trust.probes.plan import ProbePlan, ProbeTrials, ScoreKey, Trial
from saiten.trust.probes.probe import ProbedMetric
from saiten.words import Message, joined


@dataclass(frozen=True, slots=True)
class ProbeLimits:
    """Thresholds for a change and for a violation."""

    tolerance: float = 0.05
    """Share of the metric's range up to which a change is ignored; 0.2 on 1 to 5: one vote in five off by one."""
    allowed: float = 0.05
    """The share of trials that may break the expectation before the probe is violated."""
    questions: int = 10
    """Minimum number of questions for a verdict."""

    def __post_init__(self) -> None:
        """Reject values that allow no verdict."""
        if not 0 <= self.tolerance < 1 or not 0 <= self.allowed < 1 or self.questions < 1:
            raise ValueError(f"tolerance and allowed lie from 0 to below 1, questions from 1 on, not {self}")


LIMITS = ProbeLimits()


def probe_report(plan: ProbePlan, scores: Mapping[ScoreKey, Score], limits: ProbeLimits = LIMITS) -> ProbeReport:
    """Return the report on scores; a missing score counts as failed."""
    rows, variants = [], []
    for series in plan.series:
        names = list(dict.fromkeys(one.variant for one in series.trials))
        forms = [
            _row(series, [one for one in series.trials if one.variant == name], scores, limits, name)
            for name in (names if len(names) > 1 else ())
        ]
        rows.append(_with_worst(_row(series, series.trials, scores, limits, None), forms))
        variants += [replace(form, p_value=None) for form in forms]
    corrected = holm([row.p_value for row in rows])
    rows = [replace(row, p_value=p) for row, p in zip(rows, corrected, strict=True)]
    return ProbeReport(tuple(rows), tuple(variants), _votes(plan, scores), order_rows(plan, scores))


def _with_worst(row: ProbeRow, forms: Sequence[ProbeRow]) -> ProbeRow:
    """Mark a probe as violated if one of its forms is: harmless forms must not hide it."""
    violated = [form.variant for form in forms if form.verdict == "violated"]
    if row.verdict == "violated" or not violated:
        return row
    return replace(row, verdict="violated", reason=Message("probe", "broken_by", forms=joined(violated, "listed")))


def _row(
    series: ProbeTrials,
    trials: Sequence[Trial],
    scores: Mapping[ScoreKey, Score],
    limits: ProbeLimits,
    variant: str | None,
) -> ProbeRow:
    scored = [(one, _score(scores, one.before), _score(scores, one.after)) for one in trials]
    held = [(one, _Held.of(before, after, series, limits)) for one, before, after in scored]
    counted = [(one, each) for one, each in held if each.counts]
    broken = sorted(((each.by, one.after[0]) for one, each in counted if each.broken), key=lambda x: (-x[0], x[1]))
    questions = len({one.question for one, _ in counted})
    share = len(broken) / len(counted) if counted else None
    low, high = wilson(share, questions) if share is not None else (None, None)
    both = [
        (one.question, before.value, after.value)
        for one, before, after in scored
        if before.value is not None and after.value is not None
    ]
    effect = compare_paired([b for _, b, _ in both], [a for _, _, a in both], [q for q, _, _ in both])
    verdict, reason = _verdict(series, share, low, questions, limits)
    others = Counter(next((s.status for s in pair if s.status != "ok"), "ok") for _, *pair in scored)
    return ProbeRow(
        probe=series.probe,
        metric=series.metric.name,
        variant=variant,
        expectation=series.expectation,
        verdict=verdict,
        trials=len(trials),
        n=len(counted),
        questions=questions,
        broken=len(broken),
        share=share,
        share_low=low,
        share_high=high,
        no_room=sum(each.full for _, each in held),
        others={status: others[status] for status in STATUSES if status != "ok" and others[status]},
        pairs=len(both),
        difference=effect.difference,
        low=effect.low,
        high=effect.high,
        p_value=effect.p_value,
        examples=tuple(sample for _, sample in broken[:3]),
        reason=reason or (effect.note if both else None),
    )


def _verdict(
    series: ProbeTrials, share: float | None, low: float | None, questions: int, limits: ProbeLimits
) -> tuple[Verdict, Message | None]:
    """Return the verdict, with the reason if there is none."""
    if series.reason is not None:
        return "not applicable", series.reason
    if share is None or low is None or questions < limits.questions:
        return "not enough items", Message("probe", "few_questions", n=questions, least=limits.questions)
    if low > limits.allowed:
        return "violated", None
    if share > limits.allowed:
        return "not enough items", Message("probe", "maybe_chance", allowed=limits.allowed)
    return "holds", None


@dataclass(frozen=True, slots=True)
class _Held:
    """One trial compared with the expectation."""

    counts: bool = False
    """Both scores are known, and there was room to break or to keep the expectation."""
    broken: bool = False
    full: bool = False
    """There was no such room: see `no_room`."""
    by: float = 0.0
    """Distance from the expectation."""

    @classmethod
    def of(cls, before: Score, after: Score, series: ProbeTrials, limits: ProbeLimits) -> "_Held":
        metric, expectation = series.metric, series.expectation
        lowest, highest = metric.bounds
        slack = limits.tolerance * (highest - lowest) if math.isfinite(highest - lowest) else 0.0
        old, new = _level(before, metric), _level(after, metric)
        if expectation == "lowest" and after.status in {"declined", "undefined"}:
            return cls(counts=True)
        if new is None or (old is None and expectation not in {"lowest", "highest"}):
            return cls()
        rise = 0.0 if old is None else new - old
        full = old is not None and (
            (expectation == "must not rise" and old >= highest - slack)
            or (expectation == "must fall" and old <= (lowest + highest) / 2)
        )
        by = {
            "lowest": new - lowest,
            "highest": highest - new,
            "must not rise": rise,
            "must fall": rise,
            "must not change": abs(rise),
        }[expectation]
        broken = by >= -slack if expectation == "must fall" else by > slack
        return cls(counts=not full, broken=broken and not full, full=full, by=by)


def _level(score: Score, metric: ProbedMetric) -> float | None:
    """Return the value; the lowest value for an answer that declines (grade 0 is below the scale)."""
    return metric.bounds[0] if score.status == "declined" else score.value


def _score(scores: Mapping[ScoreKey, Score], key: ScoreKey) -> Score:
    return scores.get(key) or Score(None, "failed", "it was not scored")


def _votes(plan: ProbePlan, scores: Mapping[ScoreKey, Score]) -> dict[str, Reliability]:
    """Compute the votes' reliability over the original samples, which no probe made."""
    made = {one.after[0] for series in plan.series for one in series.trials if one.after[0] != one.before[0]}
    found: dict[str, Reliability] = {}
    for metric in dict.fromkeys(series.metric.name for series in plan.series):
        votes = [
            scores[key].votes
            for sample in plan.samples
            if sample not in made and (key := (sample, metric)) in scores and scores[key].votes
        ]
        if votes:
            found[metric] = reliability(votes)
    return found
