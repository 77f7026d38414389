"""Drift between two runs over the same samples: the records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from saiten.records import Status
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
class DriftReport:
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

    @property
    def alarms(self) -> tuple[MetricDrift, ...]:
        """The metrics whose agreement with people dropped."""
        return tuple(each for each in self.metrics if each.people is not None and each.people.alarm)
