"""Is a run worse than the one before? The verdict of the comparison, for whoever must not let it pass.

Worse is what the paired test calls worse, corrected as in the table beside it, and by more than a margin; a difference
that may be noise is not. Where too few samples were measured on both sides it cannot be told, which is as bad.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from saiten.choices import COVERAGE
from saiten.errors import BadInput, ConfigurationError
from saiten.results.comparison import WORSE, Compared, enough, higher_is_better
from saiten.results.threshold_reading import find_metric
from saiten.views.table import Table


@dataclass(frozen=True, slots=True)
class Limit:
    """How much worse a metric may become."""

    metric: str
    """As it was typed."""
    margin: float = 0.0
    """In the metric's own unit; a difference up to it passes, however sure it is."""


def read_limit(text: str) -> Limit:
    """`METRIC` or `METRIC=MARGIN`; an `=` in the brackets of a name is none of ours.

    Raises:
        ConfigurationError: the margin is no number of 0 or more.
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
    return Limit(name.strip(), margin)


def worse_table(
    runs: Sequence[Compared], limits: Sequence[Limit], lost: Sequence[int], coverage: float = COVERAGE
) -> Table:
    """A row per limit and run after the first; `passed` says whether it may pass.

    Args:
        runs: each run after the first, compared with the first.
        limits: what must not become worse.
        lost: by run, how many rows could be used on neither side.
        coverage: the share of the samples that either side has that must have been measured on both.

    Raises:
        BadInput: a metric was not measured on both sides.
        ConfigurationError: neither direction of a metric is better.
    """
    rows = [_row(one, limit, n, coverage) for limit in limits for one, n in zip(runs, lost, strict=True)]
    failed = sum(not row[3] for row in rows)
    caption = f"{failed} of {len(rows)} failed. Worse: by the paired test above, and by more than the margin."
    return Table("Worse than before", ("runs", "metric", "margin", "passed", "why"), tuple(rows), caption)


def _row(runs: Compared, limit: Limit, lost: int, coverage: float) -> tuple[str, str, float, bool, str]:
    title = f"{runs.first} → {runs.second}"
    try:
        metric = find_metric(limit.metric, [each.metric for each in runs.metrics])
    except ConfigurationError as error:
        raise BadInput(f"--fail-if-worse, {title}: {error}") from error
    if higher_is_better(metric) is None:
        raise ConfigurationError(f"neither direction of {metric} is better, so it cannot become worse; name another")
    found = next(each for each in runs.metrics if each.metric == metric)
    n, difference = found.pairs.n, found.pairs.difference
    why = ""
    samples = found.either + lost
    if not enough(n, samples, coverage):
        rows_lost = f" (rows that could not be used: {lost})" if lost else ""
        why = f"only {n} of {samples} samples were measured on both sides{rows_lost}, {coverage:.0%} are asked for"
    elif found.verdict == WORSE and difference is not None and abs(difference) > limit.margin:
        why = f"worse by {abs(difference):.4g}, p {found.p:.3g}"
    return title, metric, limit.margin, not why, why
