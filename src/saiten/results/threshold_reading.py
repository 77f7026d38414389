"""Parsing of typed thresholds, `METRIC=NUMBER` or `METRIC.FIGURE=NUMBER`, so that typos are found before any cost.

`<` and `>` are not used, since a shell interprets them as redirections; `=` needs no quotation marks in YAML.
"""

import math
from collections.abc import Sequence

from saiten.errors import ConfigurationError
from saiten.metrics.catalog import known_metric
from saiten.results.metric_names import find_metric
from saiten.results.threshold import FIGURES, Side, Threshold
from saiten.results.verdict import higher_is_better


def read_threshold(text: str, side: Side, measured: Sequence[str]) -> Threshold:
    """Parse a threshold; `measured` are the run's metrics, as spelled there.

    Raises:
        ConfigurationError: the form is wrong, there is no such metric, or the limit is outside the possible values. A
            limit at their bound only requires that there is a value.
    """
    name, sign, number = text.rpartition("=")
    limit = _number(number)
    if not sign or limit is None or not name.strip(" <>"):
        raise ConfigurationError(
            f"a threshold is written METRIC=NUMBER, as in --fail-{side} faithfulness=0.8, not {text!r}"
        )
    if name.rstrip().endswith(("<", ">")):
        raise ConfigurationError(
            f"a threshold is written with = alone, not {text!r}; --fail-under is the lower bound, --fail-over the upper"
        )
    metric, figure = _split(name.strip(), measured)
    threshold = Threshold(find_metric(metric, measured), limit, side, figure)
    if figure == "coverage":
        check_limit(f"the coverage of {threshold.metric}", limit, (0.0, 1.0))
    else:
        check_limit(threshold.metric, limit, _bounds(threshold.metric))
    return threshold


def check_limit(what: str, limit: float, bounds: tuple[float, float]) -> None:
    """Check that the limit is within the possible values.

    Raises:
        ConfigurationError: it is not, or it is NaN, which nothing is below; the text names the bounds.
    """
    low, high = bounds
    if not low <= limit <= high or math.isinf(limit):
        raise ConfigurationError(
            f"{what} lies between {low:g} and {high:g}, so a limit of {limit:g} has no effect; choose one in this range"
        )


def against_its_direction(threshold: Threshold) -> str | None:
    """Return advice for a threshold on the side where the metric is good; None if there is no need."""
    higher = None if threshold.figure == "coverage" else higher_is_better(threshold.metric)
    if threshold.figure == "coverage" and threshold.side == "over":
        higher = True
    if higher is None or higher == (threshold.side == "under"):
        return None
    better, other = ("higher", "--fail-under") if higher else ("lower", "--fail-over")
    return f"{better} is better for {threshold.metric}; {other} is the bound on its other side"


def _split(name: str, measured: Sequence[str]) -> tuple[str, str]:
    metric, dot, figure = name.rpartition(".")
    if name in measured or not dot or "]" in figure or '"' in figure or ":" in figure:
        return name, "mean"
    if figure not in FIGURES:
        raise ConfigurationError(
            f"{metric} has no figure {figure!r}; after the dot comes one of {', '.join(FIGURES)}, as in {metric}.low"
        )
    return metric, figure


def _bounds(metric: str) -> tuple[float, float]:
    known = known_metric(metric)
    return (-math.inf, math.inf) if known is None else known.bounds


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None  # Python's 1_0 is a typo here
