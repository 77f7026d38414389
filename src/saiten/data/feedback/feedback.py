"""The tools that take scores, by name, and the lines of a file for one."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson

from saiten.data.feedback.graded import FeedbackSource, Graded
from saiten.data.feedback.langfuse import to_langfuse
from saiten.data.feedback.mlflow import to_mlflow
from saiten.data.feedback.otlp import to_otlp
from saiten.data.feedback.phoenix import to_phoenix
from saiten.errors import BadInput

Feedback = Callable[[Iterable[Graded], FeedbackSource], Iterator[Mapping[str, Any]]]

FORMATS: Mapping[str, Feedback] = {
    "otlp": to_otlp,
    "langfuse": to_langfuse,
    "phoenix": to_phoenix,
    "mlflow": to_mlflow,
}


def feedback_lines(
    name: str, graded: Iterable[Graded], source: FeedbackSource, notify: Callable[[str], None]
) -> Iterator[bytes]:
    """Yield the scores as lines of JSON for a tool.

    Args:
        name: One of `FORMATS`.
        graded: The samples with their scores.
        source: What made the scores.
        notify: Receives a note if some samples were not read from traces.

    Raises:
        BadInput: No sample was read from a trace.
    """
    others = traced = 0

    def counted() -> Iterator[Graded]:
        nonlocal others, traced
        for each in graded:
            others += each[0].trace is None
            traced += each[0].trace is not None
            yield each

    for each in FORMATS[name](counted(), source):
        yield orjson.dumps(each) + b"\n"
    if not traced:
        raise BadInput(
            f"no sample was read from a trace, so {name} has nothing that the scores belong to; score a file of traces "
            "(docs/traces.md)"
        )
    if others:
        notify(f"{others:,} samples were not read from traces, and their scores are left out")
