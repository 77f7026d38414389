"""Samples and scores as columns, and the four libraries that hold columns: pandas, Polars, Arrow, Hugging Face.

The columns do not depend on the library. Each library is imported on first use; the functions raise ConfigurationError
if it is not installed. Cells are the objects that the scores hold, not copies; a missing value is NaN in pandas and
null elsewhere, never 0 or the text "None".
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, Literal

from saiten.choices import FrameLayout
from saiten.errors import ConfigurationError
from saiten.records import STATUSES, Sample, Score, Scored, Trace

Kind = Literal["text", "number", "status", "texts", "json"]
"""`texts`: a list of texts · `json`: objects, written as JSON text."""


@dataclass(frozen=True, slots=True)
class Column:
    """Cells of one kind; None for an empty cell."""

    kind: Kind
    cells: Sequence[Any]

    def plain(self, start: int = 0, end: int | None = None) -> Iterator[Any]:
        """Yield the cells from `start` to `end` as text, numbers and lists that every library accepts."""
        return (None if cell is None else _TO_PLAIN[self.kind](cell) for cell in self.cells[start:end])


_CHUNK = 8192
"""Rows converted to Arrow at a time, so that the JSON texts are never all in memory next to the table."""

_OF_SOME = ("trace", "history", "conversation")
"""Fields without a column if no sample has them."""
_TEXTS = ("contexts", "alternatives", "evidence")
_MEASURED = ("seconds", "prompt_tokens", "completion_tokens")
"""The fields of a trace that are numbers."""


def columns_of(
    samples: Sequence[Sample],
    scores: Sequence[Scored],
    layout: FrameLayout = "wide",
    *,
    texts: bool | None = None,
    metrics: Iterable[str] = (),
    some: Container[str] | None = None,
    expected: Container[str] | None = None,
) -> dict[str, Column]:
    """Return the columns by name, from left to right.

    Args:
        samples: Their ids must be unique.
        scores: At most one per sample and metric; the wide layout keeps the last of several.
        layout: See `FrameLayout`.
        texts: Whether to include the sample's fields (question, answer, contexts, …). By default the wide layout
            does, since it holds each of them once. Without them a wide row has `id`, and a long row has `sample`.
        metrics: Metrics whose columns come first in the wide layout, in this order, even without any scores.
        some: The fields that only some samples have (`trace`, `history`, `conversation`) to include with the texts; by
            default those that any of these samples has.
        expected: Metrics with a column `METRIC:expected` in the wide layout; by default those with such a value.

    Raises:
        ValueError: `layout` is neither `wide` nor `long`.
    """
    if layout == "long":
        return _long(samples, scores, texts=bool(texts), some=some)
    if layout == "wide":
        return _wide(samples, scores, metrics, expected, texts=texts is not False, some=some)
    raise ValueError(f"layout must be `wide` or `long`, not {layout!r}")


def _long(
    samples: Sequence[Sample], scores: Sequence[Scored], *, texts: bool, some: Container[str] | None
) -> dict[str, Column]:
    found = {
        "sample": Column("text", [one.sample for one in scores]),
        "metric": Column("text", [one.metric for one in scores]),
        "value": Column("number", [one.score.value for one in scores]),
        "status": Column("status", [one.score.status for one in scores]),
        "reason": Column("text", [one.score.reason for one in scores]),
        "expected": Column("number", [one.score.expected for one in scores]),
        "details": Column("json", [one.score.details or None for one in scores]),
    }
    if texts:
        by_id = {sample.id: sample for sample in samples}
        found |= _fields([by_id.get(one.sample) for one in scores], some=some)
        del found["id"]
    return found


def _wide(
    samples: Sequence[Sample],
    scores: Sequence[Scored],
    metrics: Iterable[str],
    expected: Container[str] | None,
    *,
    texts: bool,
    some: Container[str] | None,
) -> dict[str, Column]:
    rows = {sample.id: number for number, sample in enumerate(samples)}
    by_metric: dict[str, list[Score | None]] = {metric: [None] * len(rows) for metric in metrics}
    for one in scores:
        if one.sample in rows:
            by_metric.setdefault(one.metric, [None] * len(rows))[rows[one.sample]] = one.score
    found = _fields(samples, some=some)
    if not texts:
        found = {"id": found["id"]}
    taken = {field.name for field in fields(Sample)} | set(found)
    for metric, cells in by_metric.items():
        name = metric
        while _names(name) & taken:  # a field or another metric has it
            name = f"metric:{name}"
        found |= {
            name: Column("number", [score and score.value for score in cells]),
            f"{name}:status": Column("status", [score and score.status for score in cells]),
            f"{name}:reason": Column("text", [score and score.reason for score in cells]),
        }
        found_any = any(score and score.expected is not None for score in cells)
        if found_any if expected is None else metric in expected:
            found[f"{name}:expected"] = Column("number", [score and score.expected for score in cells])
        taken |= _names(name)
    return found


def _names(name: str) -> set[str]:
    return {name, f"{name}:status", f"{name}:reason", f"{name}:expected"}


def _fields(samples: Sequence[Sample | None], *, some: Container[str] | None) -> dict[str, Column]:
    found = {
        field.name: Column(
            "texts" if field.name in _TEXTS else "text",
            [None if sample is None else getattr(sample, field.name) for sample in samples],
        )
        for field in fields(Sample)
        if field.name not in _OF_SOME
    }
    there = [sample for sample in samples if sample is not None]
    if some is None:
        some = {name for name in _OF_SOME if any(getattr(sample, name) for sample in there)}
    if "conversation" in some:
        found["conversation"] = Column("text", [sample and sample.conversation for sample in samples])
    if "history" in some:
        histories = [sample.history if sample else () for sample in samples]
        found["history"] = Column("json", [[turn.to_json() for turn in each] or None for each in histories])
    return (
        found | _of_traces([None if sample is None else sample.trace for sample in samples])
        if "trace" in some
        else found
    )


def _of_traces(traces: Sequence[Trace | None]) -> dict[str, Column]:
    """Return a column per field of the traces; only samples that were read from traces have these columns."""
    return {
        f"trace_{field.name}": Column(
            "number" if field.name in _MEASURED else "text",
            [None if trace is None else getattr(trace, field.name) for trace in traces],
        )
        for field in fields(Trace)
    }


def _text(text: str) -> str:
    """Return the text with lone surrogates (from a judge's reply) escaped, since no library accepts them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def json_of(value: Any) -> str:
    """Return the value as a run folder stores it; what JSON cannot hold is written as its repr."""
    try:
        return _text(json.dumps(value, ensure_ascii=False, allow_nan=False, default=_to_json_type))
    except (TypeError, ValueError, RecursionError):  # a NaN or a cycle in a custom metric's details
        return _text(json.dumps({"repr": repr(value)}, ensure_ascii=False))


def _to_json_type(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    return value.tolist() if hasattr(value, "tolist") else repr(value)


_TO_PLAIN: Mapping[Kind, Any] = {
    "text": _text,
    "number": float,
    "status": _text,
    "texts": lambda texts: [_text(text) for text in texts],
    "json": json_of,
}


# -------------------------------------------------------------------------------------------------------- libraries


def to_pandas(columns: Mapping[str, Column]) -> Any:
    """Return a DataFrame: numbers as float64, statuses as a categorical, lists as Python objects."""
    pd = loaded("pandas", "to_pandas", "frames")
    dtypes: Mapping[Kind, Any] = {"number": "float64", "status": pd.CategoricalDtype(STATUSES), "texts": "object"}
    made = {  # pandas infers the type of texts: object before pandas 3, str since
        name: pd.Series(list(column.plain()), dtype=dtypes.get(column.kind)) for name, column in columns.items()
    }
    return pd.DataFrame(made, copy=False)


def rows_to_pandas(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return a DataFrame of records, with the types that pandas infers."""
    return loaded("pandas", "to_pandas", "frames").DataFrame(list(rows))


def to_polars(columns: Mapping[str, Column]) -> Any:
    """Return a DataFrame: numbers as Float64, statuses as an Enum, lists as lists of strings."""
    pl = loaded("polars", "to_polars", "frames")
    dtypes = {"number": pl.Float64, "status": pl.Enum(STATUSES), "texts": pl.List(pl.String)}
    return pl.DataFrame(
        [pl.Series(name, column.plain(), dtype=dtypes.get(column.kind, pl.String)) for name, column in columns.items()]
    )


def to_arrow(columns: Mapping[str, Column]) -> Any:
    """Return a Table: numbers as float64, statuses dictionary-encoded, lists as lists of strings."""
    pa = loaded("pyarrow", "to_arrow", "data")
    return _table(pa, columns, pa.dictionary(pa.int8(), pa.string()))


def to_dataset(columns: Mapping[str, Column]) -> Any:
    """Return a `datasets.Dataset` of the Arrow table, with statuses as strings: `datasets` has no dictionary type."""
    datasets = loaded("datasets", "to_dataset", "datasets")
    pa = loaded("pyarrow", "to_dataset", "data")
    return datasets.Dataset(datasets.table.InMemoryTable(_table(pa, columns, pa.string())))


def _table(pa: Any, columns: Mapping[str, Column], status: Any) -> Any:
    types = {"number": pa.float64(), "status": status, "texts": pa.list_(pa.string())}
    schema = pa.schema([(name, types.get(column.kind, pa.string())) for name, column in columns.items()])
    words = pa.array(STATUSES)

    def batches() -> Iterator[Any]:
        length = max((len(column.cells) for column in columns.values()), default=0)
        for start in range(0, length, _CHUNK):
            yield pa.record_batch([chunk(name, column, start) for name, column in columns.items()], schema=schema)

    def chunk(name: str, column: Column, start: int) -> Any:
        cells = list(column.plain(start, start + _CHUNK))
        if column.kind != "status" or not pa.types.is_dictionary(status):
            return pa.array(cells, schema.field(name).type)
        codes = pa.array([None if cell is None else STATUSES.index(cell) for cell in cells], pa.int8())
        return pa.DictionaryArray.from_arrays(codes, words)

    return pa.Table.from_batches(batches(), schema)


def loaded(module: str, what: str, extra: str) -> Any:
    """Import an optional package for `what`; raise ConfigurationError naming the extra to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigurationError(f'{what} needs {module}; install it with pip install "saiten[{extra}]"') from error
