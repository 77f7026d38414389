"""Recognizing traces among the rows of a file, and reading them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from saiten.data.rows import BadRow, RawRow, bad_row
from saiten.data.traces.grouping import TraceCounts, TraceGroups, grouped
from saiten.data.traces.langfuse import is_langfuse, spans_of_langfuse
from saiten.data.traces.mlflow import is_mlflow, spans_of_mlflow
from saiten.data.traces.otlp import is_other_signal, is_otlp, is_sdk_span, spans_of_otlp, spans_of_sdk
from saiten.data.traces.phoenix import is_phoenix, spans_of_phoenix
from saiten.data.traces.span import TraceSpan
from saiten.errors import ConfigurationError

_LOOKED_AT = 20
"""Rows at most that are looked at for one that is an object."""


@dataclass(frozen=True, slots=True)
class TraceForm:
    """A form of rows with spans."""

    format: str
    """The name to ask for it."""
    is_one: Callable[[Mapping[str, Any]], bool]
    spans: Callable[[RawRow], Iterator[TraceSpan]]


FORMS = (
    TraceForm("otlp", is_otlp, spans_of_otlp),
    TraceForm("otlp", is_sdk_span, spans_of_sdk),
    TraceForm("phoenix", is_phoenix, spans_of_phoenix),
    TraceForm("mlflow", is_mlflow, spans_of_mlflow),
    TraceForm("langfuse", is_langfuse, spans_of_langfuse),
)
TRACE_FORMATS = tuple(dict.fromkeys(form.format for form in FORMS))


def is_trace(fields: Mapping[str, Any]) -> bool:
    """Return whether a row has spans."""
    return is_other_signal(fields) or any(form.is_one(fields) for form in FORMS)


def no_shards(name: str) -> ConfigurationError:
    """Return the error of an input with traces that is to be divided among workers."""
    return ConfigurationError(
        f"{name} has traces, whose spans may be anywhere in the data, so that workers cannot share it; draw a sample "
        "with --sample, or leave out --executor ray"
    )


def with_traces_as_rows(
    rows: Iterator[RawRow | BadRow], name: str, notify: Callable[[str], None], *, expected: str | None = None
) -> Iterator[RawRow | BadRow]:
    """Yield the rows; if the first ones have spans, or are expected to, one row per trace instead.

    Args:
        rows: The rows of the whole input, whose spans belong together.
        name: The input, for notes.
        notify: Receives notes on traces that are not among the rows.
        expected: One of `TRACE_FORMATS`; None to look at the first row.
    """
    first: list[RawRow | BadRow] = []
    if expected is None:
        for row in rows:
            first.append(row)
            if isinstance(row, RawRow) or len(first) == _LOOKED_AT:
                break
        if not first or not isinstance(first[-1], RawRow) or not is_trace(first[-1].fields):
            yield from first
            yield from rows
            return
    groups = TraceGroups()
    spans = _spans(chain(first, rows), expected, groups.counts)
    yield from grouped(spans, lambda note: notify(f"{name}: {note}"), groups)


def _spans(rows: Iterator[RawRow | BadRow], expected: str | None, counts: TraceCounts) -> Iterator[TraceSpan | BadRow]:
    forms = [form for form in FORMS if expected in (None, form.format)]
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        elif is_other_signal(row.fields):
            counts.other_rows += 1
        else:
            yield from _spans_of(row, forms, expected)


def _spans_of(row: RawRow, forms: list[TraceForm], expected: str | None) -> Iterator[TraceSpan | BadRow]:
    form = next((form for form in forms if form.is_one(row.fields)), None)
    if form is None:
        what = "a trace or a span, as in other rows" if expected is None else f"a trace or a span of {expected}"
        columns = ", ".join(map(str, list(row.fields)[:8])) or "nothing"
        yield bad_row(row.where, f"expected {what}, got {columns}", row.fields)
        return
    try:
        yield from list(form.spans(row))
    except ValueError as error:
        yield bad_row(row.where, str(error), row.fields)
