"""Words that all tables of a meta-evaluation share: an aspect's name, why there is no figure, remarks in one cell."""

from saiten.meta_evaluation.report import AspectResult
from saiten.stats import Estimate


def aspect_name(aspect: AspectResult) -> str:
    """The name that titles begin with."""
    return (aspect.aspect or "labels") + (" (preferences)" if aspect.pairs else "")


def why_not(estimate: Estimate) -> str:
    """Why there is no figure, or no interval; "" where there are both."""
    return estimate.reason or estimate.note or ""


def joined(*remarks: str) -> str:
    """Remarks as one cell, each once."""
    return "; ".join(dict.fromkeys(remark for remark in remarks if remark))
