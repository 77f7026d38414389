"""Samples and scores as columns: a row a score (long), or a row a sample and columns a metric (wide).

The columns are the same whichever library holds them, and their cells are the very objects of the scores, so that a
hundred thousand of them cost a pointer each.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from saiten.records import Sample, Score, Scored

Form = Literal["wide", "long"]
"""`wide`: one row a sample, for each metric `METRIC`, `METRIC:status` and `METRIC:reason` · `long`: one row a score."""

Kind = Literal["text", "number", "status", "texts", "json"]
"""`texts`: a list of texts · `json`: objects, to be written as JSON text."""


@dataclass(frozen=True, slots=True)
class Column:
    """Cells of one kind; None where there is nothing."""

    kind: Kind
    cells: Sequence[Any]

    def plain(self, start: int = 0, end: int | None = None) -> Iterator[Any]:
        """The cells from `start` to `end` as text, numbers and lists that every library takes."""
        return (None if cell is None else _READ[self.kind](cell) for cell in self.cells[start:end])


_TEXTS = ("contexts", "alternatives", "evidence")


def columns_of(
    samples: Sequence[Sample],
    scores: Sequence[Scored],
    form: Form = "wide",
    *,
    texts: bool | None = None,
    metrics: Iterable[str] = (),
) -> dict[str, Column]:
    """By name, in the order in which they stand beside each other.

    Args:
        samples: With different ids.
        scores: At most one for each sample and metric; of several, the last one counts in the wide form.
        form: See `Form`.
        texts: Whether the sample's fields stand beside its scores: question, answer, contexts, … By default they do in
            the wide form, where each stands once. Without them a wide row has the sample's id, a long one `sample`.
        metrics: Those that have columns in the wide form whether there are scores or not, first and in this order.

    Raises:
        ValueError: there is no such form.
    """
    if form == "long":
        return _long(samples, scores, texts=bool(texts))
    if form == "wide":
        return _wide(samples, scores, metrics, texts=texts is not False)
    raise ValueError(f"the form is `wide` or `long`, not {form!r}")


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
        beside = [by_id.get(one.sample) for one in scores]
        found |= {name: column for name, column in _fields(beside).items() if name != "id"}
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
    for metric, of in by_metric.items():
        name = _free(metric, taken)
        found |= {
            name: Column("number", [score and score.value for score in of]),
            f"{name}:status": Column("status", [score and score.status for score in of]),
            f"{name}:reason": Column("text", [score and score.reason for score in of]),
        }
        taken |= _names(name)
    return found


def _free(metric: str, taken: set[str]) -> str:
    """The metric's name; behind `metric:` where a field of the sample, or a column of another metric, is called so."""
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
    """The text; half a character (a lone surrogate in a judge's reply) as its escape, since no library takes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _texts(texts: Sequence[str]) -> list[str]:
    return [_text(text) for text in texts]


def _json(value: Mapping[str, Any]) -> str:
    """As a run on disk writes it; what JSON lacks as its representation, so that nothing is lost."""
    try:
        return _text(json.dumps(value, ensure_ascii=False, allow_nan=False, default=_unlike_json))
    except (TypeError, ValueError, RecursionError):  # a NaN, a circle: in memory a metric of one's own may say anything
        return _text(json.dumps({"repr": repr(value)}, ensure_ascii=False))


def _unlike_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    return value.tolist() if hasattr(value, "tolist") else repr(value)


_READ: Mapping[Kind, Any] = {"text": _text, "number": float, "status": _text, "texts": _texts, "json": _json}
