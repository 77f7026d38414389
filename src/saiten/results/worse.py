"""Regression check: whether a run is worse than the one before.

Worse means worse by the paired test, corrected as in the comparison, and by more than a margin; possible noise does
not count. If too few samples were measured on both sides, the result is unknown and fails as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from saiten.choices import COVERAGE
from saiten.errors import BadInput, ConfigurationError
from saiten.results.comparison import Comparison
from saiten.results.metric_names import find_metric
from saiten.results.verdict import enough
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Margin:
    """Permitted decrease of a metric."""

    metric: str
    """As typed."""
    margin: float = 0.0
    """In the metric's unit; a difference up to it passes, however significant."""


@dataclass(frozen=True, slots=True)
class Worsening:
    """One metric of one run after the first, and whether it passes."""

    first: str
    second: str
    metric: str
    margin: float
    why: Message | None
    """Why it does not pass."""

    @property
    def passed(self) -> bool:
        """Whether it passes."""
        return self.why is None


def read_margin(text: str) -> Margin:
    """Read `METRIC` or `METRIC=MARGIN`; an `=` in the brackets of a name belongs to the name.

    Raises:
        ConfigurationError: The margin is not a number of 0 or more.
    """
    name, sign, number = text.rpartition("=")
    if not sign or number.rstrip().endswith("]"):
        name, number = text, "0"
    try:
        margin = float(number)
    except ValueError:
        margin = -1.0
    if not 0 <= margin < float("inf") or not name.strip():
        raise ConfigurationError(f"--fail-if-worse takes METRIC or METRIC=MARGIN, the margin 0 or more, not {text!r}")
    return Margin(name.strip(), margin)


def worsenings(
    runs: Sequence[Comparison], margins: Sequence[Margin], lost: Sequence[int], coverage: float = COVERAGE
) -> tuple[Worsening, ...]:
    """Return one record per margin and run after the first.

    Args:
        runs: Each run after the first, compared with the first.
        margins: The metrics that must not become worse.
        lost: By run, the number of rows that were unusable on both sides.
        coverage: The required share of the samples on either side that were measured on both.

    Raises:
        BadInput: A metric was not measured on both sides.
        ConfigurationError: Neither direction of a metric is better.
    """
    return tuple(_worsening(one, margin, n, coverage) for margin in margins for one, n in zip(runs, lost, strict=True))


def _worsening(runs: Comparison, limit: Margin, lost: int, coverage: float) -> Worsening:
    try:
        metric = find_metric(limit.metric, [each.metric for each in runs.metrics])
    except ConfigurationError as error:
        raise BadInput(f"--fail-if-worse, {runs.first} → {runs.second}: {error}") from error
    found = next(each for each in runs.metrics if each.metric == metric)
    if found.higher is None:
        raise ConfigurationError(f"neither direction of {metric} is better, so it cannot become worse; name another")
    why = None
    samples = found.either + lost
    if not enough(found.n, samples, coverage):
        rows = Message("gate", "rows_lost_in_brackets", n=lost) if lost else ""
        why = Message("gate", "not_on_both_sides", n=found.n, of=samples, rows=rows, coverage=coverage)
    elif found.verdict == "worse" and found.difference is not None and abs(found.difference) > limit.margin:
        why = Message("gate", "worse", difference=abs(found.difference), p=found.p_value)
    return Worsening(runs.first, runs.second, metric, limit.margin, why)
