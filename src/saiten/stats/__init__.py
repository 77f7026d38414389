"""Numbers in, numbers out: intervals, paired comparisons, agreement, reliability. Nothing here knows a sample."""

from saiten.stats.bootstrap import Interval, bootstrap_mean
from saiten.stats.correlation import (
    Estimate,
    agreement,
    auroc,
    balanced_accuracy,
    bootstrap_statistic,
    cohen_kappa,
    kendall,
    pearson,
    spearman,
)
from saiten.stats.paired import PairedComparison, compare_paired, holm
from saiten.stats.reliability import Reliability, reliability

__all__ = [
    "Estimate",
    "Interval",
    "PairedComparison",
    "Reliability",
    "agreement",
    "auroc",
    "balanced_accuracy",
    "bootstrap_mean",
    "bootstrap_statistic",
    "cohen_kappa",
    "compare_paired",
    "holm",
    "kendall",
    "pearson",
    "reliability",
    "spearman",
]
