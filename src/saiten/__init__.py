"""saiten (採点) grades the answers of RAG and long-form question-answering systems, and grades the grader.

    import saiten

    result = saiten.evaluate("answers.jsonl", metrics=["faithfulness", "token_f1"], judge="offline")
    print(result)

The public names are loaded on first use, so that `import saiten` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from saiten.records import Label, Sample, Score, Scored
from saiten.version import __version__

if TYPE_CHECKING:
    from saiten.api.evaluation import aevaluate, evaluate
    from saiten.api.result import Evaluation
    from saiten.api.rows import read_samples
    from saiten.data import read_labels
    from saiten.metrics.base import BaseMetric
    from saiten.metrics.catalog import make_metric, make_metrics
    from saiten.metrics.judged.criterion import Criterion
    from saiten.results.summarize import summarize
    from saiten.settings import CallSettings, JudgeSettings
    from saiten.wiring import assemble_judge

_PLACES = {
    "BaseMetric": "saiten.metrics.base",
    "CallSettings": "saiten.settings",
    "Criterion": "saiten.metrics.judged.criterion",
    "Evaluation": "saiten.api.result",
    "JudgeSettings": "saiten.settings",
    "aevaluate": "saiten.api.evaluation",
    "assemble_judge": "saiten.wiring",
    "evaluate": "saiten.api.evaluation",
    "make_metric": "saiten.metrics.catalog",
    "make_metrics": "saiten.metrics.catalog",
    "read_labels": "saiten.data",
    "read_samples": "saiten.api.rows",
    "summarize": "saiten.results.summarize",
}

__all__ = [
    "BaseMetric",
    "CallSettings",
    "Criterion",
    "Evaluation",
    "JudgeSettings",
    "Label",
    "Sample",
    "Score",
    "Scored",
    "__version__",
    "aevaluate",
    "assemble_judge",
    "evaluate",
    "make_metric",
    "make_metrics",
    "read_labels",
    "read_samples",
    "summarize",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _PLACES:
        raise AttributeError(f"module 'saiten' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return __all__
