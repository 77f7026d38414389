"""Texts shared by all tables of a meta-evaluation: an aspect's name, reasons for missing figures, joined remarks."""

from saiten.results.meta_evaluation import AspectResult, MetricResult
from saiten.stats.estimate import Estimate


def aspect_name(aspect: AspectResult) -> str:
    """Return the name that titles begin with."""
    return (aspect.aspect or "labels") + (" (preferences)" if aspect.pairs else "")


def why_not(estimate: Estimate) -> str:
    """Return why there is no figure, or no interval; "" if both exist."""
    return str(estimate.reason or estimate.note or "")


def joined(*remarks: str) -> str:
    """Return distinct remarks as one cell."""
    return "; ".join(dict.fromkeys(remark for remark in remarks if remark))


def easier(one: MetricResult) -> str:
    """Return a remark if the metric excludes declined answers, with whether that makes its set easier or harder."""
    left = one.easier
    if left is None or left.others is None:
        return ""
    means = f"{left.mean:.2f} against {left.others:.2f}"
    kind = "an equally easy" if left.mean == left.others else "an easier" if left.mean < left.others else "a harder"
    if left.right is None:
        return f"over {kind} set: {left.n} declined are left out (people's mean {means})"
    return f"over {kind} set: {left.n} declined are left out ({left.right} right by people, {means})"


def measure_name(by: str) -> str:
    """Return the ranking figure's name in words."""
    proper = {
        "auroc": "AUROC",
        "f1": "F1",
        "macro_f1": "macro F1",
        "pearson": "Pearson",
        "spearman": "Spearman",
        "kendall": "Kendall tau-b",
    }
    return proper.get(by, by.replace("_", " "))
