"""The columns of an export, as `data.frames` makes them, a few answers at a time."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import islice

from saiten.data.feedback.graded import Graded
from saiten.data.frames import Column, columns_of
from saiten.data.values import reads_as_list
from saiten.exports.export import Export, ExportSettings
from saiten.records import Scored, Trace

FIELDS = (
    "id", "system", "group", "question", "answer", "reference", "alternatives", "contexts", "evidence", "language",
)  # fmt: skip
"""The fields of a sample, from left to right."""
OF_TRACES = tuple(f"trace_{field.name}" for field in fields(Trace))
"""The columns of the traces that answers were read from."""
OF_SOME = ("conversation", "history", *OF_TRACES)
"""The columns that are there only if some answer has such a field."""
LONG = ("sample", "system", "group", "metric", "value", "status", "reason", "expected", "details")
"""The columns of the long layout."""


def column_chunks(export: Export, settings: ExportSettings, size: int) -> Iterator[dict[str, Column]]:
    """Yield the columns of the export, `size` answers at a time; at least once, also without any answer.

    The wide layout has the fields of each answer, its conversation, history and trace if any answer has one, then
    `METRIC`, `METRIC:status`, `METRIC:reason` and, if the judge gave any, `METRIC:expected` for each metric. The long
    layout has one row per score, with the system and the group.
    """
    answers = export.graded(settings)
    chunk = list(islice(answers, size))
    while True:
        yield _columns(export, settings, chunk)
        chunk = list(islice(answers, size))
        if not chunk:
            return


def column_names(export: Export, settings: ExportSettings) -> Sequence[str]:
    """Return the names of the columns."""
    return [*_columns(export, settings, [])]


def as_one_reference(text: str) -> str:
    """Return the text for a cell; one that would be read as a list, or as no reference, becomes a list of one."""
    return text if text and not reads_as_list(text) else json.dumps([text], ensure_ascii=False)


def _columns(export: Export, settings: ExportSettings, chunk: Sequence[Graded]) -> dict[str, Column]:
    metrics, expected = export.answers.metrics, export.answers.expected
    samples = [sample for sample, _ in chunk]
    scores = [Scored(sample.id, metric, score) for sample, of in chunk for metric, score in of.items()]
    some = export.answers.fields
    found = columns_of(samples, scores, settings.layout, texts=True, metrics=metrics, expected=expected, some=some)
    names = LONG if settings.layout == "long" else dict.fromkeys((*FIELDS, *found))
    return {name: found[name] for name in names}
