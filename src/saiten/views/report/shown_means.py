"""Means on their scales in the form of the template: a dot, a line for the interval, a sign for the best."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup, escape

from saiten.records import Language
from saiten.results.figure import Figure
from saiten.results.verdict import enough
from saiten.views.charts.axes import Axis, bounded_axis
from saiten.views.charts.means import bounds_of
from saiten.views.charts.systems_by_metrics import ScaledMetric
from saiten.views.charts.texts import finite, finite_ones, value_and_interval, written
from saiten.views.metric_names import shown_metric
from saiten.views.report.picture import PicturePart, PictureRow, best
from saiten.views.strip_controls import clean
from saiten.views.table import show_cell
from saiten.words import section

_TOGETHER = 8
"""Maximum rows of several parts that are open together."""


@dataclass(frozen=True, slots=True)
class ShownMean:
    """A mean on its scale; places are in percent of the width, empty without a value to draw."""

    value: str
    said: str
    """The whole figure in words."""
    at: str = ""
    low: str = ""
    high: str = ""
    hollow: bool = False
    """Whether it has no interval, or too little was measured."""
    best: bool = False
    lacking: bool = False
    """Whether too little was measured for a verdict."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """The head of a column."""

    metric: Markup
    arrow: str
    direction: str
    """The arrow in words."""
    ends: tuple[str, str]
    """The ends of its scale; empty without a value."""


@dataclass(frozen=True, slots=True)
class ShownPart:
    """Rows of means, by run if several runs have several rows."""

    columns: Sequence[ShownColumn]
    groups: Sequence[tuple[str, Sequence[tuple[str, Sequence[ShownMean | None]]]]]
    """Run, empty if there is no need for it; its rows: name and cells, None without the metric."""


def shown_parts(parts: Sequence[PicturePart], language: Language) -> tuple[list[ShownPart], list[ShownPart]]:
    """Return the pieces that fit on a screen together, and the others."""
    first: list[ShownPart] = []
    rest: list[ShownPart] = []
    rows = 0
    for part in parts:
        marked = {column.metric: best(part, column) for column in part.columns}
        for at, piece in enumerate(part.pieces):
            rows += len(piece.rows)
            fits = not first or (at == 0 and rows <= _TOGETHER)
            (first if fits else rest).append(_part(piece, part, marked, language))
    return first, rest


def _part(
    piece: PicturePart, whole: PicturePart, marked: Mapping[str, set[tuple[str, str]]], language: Language
) -> ShownPart:
    runs = {row.run for row in whole.rows}
    grouped = len(runs) > 1 and any(row.system for row in whole.rows)
    groups = []
    for run, rows in groupby(piece.rows, lambda row: row.run):
        shown = [(clean(row.system or row.run), list(_cells(row, piece.columns, marked, language))) for row in rows]
        groups.append((clean(run) if grouped else "", shown))
    return ShownPart([_column(column, language) for column in piece.columns], groups)


def _cells(
    row: PictureRow,
    columns: Sequence[ScaledMetric],
    marked: Mapping[str, set[tuple[str, str]]],
    language: Language,
) -> Iterator[ShownMean | None]:
    name = clean(" · ".join(part for part in (row.run, row.system) if part))
    for column in columns:
        figure = row.figures.get(column.metric)
        is_best = (row.run, row.system) in marked[column.metric]
        yield None if figure is None else shown_mean(figure, column, name, language, best=is_best)


def _column(column: ScaledMetric, language: Language) -> ShownColumn:
    words = section("opening", language)
    arrow = {True: "↑", False: "↓", None: ""}[column.higher]
    direction = "" if column.higher is None else words["higher" if column.higher else "lower"]
    ends = ("", "") if column.axis is None else (written(column.axis.low), written(column.axis.high))
    return ShownColumn(breakable(clean(shown_metric(column.metric, language))), arrow, direction, ends)


def breakable(name: str) -> Markup:
    """Escape a metric's name and let its lines end before brackets and after underscores."""
    return Markup(str(escape(name)).replace("_", "_<wbr>").replace("[", "<wbr>[").replace("（", "<wbr>（"))  # noqa: S704 - escaped


def single_column(figure: Figure, *, higher: bool | None) -> ScaledMetric:
    """Return the scale of a mean that is alone on it."""
    ends = finite_ones((figure.mean, figure.low, figure.high))
    return ScaledMetric(figure.metric, higher, bounded_axis(ends, bounds_of(figure.metric)))


def shown_mean(figure: Figure, column: ScaledMetric, name: str, language: Language, *, best: bool = False) -> ShownMean:
    """Return the mean on its column's scale; a mean of too few answers says how many they are."""
    words = section("opening", language)
    metric = shown_metric(figure.metric, language)
    lacking = not enough(figure.n, figure.total)
    notes = [words["n_of"].format(n=figure.n, of=figure.total), words["best"] if best else ""]
    whole = value_and_interval(figure.mean, figure.low, figure.high, words, notes)
    said = ": ".join(part for part in (" · ".join(p for p in (name, clean(metric)) if p), whole) if part)
    mean, low, high = finite(figure.mean), finite(figure.low), finite(figure.high)
    if mean is None or column.axis is None:
        return ShownMean(show_cell(figure.mean), said, lacking=lacking)
    lined = low is not None and high is not None
    return ShownMean(
        show_cell(figure.mean),
        said,
        _place(mean, column.axis),
        _place(low, column.axis) if lined and low is not None else "",
        _place(high, column.axis) if lined and high is not None else "",
        hollow=not lined or lacking,
        best=best,
        lacking=lacking,
    )


def _place(value: float, axis: Axis) -> str:
    return f"{100 * (min(max(value, axis.low), axis.high) - axis.low) / (axis.high - axis.low):.4g}%"
