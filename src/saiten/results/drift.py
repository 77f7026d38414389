"""Drift between two runs over the same samples: the records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from saiten.records import Status
from saiten.results.rows import AsRows, Row, figure_row
from saiten.stats.estimate import Estimate
from saiten.stats.paired import PairedComparison

Measure = Literal["agreement", "auroc", "spearman"]
"""How a metric is held against people: equal verdicts · a grade against verdicts · grades against grades."""


@dataclass(frozen=True, slots=True)
class AgreementChange:
    """The agreement with people, before and now."""

    measure: Measure
    before: float | None
    now: float | None
    change: Estimate
    """now - before, with its interval; n items have a label and a value in both runs."""
    alarm: bool
    """It dropped by more than the tolerance, and the interval lies below 0."""


@dataclass(frozen=True, slots=True)
class Moved:
    """One item whose score changed."""

    sample: str
    before: float
    now: float
    people: float | None
    """The label, where there is one."""


@dataclass(frozen=True, slots=True)
class MetricDrift:
    """One metric in both runs."""

    metric: str
    mean_before: float | None
    """Over the items that have a value in both runs, as everything else here."""
    mean_now: float | None
    shift: PairedComparison
    """now - before; the p-value is corrected for the number of metrics (Holm)."""
    equal: Estimate
    """The share of items with the same value."""
    icc: Estimate
    """ICC(1,1) of the two runs (Shrout and Fleiss 1979), with its interval: 1 is the same values on all items."""
    kappa: Estimate
    """Quadratically weighted kappa of the two runs, for verdicts and grades; else None and why."""
    statuses: Mapping[tuple[Status, Status], int]
    """How often an item went from one status to another; a score that is not there is `failed`."""
    moved: tuple[Moved, ...]
    """Those that moved most."""
    people: AgreementChange | None
    """None without labels."""


@dataclass(frozen=True, slots=True)
class DriftReport(AsRows):
    """What became of a frozen set that was scored again."""

    metrics: tuple[MetricDrift, ...]
    made: tuple[tuple[str, str, str, str], ...]
    """Metric, part of the signature, before, now: what differs in how the figures were made."""
    only: tuple[str, ...]
    """Metrics that only one of the runs has."""
    samples: int
    unmatched_labels: int
    """Labels of items that the runs do not have."""
    tolerance: float
    declined: int = 0
    """Answers that people call declined (grade 0 of graded correctness); no figure holds them."""

    def rows(self) -> list[Row]:
        """Return one row per metric; the interval and p without a name are of the shift of the mean."""
        return [
            {
                "metric": one.metric,
                "mean_before": one.mean_before,
                "mean_now": one.mean_now,
                "shift": one.shift.difference,
                "ci_low": one.shift.low,
                "ci_high": one.shift.high,
                "p_value": one.shift.p_value,
                "n": one.shift.n,
                **figure_row(one.equal, "agreement"),
                **figure_row(one.icc, "icc"),
                **figure_row(one.kappa, "quadratic_kappa"),
                "people_measure": one.people.measure if one.people else None,
                "people_before": one.people.before if one.people else None,
                "people_now": one.people.now if one.people else None,
                **figure_row(one.people.change if one.people else None, "people_change"),
                "alarm": one.people is not None and one.people.alarm,
            }
            for one in self.metrics
        ]

    @property
    def alarms(self) -> tuple[MetricDrift, ...]:
        """The metrics whose agreement with people dropped."""
        return tuple(each for each in self.metrics if each.people is not None and each.people.alarm)
