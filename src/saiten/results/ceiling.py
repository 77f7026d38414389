"""Records of human agreement, the ceiling for metrics."""

from dataclasses import dataclass

from saiten.stats.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFigures:
    """All figures by which metrics can be ranked; those that the labels do not allow have a reason instead."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
    agreement: Estimate
    kappa: Estimate
    f1: Estimate
    macro_f1: Estimate
    balanced_accuracy: Estimate
    auroc: Estimate
    linear_kappa: Estimate
    quadratic_kappa: Estimate
    accuracy: Estimate
    """Accuracy of preferences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorFigures(PeopleFigures):
    """One annotator compared with the others."""

    annotator: str
    n: int
    """Number of items that somebody else labeled, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling(PeopleFigures):
    """Mean over annotators with equal weights, with intervals by question."""

    people: tuple[AnnotatorFigures, ...]
    left_out: tuple[str, ...]
    """Annotators left out because they were consulted only when the others differ."""
