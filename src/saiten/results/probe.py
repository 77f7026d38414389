"""Records of probe findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from saiten.records import Status
from saiten.results.answer_order import OrderRow
from saiten.results.rows import AsRows, Row, columns_of
from saiten.stats.reliability import Reliability
from saiten.words import Message

Expectation = Literal["must not rise", "must not change", "must fall", "lowest", "highest"]
"""Behavior of a sound judge on the changed sample; a judge that gives no value also satisfies `lowest`."""

Verdict = Literal["holds", "violated", "not enough items", "not applicable"]


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One probe on one metric, or one variant of it."""

    probe: str
    metric: str
    variant: str | None
    """The probe's variant; None for all variants."""
    expectation: Expectation
    verdict: Verdict
    trials: int
    """Number of planned pairs of scores."""
    n: int
    """Trials that could break the expectation: both scores are known and there is room for a change."""
    questions: int
    """Distinct questions among those."""
    broken: int
    """Number of these trials that break the expectation."""
    share: float | None
    """broken / n."""
    share_low: float | None
    share_high: float | None
    no_room: int
    """Trials excluded from n: a score that must not rise was already at the top, or one that must fall was in the lower
    half (differences between wrong answers are not a matter of right and wrong)."""
    others: Mapping[Status, int]
    """Trials without two values, by the first status that is not `ok`. Declined counts as the lowest value in `n`, and
    is also listed here, since it is excluded from means."""
    pairs: int
    """Trials with two values."""
    difference: float | None
    """Mean over `pairs` of changed minus original."""
    low: float | None
    high: float | None
    p_value: float | None
    """P-value of the difference, corrected over all rows of the report (Holm); variants are not tested."""
    examples: tuple[str, ...] = ()
    """Ids of the changed samples with the largest breaks, at most three."""
    reason: Message | None = None
    """Reason for a missing verdict, or for a missing interval of the difference."""


@dataclass(frozen=True, slots=True)
class ProbeReport(AsRows):
    """All rows, and the judge's agreement with itself."""

    probes: tuple[ProbeRow, ...]
    """One row per probe and metric, over all variants of the probe."""
    variants: tuple[ProbeRow, ...] = ()
    """One row per variant, for probes with several."""
    reliability: Mapping[str, Reliability] = field(default_factory=dict)
    """By metric, over the originals; empty without several votes. Breaks no more frequent than vote changes are
    noise."""
    orders: tuple[OrderRow, ...] = ()
    """Effect of the order of two answers; empty if `order_swapped` was not requested or has no pairs."""

    def rows(self) -> list[Row]:
        """Return one row per probe and metric, then one per variant of the probes with several."""
        names = ["probe", "metric", "variant", "expectation", "verdict", "n", "questions", "broken"]
        names += ("share", "share_low", "share_high", "difference", "low", "high", "p_value")
        return [columns_of(one, *names) for one in (*self.probes, *self.variants)]

    @property
    def violated(self) -> tuple[ProbeRow, ...]:
        """Rows whose expectation is broken."""
        return tuple(row for row in self.probes if row.verdict == "violated")
