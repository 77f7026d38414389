"""How figures were made, as runs keep it and views show it."""

from collections.abc import Iterable

from saiten.protocols import Judge, Metric
from saiten.records import Signature
from saiten.version import __version__


def signature_of(metric: Metric, judge: Judge, *, with_history: bool = False) -> Signature:
    """Return the signature of this metric with this judge; shown under every figure.

    `with_history`: some samples have a history, which a judge with prompts is shown wherever it is shown the question.
    """
    parts = dict(judge.describe(metric.tasks)) if metric.tasks else {}
    if with_history and "prompts" in parts and any(hasattr(task, "question") for task in metric.tasks):
        parts["history"] = "shown"
    parts |= metric.describe()
    return Signature(metric.name, (*parts.items(), ("saiten", __version__)))


def signatures_of(metrics: Iterable[Metric], judge: Judge, *, with_history: bool = False) -> dict[str, str]:
    """Return metric → its signature with this judge, as runs keep them; `with_history` as for `signature_of`."""
    return {metric.name: str(signature_of(metric, judge, with_history=with_history)) for metric in metrics}
