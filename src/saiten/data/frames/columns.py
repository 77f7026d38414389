"""Samples and scores as columns: one row per score (long), or one row per sample with columns per metric (wide).

The columns do not depend on the library. Their cells are the objects that the scores hold, not copies.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from saiten.records import Sample, Score, Scored

Form = Literal["wide", "long"]
"""`wide`: one row per sample, with `METRIC`, `METRIC:status` and `METRIC:reason` · `long`: one row per score."""

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


_TEXTS = ("contexts", "alternatives", "evidence")


def columns_of(
    samples: Sequence[Sample],
    scores: Sequence[Scored],
    form: Form = "wide",
    *,
    texts: bool | None = None,
    metrics: Iterable[str] = (),
) -> dict[str, Column]:
    """Return the columns by name, from left to right.

    Args:
        samples: Their ids must be unique.
        scores: At most one per sample and metric; the wide form keeps the last of several.
        form: See `Form`.
        texts: Whether to include the sample's fields (question, answer, contexts, …). By default the wide form does,
            since it holds each of them once. Without them a wide row has `id`, and a long row has `sample`.
        metrics: Metrics whose columns come first in the wide form, in this order, even without any scores.

    Raises:
        ValueError: `form` is neither `wide` nor `long`.
    """
    if form == "long":
        return _long(samples, scores, texts=bool(texts))
    if form == "wide":
        return _wide(samples, scores, metrics, texts=texts is not False)
    raise ValueError(f"form must be `wide` or `long`, not {form!r}")


def _long(samples: Sequence[Sample], scores: Sequence[Scored], *, texts: bool) -> dict[str, Column]:
    found = {
        "sample": Column("text", [one.sample for one in scores]),
        "metric": Column("text", [one.metric for one in scores]),
        "value": Column("number", [one.score.value for one in scores]),
        "status": Column("status", [one.score.status for one in scores]),
        "reason": Column("text", [one.score.reason for one in scores]),
        "details": Column("json", [one.score.details or None for one in scores]),
    }
    if texts:
        by_id = {sample.id: sample for sample in samples}
        found |= _fields([by_id.get(one.sample) for one in scores])
        del found["id"]
    return found


def _wide(
    samples: Sequence[Sample], scores: Sequence[Scored], metrics: Iterable[str], *, texts: bool
) -> dict[str, Column]:
    rows = {sample.id: number for number, sample in enumerate(samples)}
    by_metric: dict[str, list[Score | None]] = {metric: [None] * len(rows) for metric in metrics}
    for one in scores:
        if one.sample in rows:
            by_metric.setdefault(one.metric, [None] * len(rows))[rows[one.sample]] = one.score
    found = _fields(samples)
    if not texts:
        found = {"id": found["id"]}
    taken = {field.name for field in fields(Sample)}
    for metric, cells in by_metric.items():
        name = _unique_name(metric, taken)
        found |= {
            name: Column("number", [score and score.value for score in cells]),
            f"{name}:status": Column("status", [score and score.status for score in cells]),
            f"{name}:reason": Column("text", [score and score.reason for score in cells]),
        }
        taken |= _names(name)
    return found


def _unique_name(metric: str, taken: set[str]) -> str:
    """Return the metric's name, prefixed with `metric:` if a field or another metric's column has that name."""
    name = metric
    while _names(name) & taken:
        name = f"metric:{name}"
    return name


def _names(name: str) -> set[str]:
    return {name, f"{name}:status", f"{name}:reason"}


def _fields(samples: Sequence[Sample | None]) -> dict[str, Column]:
    return {
        field.name: Column(
            "texts" if field.name in _TEXTS else "text",
            [None if sample is None else getattr(sample, field.name) for sample in samples],
        )
        for field in fields(Sample)
    }


def _text(text: str) -> str:
    """Return the text with lone surrogates (from a judge's reply) escaped, since no library accepts them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _texts(texts: Sequence[str]) -> list[str]:
    return [_text(text) for text in texts]


def _json(value: Mapping[str, Any]) -> str:
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


_TO_PLAIN: Mapping[Kind, Any] = {"text": _text, "number": float, "status": _text, "texts": _texts, "json": _json}
