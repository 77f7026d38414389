"""MLflow's inputs, outputs, expectations and trace as a sample, with the column names that files may have."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from numbers import Number
from typing import Any

from pydantic import BaseModel

from saiten.data import BadRow
from saiten.data.chat_logs import ChatNotes
from saiten.data.columns import MISSING, SAMPLE_COLUMNS, Columns
from saiten.data.row_samples import RowSamples
from saiten.data.rows import RawRow
from saiten.data.samples import samples_of
from saiten.data.values import as_references, as_texts
from saiten.records import Language, Sample
from saiten.text.language import detect_language

_WHERE = "the row"
_RETRIEVER = "RETRIEVER"
_FACTS = "expected_facts"
"""MLflow's name for the parts of one correct answer."""


class RowReader:
    """Reads rows as MLflow passes them to a scorer."""

    def __init__(self, columns: Mapping[str, str], language: Language | None) -> None:
        """`columns` (field → place, such as `inputs.prompt`) overrides the recognized names; `language` is of all rows.

        Raises:
            ConfigurationError: there is no such field.
        """
        self._columns = Columns(SAMPLE_COLUMNS, columns, option="columns")
        self._make = RowSamples(self._columns, detect_language, language, "answers", ChatNotes())
        self._chosen = frozenset(columns)

    def read(self, inputs: Any, outputs: Any, expectations: Mapping[str, Any] | None, trace: Any) -> Sample | BadRow:
        """Return the sample, or why there is none.

        What is not given is read from the trace: inputs and outputs of its root span, the expectations logged on it. If
        the row has no contexts, they are the outputs of its retriever spans, in order of their start.
        """
        try:
            fields = self._fields(inputs, outputs, expectations, trace)
        except ValueError as error:
            return BadRow(_WHERE, str(error))
        *_, found = samples_of([RawRow(1, fields, _WHERE)], self._make, _is_new)  # of a conversation, the last answer
        return found

    def _fields(self, inputs: Any, outputs: Any, expectations: Any, trace: Any) -> dict[str, Any]:
        fields: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "expectations": expectations}
        if trace is not None:
            fields = {"id": trace.info.trace_id, **_completed(fields, trace)}
        fields["inputs"], fields["outputs"] = (_data(fields[name], name) for name in ("inputs", "outputs"))
        if self._lacks(fields, "contexts") and trace is not None:
            fields["contexts"] = _retrieved(trace)
        if self._lacks(fields, "reference") and isinstance(fields["expectations"], Mapping):
            fields["reference"] = "\n".join(as_references(fields["expectations"].get(_FACTS))) or None
        return fields

    def _lacks(self, fields: Mapping[str, Any], field: str) -> bool:
        """Return whether the field is to be looked for elsewhere: no place was chosen for it, and nothing is there."""
        return field not in self._chosen and self._columns.find(fields, field) in (MISSING, None)


def _is_new(_: str) -> bool:
    """Return True: MLflow identifies its rows itself."""
    return True


def _completed(fields: dict[str, Any], trace: Any) -> dict[str, Any]:
    """Return the fields with what the trace has in place of what is not given."""
    root = next((span for span in trace.data.spans if span.parent_id is None), None)
    found = {name: getattr(root, name, None) for name in ("inputs", "outputs")}
    logged = {one.name: one.value for one in trace.search_assessments(type="expectation")}
    found["expectations"] = logged or None
    return {name: found[name] if value is None or value == {} else value for name, value in fields.items()}


def _data(value: Any, name: str) -> Any:
    """Return plain data; raise ValueError for an object whose text is not known."""
    if isinstance(value, BaseModel):  # a chat completion of a client library, a message of LangChain
        return value.model_dump()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if value is None or isinstance(value, str | bytes | Number | Mapping | list | tuple):
        return value
    raise ValueError(
        f"{name}: expected text, a dict or a chat completion, got an object of the type {type(value).__name__}; let "
        "predict_fn return one of these"
    )


def _retrieved(trace: Any) -> tuple[str, ...] | None:
    """Return the texts that the outermost retriever spans returned; None without such a span, or if all failed."""
    spans = {span.span_id: span for span in trace.data.spans}
    found = [
        span
        for span in sorted(spans.values(), key=lambda each: each.start_time_ns or 0)
        if span.span_type == _RETRIEVER and all(above.span_type != _RETRIEVER for above in _above(span, spans))
    ]
    texts: tuple[str, ...] | None = None
    for span in found:
        try:
            more = as_texts(span.outputs)
        except ValueError as error:
            raise ValueError(f"contexts, from the retriever span {span.name!r}: {error}") from error
        texts = texts if more is None else (*(texts or ()), *more)
    return texts


def _above(span: Any, spans: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the spans in which this one ran, the innermost first."""
    while (span := spans.get(span.parent_id)) is not None:
        yield span
