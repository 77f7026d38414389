"""Records of drift between two runs over the same samples."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from saiten.records import Status
from saiten.results.rows import AsRows, Row, columns_of, figure_row
from saiten.stats.estimate import Estimate
from saiten.stats.paired import PairedComparison

Measure = Literal["agreement", "auroc", "spearman"]
"""How a metric is compared with people: equal verdicts · a grade with verdicts · grades with grades."""


@dataclass(frozen=True, slots=True)
class AgreementChange:
    """Agreement with people, before and now."""

    measure: Measure
    before: float | None
    now: float | None
    change: Estimate
    """now - before, with its interval; n counts items with a label and a value in both runs."""
    alarm: bool
    """Whether it dropped by more than the tolerance, with the interval below 0."""


@dataclass(frozen=True, slots=True)
class Moved:
    """An item whose score changed."""

    sample: str
    before: float
    now: float
    people: float | None
    """The label, if any."""


@dataclass(frozen=True, slots=True)
class MetricDrift:
    """One metric in both runs."""

    metric: str
    mean_before: float | None
    """Mean over the items with a value in both runs, as for all figures here."""
    mean_now: float | None
    shift: PairedComparison
    """now - before; the p-value is corrected for the number of metrics (Holm)."""
    equal: Estimate
    """Share of items with the same value."""
    icc: Estimate
    """ICC(1,1) of the two runs (Shrout and Fleiss 1979), with its interval: 1 is the same values on all items."""
    kappa: Estimate
    """Quadratically weighted kappa of the two runs, for verdicts and grades; otherwise None with the reason."""
    statuses: Mapping[tuple[Status, Status], int]
    """How often an item went from one status to another; a missing score counts as `failed`."""
    moved: tuple[Moved, ...]
    """The items that moved most."""
    people: AgreementChange | None
    """None without labels."""


@dataclass(frozen=True, slots=True)
class DriftReport(AsRows):
    """Changes in a frozen set that was scored again."""

    metrics: tuple[MetricDrift, ...]
    made: tuple[tuple[str, str, str | None, str | None], ...]
    """Differences in how the figures were made: metric, part of the signature, before, now; None if not set."""
    only: tuple[str, ...]
    """Metrics that only one of the runs has."""
    samples: int
    unmatched_labels: int
    """Number of labels of items that the runs lack."""
    tolerance: float
    declined: int = 0
    """Answers that people labeled as declined (grade 0 of graded correctness); excluded from all figures."""

    def rows(self) -> list[Row]:
        """Return one row per metric; the interval and p without a prefix belong to the shift of the mean."""
        return [
            {
                **columns_of(one, "metric", "mean_before", "mean_now"),
                "shift": one.shift.difference,
                **columns_of(one.shift, "low", "high", "p_value", "n"),
                **figure_row(one.equal, "agreement"),
                **figure_row(one.icc, "icc"),
                **figure_row(one.kappa, "quadratic_kappa"),
                **{f"people_{name}": getattr(one.people, name, None) for name in ("measure", "before", "now")},
                **figure_row(one.people.change if one.people else None, "people_change"),
                "alarm": one.people is not None and one.people.alarm,
            }
            for one in self.metrics
        ]

    @property
    def alarms(self) -> tuple[MetricDrift, ...]:
        """Metrics whose agreement with people dropped."""
        return tuple(each for each in self.metrics if each.people is not None and each.people.alarm)
