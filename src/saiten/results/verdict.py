"""The verdict on a difference: better, worse, or noise."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from saiten.choices import COVERAGE
from saiten.dialogue.lines import HIGHER_IS_BETTER
from saiten.metrics.catalog import known_metric
from saiten.metrics.naming import is_human
from saiten.runs.manifest import signature_parts

Verdict = Literal["better", "worse", "differs", "noise", "unmeasured"]
"""Verdict on the second side: `differs` if neither direction is better, `noise` if the difference may be chance,
`unmeasured` if too few samples have a value on both sides, since the unmeasured ones may be the hard ones."""

OUTSIDE_NOISE = frozenset[Verdict]({"better", "worse", "differs"})

_LIKELY = 0.05

_SLACK = 1e-9


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


def higher_is_better(metric: str, signatures: Mapping[str, str] = MappingProxyType({})) -> bool | None:
    """Return the metric's direction; None if it has none or is unknown.

    `signatures` are those of the run: for a metric in the user's own file, which is not read, they have the direction.
    """
    if is_human(metric):
        return True
    if metric in HIGHER_IS_BETTER:  # a dialogue score
        return HIGHER_IS_BETTER[metric]
    known = known_metric(metric)
    if known is not None:
        return known.higher_is_better
    return {"higher": True, "lower": False}.get(signature_parts(metric, signatures).get("better", ""))
