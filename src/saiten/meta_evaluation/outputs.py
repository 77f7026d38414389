"""What metrics and judges said about each item: the scores of a run, and the outputs of others out of a file."""

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from saiten.data import BadRow, read_labels
from saiten.data.columns import LABEL_COLUMNS, MISSING, Columns
from saiten.data.formats import read_rows
from saiten.data.opening import Source, name_of
from saiten.data.preferences import preference
from saiten.data.rows import Row
from saiten.data.values import as_text
from saiten.errors import BadInput, ConfigurationError
from saiten.journal import RunReader
from saiten.metrics.catalog import make_metric
from saiten.metrics.judged.correctness import Correctness
from saiten.records import STATUSES, Label, Sample, Scored, Status

_LOG = logging.getLogger(__name__)

Said = float | Status
"""A value, or why there is none."""

BETWEEN = " · "
"""Between metric, judge and evidence in the name of an output."""

JUDGE_COLUMNS = {
    **LABEL_COLUMNS,
    "annotator": ("judge", *LABEL_COLUMNS["annotator"]),
    "metric": ("metric",),
    "status": ("status",),
    "value": ("value", "label", "score", "rating", "grade", "verdict"),
}

_ADDRESS = re.compile(r"@https?://\S*$")
"""Behind a model's name; where two judges differ in nothing else, their runs tell them apart."""
_WITHOUT_VALUE: Mapping[str, Said] = {status: status for status in STATUSES if status != "ok"}
"""Why a score that saiten wrote has no value."""

_PLACES = ("question", "system", "group", "answer", "reference", "language", "lang", "aspect", "adjudicated")
"""Columns of a wide file that are no judge's."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How outputs were made; what tells those of one metric apart."""

    metric: str
    """The metric's name in its run or file."""
    judge: str = ""
    """"" for a metric without a judge, and where it is not known."""
    evidence: str = ""
    """Which contexts the judge saw (`none`, `answer`, `reference`); "" for a metric that does not ask for any."""
    family: str = ""
    """The metric's name without the evidence; "" for the whole name."""
    place: str = ""
    """The run or file, where nothing else tells it from another; else ""."""

    def __post_init__(self) -> None:
        """The family is never empty."""
        object.__setattr__(self, "family", self.family or self.metric)


@dataclass(frozen=True, slots=True)
class Output:
    """What one metric or judge said about one item."""

    item: str
    metric: str
    """By what it goes in tables: longer than the metric's own name where several runs have the metric."""
    said: Said
    aspect: str = ""
    """Held against labels of this aspect only; "" is held against all."""
    origin: Origin | None = None
    """How it was made, where that is known."""

    @property
    def made(self) -> Origin:
        """How it was made, as far as that is known."""
        return self.origin or Origin(self.metric)


@dataclass(frozen=True, slots=True)
class Item:
    """What is known about a sample here."""

    question: str
    """Items of one question are resampled together."""
    system: str | None = None
    group: str | None = None


def item_of(sample: Sample) -> Item:
    """The sample's place; a sample without a question is a cluster of its own."""
    return Item(sample.question or f"\0{sample.id}", sample.system, sample.group)


def outputs_of(scores: Iterable[Scored]) -> Iterator[Output]:
    """The scores of a run as outputs."""
    for one in scores:
        value = one.score.value
        yield Output(one.sample, one.metric, one.score.status if value is None else value)


def outputs_of_run(run: RunReader) -> Iterator[Output]:
    """The scores of a run as outputs, with what its manifest says about how they were made."""
    origins: dict[str, Origin] = {}
    for one in outputs_of(run.scores()):
        if one.metric not in origins:
            origins[one.metric] = _origin(one.metric, run.manifest.made_by(one.metric))
        yield replace(one, origin=origins[one.metric])


def _origin(metric: str, parts: Mapping[str, str]) -> Origin:
    judge = _ADDRESS.sub("", parts.get("judge", ""))
    try:
        made = make_metric(metric)
    except ConfigurationError:
        return Origin(metric, judge)
    if not isinstance(made, Correctness):
        return Origin(metric, judge)
    return Origin(metric, judge, made.evidence, replace(made, evidence=Correctness.evidence).name)


def read_outputs(source: Source, *, tell: Callable[[str], None] = _LOG.warning) -> Iterator[Output]:
    """The outputs in a file of any format that samples may have.

    Long: one row per output, with columns for item, judge (or metric, annotator), value, and perhaps aspect and status;
    where judge and metric are both given, each metric of each judge is apart. Wide: one row per item, and every other
    column is a judge by that name. Preferences between two answers stand in a column
    `preference` (-2 … 2) or `choice` (1, 2, tie) instead of the value, as in labels. Null is `undefined`, a text that
    is neither number nor verdict nor preference is `unreadable`: both are counted, and neither becomes a verdict.

    Raises:
        BadInput: with the first `next`: no such file, no known format, no column for the item, no judge.
    """
    name = name_of(source)
    fields = Columns(JUDGE_COLUMNS, {})
    rows = fields.checked(read_rows(source, None, wanted=lambda _: True, tell=tell), name, ("item",), _nobody)
    found = False
    for row in rows:
        if isinstance(row, BadRow):
            tell(f"{row.where} is left out: {row.reason}")
            continue
        item = _text(row, fields, "item")
        if not item:
            tell(f"{row.where} is left out: there is no item in it")
            continue
        for output in _outputs(row, item, fields):
            found = True
            yield output
    if not found:
        raise BadInput(f"{name} has no judge's outputs: expected item, judge and value, or item and a column a judge")


def _outputs(row: Row, item: str, fields: Columns) -> Iterator[Output]:
    judge, metric = _text(row, fields, "annotator"), _text(row, fields, "metric")
    if judge or metric:
        name = BETWEEN.join(part for part in (metric, judge) if part)
        origin = Origin(metric, judge) if metric and judge else None
        yield Output(item, name, _found(row, fields), _text(row, fields, "aspect"), origin)
        return
    for column, value in _flat(row.fields):
        if column.casefold() not in (*LABEL_COLUMNS["item"], *_PLACES):
            yield Output(item, column, _said(value))


def _found(row: Row, fields: Columns) -> Said:
    for form in ("preference", "choice"):
        text = _text(row, fields, form)
        if text:
            try:
                return preference(text, names_answer=form == "choice")
            except ValueError:
                return "unreadable"
    said = _said(fields.find(row.fields, "value"))
    status = _text(row, fields, "status")
    return _WITHOUT_VALUE.get(status, said) if said == "undefined" else said


def _flat(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Columns, and what is in objects under their names joined by a dot; lists are no judge's output."""
    for column, value in fields.items():
        if isinstance(value, Mapping):
            yield from ((f"{column}.{inner}", each) for inner, each in _flat(value))
        elif not isinstance(value, list | tuple):
            yield str(column), value


def _said(value: Any) -> Said:
    if value is MISSING or value is None:
        return "undefined"
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else "undefined"
    text = (as_text(value) or "").strip()
    return _read(text) if text else "undefined"


@lru_cache(maxsize=1_000)
def _read(text: str) -> Said:
    """Numbers and verdicts (yes, はい, ○) as they are read in labels."""
    (label,) = read_labels([{"item": "-", "value": text}])
    return label.value if isinstance(label, Label) else "unreadable"


def _text(row: Row, fields: Columns, field: str) -> str:
    value = fields.find(row.fields, field)
    return "" if value is MISSING else as_text(value) or ""


_PAIR_COLUMNS = {
    "first": ("first", "system_1", "system1", "system_a", "a"),
    "second": ("second", "system_2", "system2", "system_b", "b"),
}


def read_system_pairs(source: Source, *, tell: Callable[[str], None] = _LOG.warning) -> tuple[tuple[str, str], ...]:
    """Pairs of systems out of a file of any format that samples may have: a row per pair, columns `first` and `second`.

    Raises:
        BadInput: no such file, no such columns, a row without two names, or no rows.
    """
    name = name_of(source)
    fields = Columns(_PAIR_COLUMNS, {})
    rows = fields.checked(read_rows(source, None, wanted=lambda _: True, tell=tell), name, ("first", "second"), _nobody)
    found: list[tuple[str, str]] = []
    for row in rows:
        if isinstance(row, BadRow):
            raise BadInput(f"{row.where}: {row.reason}; expected two systems, in the columns first and second")
        first, second = _text(row, fields, "first"), _text(row, fields, "second")
        if not first or not second:
            raise BadInput(f"{name}:{row.number}: expected two systems, in the columns first and second")
        found.append((first, second))
    if not found:
        raise BadInput(f"{name} has no pairs of systems; expected a row per pair, with the columns first and second")
    return tuple(found)


def _nobody(_: str) -> None:
    """A judge's file may well have several columns that could be a value."""
