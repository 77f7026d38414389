"""The verdict on a difference: better, worse, or noise."""

from typing import Literal

from saiten.choices import COVERAGE
from saiten.dialogue.lines import HIGHER_IS_BETTER
from saiten.metrics.catalog import known_metric
from saiten.metrics.naming import is_human

Verdict = Literal["better", "worse", "differs", "noise", "unmeasured"]
"""Verdict on the second side: `differs` if neither direction is better, `noise` if the difference may be chance,
`unmeasured` if too few samples have a value on both sides, since the unmeasured ones may be the hard ones."""

OUTSIDE_NOISE = frozenset[Verdict]({"better", "worse", "differs"})

_LIKELY = 0.05

_SLACK = 1e-9


def verdict(metric: str, difference: float | None, p: float | None, n: int, of: int) -> Verdict:
    """Return `better` or `worse`, `differs` if neither direction is better, or `noise`.

    If only `n` of `of` were measured on both sides and that is too few, return `unmeasured`.
    """
    return verdict_of(difference, p, n, of, higher=higher_is_better(metric))


def verdict_of(difference: float | None, p: float | None, n: int, of: int, *, higher: bool | None) -> Verdict:
    """Return the verdict; `higher`: whether higher is better, None if neither direction is."""
    if not enough(n, of):
        return "unmeasured"
    if difference is None or p is None or p >= _LIKELY:
        return "noise"
    if higher is None:
        return "differs"
    return "better" if (difference > 0) == higher else "worse"


def enough(n: int, of: int, coverage: float = COVERAGE) -> bool:
    """Return whether `n` of `of` reach the required share."""
    return n >= coverage * of - _SLACK


def higher_is_better(metric: str) -> bool | None:
    """Return the metric's direction; None if it has none or is unknown."""
    if is_human(metric):
        return True
    if metric in HIGHER_IS_BETTER:  # a dialogue score
        return HIGHER_IS_BETTER[metric]
    known = known_metric(metric)
    return None if known is None else known.higher_is_better
