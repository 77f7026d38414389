"""How figures were made, as runs keep it and views show it."""

from collections.abc import Iterable

from saiten.protocols import Judge, Metric
from saiten.records import Signature
from saiten.version import __version__


def signature_of(metric: Metric, judge: Judge) -> Signature:
    """Return the signature of this metric with this judge; shown under every figure."""
    parts = dict(judge.describe(metric.tasks)) if metric.tasks else {}
    parts |= metric.describe()
    return Signature(metric.name, (*parts.items(), ("saiten", __version__)))


def signatures_of(metrics: Iterable[Metric], judge: Judge) -> dict[str, str]:
    """Return metric → its signature with this judge, as runs keep them."""
    return {metric.name: str(signature_of(metric, judge)) for metric in metrics}
