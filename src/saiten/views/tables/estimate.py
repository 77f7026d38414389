"""Prediction-powered estimates as tables: for the terminal within 100 columns, otherwise with every figure."""

from itertools import groupby

from saiten.results.estimate import Estimates, MeanEstimate
from saiten.stats.prediction_powered_records import Mean
from saiten.views.table import Heading, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.words import Message, joined

_FORM = IntervalColumns(numbers=True)
_MEANS = ("labels_alone", "with_judge")


def estimate_tables(found: Estimates, *, glance: bool = False) -> list[Table]:
    """Return one table with a row per estimate; `glance`: one per aspect and metric, with fewer columns."""
    if glance:
        return _glance(found)
    columns: tuple[Heading, ...] = ("aspect", "metric", "of", "judge_alone", *_FORM.columns(*_MEANS))
    columns += ("lambda", "labels", "questions", "items", "saved")
    captions = [Message("caption", "estimates")]
    if found.width is not None:
        columns += ("half_width", "labels_needed", "labels_needed_without_judge")
        captions.append(Message("caption", "labels_needed"))
    rows = tuple(_row(row, found.width) for row in found.means)
    title = Message("title", "estimates")
    return [Table(title, (*columns, "remarks"), rows, tuple(captions), _FORM.intervals(*_MEANS))]


def _row(row: MeanEstimate, width: float | None) -> Cells:
    found = row.powered
    one = found.lambdas[0] if len(found.lambdas) == 1 else None
    several = ", ".join(f"{each:.2f}" for each in found.lambdas) if one is None else ""
    cells: Cells = (row.aspect, row.metric, row.what, found.judge, *_FORM.cells(found.alone, found.powered))
    cells += (one, found.n, found.clusters, found.total, found.saved)
    if width is not None:
        needed = found.needed(width)
        cells += (width, needed.total, needed.alone) if needed else (width, None, None)
    lambdas = Message("remark", "lambdas", values=several) if several else None
    return (*cells, joined([*row.remarks, lambdas]))


def _glance(found: Estimates) -> list[Table]:
    columns: tuple[Heading, ...] = ("of", "judge", *_MEANS, "labels", "items", "saved")
    captions = [Message("caption", "estimates_at_a_glance")]
    if found.width is not None:
        columns += (Message("column", "for_width", width=found.width), "without")
        captions.append(Message("caption", "forecast", width=found.width))
    groups = [(key, list(rows)) for key, rows in groupby(found.means, lambda row: (row.metric, row.aspect))]
    tables = [
        Table(
            Message("title", "estimates_of", of=joined(key, "listed")),
            columns,
            tuple(_short(row, found.width) for row in rows),
            tuple(captions) if (key, rows) == groups[-1] else (),
        )
        for key, rows in groups
    ]
    remarks = tuple(
        (remark, ", ".join(dict.fromkeys(row.what for row in found.means if remark in row.remarks)))
        for remark in dict.fromkeys(remark for row in found.means for remark in row.remarks)
    )
    return [*tables, Table(Message("title", "remarks"), ("remark", "of"), remarks)] if remarks else tables


def _short(row: MeanEstimate, width: float | None) -> Cells:
    found = row.powered
    cells: Cells = (row.what, found.judge, _with_half(found.alone), _with_half(found.powered))
    cells += (found.n, found.total, found.saved)
    if width is None:
        return cells
    needed = found.needed(width)
    more = f"> {found.total}"
    return (*cells, *((needed.total or more, needed.alone or more) if needed else ("–", "–")))


def _with_half(mean: Mean) -> str:
    """Format without spaces, to stay on one line; with both ends if ± would exceed the possible range."""
    if mean.half is not None and not mean.cut:
        return f"{mean.value:.3f}±{mean.half:.3f}"
    if mean.low is None or mean.high is None:
        return f"{mean.value:.3f}"
    return f"{mean.value:.3f}[{mean.low:.3f},{mean.high:.3f}]"
