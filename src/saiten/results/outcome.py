"""One threshold checked against one figure."""

from saiten.results.figure import Figure, unmeasured
from saiten.results.threshold import EXTREMES, SLACK, Outcome, Threshold, Verdict
from saiten.results.worst_samples import Worst
from saiten.stats.estimate import FEW
from saiten.words import Message, joined

_OF_THE_MEAN = ("mean", "low", "high")


def outcome_of(
    threshold: Threshold,
    figure: Figure | None,
    worst: Worst,
    *,
    samples: int,
    least: float,
    place: str | None,
    lost: int,
) -> Outcome:
    """Return whether the figure meets the threshold, and if not, why."""
    n = figure.n if figure else 0
    because = _because(figure, samples, lost)
    samples += lost
    share = n / samples if samples else 0.0
    value = _value(threshold, figure, share, worst)
    verdict: Verdict = "met"
    why = None
    if n == 0 and threshold.figure != "coverage":
        verdict, why = "unmeasured", Message("gate", "no_value", because=because)
    elif share < least - SLACK:
        verdict = "unmeasured"
        why = Message("gate", "too_few", n=n, of=samples, share=share, least=least, because=because)
    elif value is None:
        note = Message("gate", "note", note=figure.note) if figure and figure.note else ""
        verdict, why = "unmeasured", Message("gate", "no_interval", note=note)
    elif threshold.beyond(value):
        verdict, limit = "missed", threshold.limit
        only_coverage = because if threshold.figure == "coverage" else ""
        why = Message("gate", threshold.side, value=value, limit=limit, because=only_coverage)
        if threshold.figure in EXTREMES:
            why = Message("gate", f"samples_{threshold.side}", n=worst.beyond, of=n, limit=limit, worst=value)
    # The interval is the mean's; with a single sample or a share it would be misread as theirs.
    ends = (figure.low, figure.high) if figure and threshold.figure in _OF_THE_MEAN else (None, None)
    named = worst.samples() if verdict == "missed" and place is None and threshold.figure != "coverage" else ()
    beyond = worst.beyond if threshold.figure in EXTREMES else 0
    return Outcome(threshold, verdict, why, value, *ends, n, samples, place, named, beyond)


def _value(threshold: Threshold, figure: Figure | None, share: float, worst: Worst) -> float | None:
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
    """Return `: 3 failed, 2 not scored, unusable rows: 1 (the server said 500)`, as far as known."""
    unscored = samples - (figure.total if figure else 0)
    parts = [
        unmeasured(figure.metric, figure.coverage) if figure else "",
        Message("gate", "unscored", n=unscored) if unscored > 0 else "",
        Message("gate", "rows_lost", n=lost) if lost else "",
    ]
    text = joined(parts, "listed")
    reason = next((reason for _, reason in figure.missing), "") if figure else ""
    note = Message("gate", "note", note=text) if text else ""
    return joined([note, Message("gate", "reason", reason=reason[:200]) if reason else ""], "together")
