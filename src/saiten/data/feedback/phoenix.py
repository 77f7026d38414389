"""Scores as Phoenix's annotations: one element of `POST /v1/span_annotations` per line.

Without a span, it is an element of `POST /v1/trace_annotations`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from saiten.data.feedback.graded import FeedbackSource, Graded, trace_scores, without_nothing


def to_phoenix(graded: Iterable[Graded], source: FeedbackSource) -> Iterator[Mapping[str, Any]]:
    """Yield one annotation per score; logged again, it replaces itself, since name, span and identifier stay the same.

    They are not rows for a data frame: pandas makes a NaN of a missing score or label, which the client sends as one.
    """
    for one in trace_scores(graded, source):
        place = {"trace_id": one.trace.id} if one.trace.span is None else {"span_id": one.trace.span}
        result = {"label": one.label, "score": one.score.value, "explanation": one.score.reason}
        yield {
            **place,
            "name": one.metric,
            "annotator_kind": "LLM" if one.judge else "CODE",
            "result": without_nothing(result),
            "metadata": one.origin,
            "identifier": "saiten",
        }
