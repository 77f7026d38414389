"""Findings of probes: the records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from saiten.records import Status, Usage
from saiten.results.rows import AsRows, Row
from saiten.stats.bootstrap import MeanInterval
from saiten.stats.reliability import Reliability

Expectation = Literal["must not rise", "must not change", "must fall", "lowest", "highest"]
"""What a sound judge does with the changed sample; `lowest` is kept, too, by a judge that gives no value."""


Verdict = Literal["holds", "violated", "not enough items", "not applicable"]


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One probe on one metric, or one form of it."""

    probe: str
    metric: str
    variant: str | None
    """The form of the probe; None: over all forms."""
    expectation: Expectation
    verdict: Verdict
    trials: int
    """Pairs of scores that were planned."""
    n: int
    """Trials that could show a break: both scores are known and there is room for it."""
    questions: int
    """Distinct questions among those."""
    broken: int
    """Trials among those that break the expectation."""
    share: float | None
    """broken / n."""
    share_low: float | None
    share_high: float | None
    no_room: int
    """Trials left out of n: what must not rise was at the top already, what must fall stood in the lower half (there,
    how far one wrong answer stands below another is no matter of right and wrong)."""
    others: Mapping[Status, int]
    """Trials without two values, by the first status that is not `ok`. Declined counts as the lowest value in `n`, and
    stands here too, since it enters no mean."""
    pairs: int
    """Trials that gave two values."""
    difference: float | None
    """Mean over `pairs` of changed minus original."""
    low: float | None
    high: float | None
    p_value: float | None
    """Of the difference, corrected over all rows of the report (Holm); forms are not tested."""
    examples: tuple[str, ...] = ()
    """Ids of the changed samples that broke most, at most three."""
    reason: str | None = None
    """Why there is no verdict, or no interval of the difference."""


@dataclass(frozen=True, slots=True)
class OrderRow:
    """The pairs of answers of one form, or of all."""

    variant: str | None
    """The form; None: over all forms."""
    pairs: int
    """Pairs that were planned."""
    changed: MeanInterval
    """Share of the pairs with a verdict in both orders whose verdict changes with the order; `n` counts these pairs."""
    first: MeanInterval
    """Share of the verdicts for the answer that stands first, over the same pairs; two verdicts a pair."""
    same_place: int
    """Pairs in which the same place wins in both orders: the answers change places, and the verdict with them."""
    ties: int
    """Verdicts that are ties, of two a pair."""
    usage: Usage
    """What all verdicts cost, those included whose other order gave none."""


@dataclass(frozen=True, slots=True)
class ProbeReport(AsRows):
    """All rows, and how far the judge agrees with itself."""

    probes: tuple[ProbeRow, ...]
    """A row a probe and metric, over all forms of the probe."""
    variants: tuple[ProbeRow, ...] = ()
    """The forms of the probes that have several."""
    reliability: Mapping[str, Reliability] = field(default_factory=dict)
    """By metric, over the originals: empty without several votes. Breaks that are no more frequent than votes that
    change are noise."""
    orders: tuple[OrderRow, ...] = ()
    """What the order of two answers does; empty where `order_swapped` was not asked or has no pairs."""

    def rows(self) -> list[Row]:
        """Return one row per probe and metric, then one per form of the probes that have several."""
        return [
            {
                "probe": one.probe,
                "metric": one.metric,
                "variant": one.variant,
                "expectation": one.expectation,
                "verdict": one.verdict,
                "n": one.n,
                "questions": one.questions,
                "broken": one.broken,
                "share": one.share,
                "share_ci_low": one.share_low,
                "share_ci_high": one.share_high,
                "difference": one.difference,
                "ci_low": one.low,
                "ci_high": one.high,
                "p_value": one.p_value,
            }
            for one in (*self.probes, *self.variants)
        ]

    @property
    def violated(self) -> tuple[ProbeRow, ...]:
        """The rows whose expectation is broken."""
        return tuple(row for row in self.probes if row.verdict == "violated")
