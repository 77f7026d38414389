"""Costs of systems: money, time and tokens, one plot each, one bar per system."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from saiten.records import Language
from saiten.views.charts.axes import Axis, make_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import LINES, MUTED
from saiten.views.charts.interval_rows import GAP, HEADING, MOST_ROWS, NAMES, ROW, WIDTH, names_beside, nothing_at
from saiten.views.charts.plot import Datum, Marks, Padding, Picture, Plot
from saiten.views.charts.texts import finite, finite_ones, in_words, plain, shorten, text_width, written
from saiten.words import section


@dataclass(frozen=True, slots=True)
class CostRow:
    """One system, or one run."""

    name: str
    cost: float | None = None
    """In `currency`; None if unknown."""
    seconds: float | None = None
    """Per answer."""
    tokens: int | None = None
    calls: int | None = None
    n: int | None = None
    """Number of answers."""


_Kind = tuple[str, Callable[[CostRow], float | None]]
"""The title of a plot, and its value of a row."""


def costs(rows: Sequence[CostRow], language: Language = "en", *, currency: str = "USD") -> VegaChart:
    """Draw one plot for each of cost, seconds, tokens and calls that is known for any row; bars begin at 0."""
    words = section("chart", language)
    kinds = _kinds(currency, words)

    def known(row: CostRow) -> str:
        return ", ".join(f"{name} {written(value)}" for name, of in kinds if (value := of(row)) is not None)

    said = in_words(((plain(row.name), known(row)) for row in rows), words)
    again = partial(costs, rows, currency=currency)
    return VegaChart(words["costs"], said, partial(_picture, tuple(rows), kinds, words), language, again)


def _kinds(currency: str, words: Mapping[str, str]) -> list[_Kind]:
    return [
        (words["cost"].format(currency=shorten(plain(currency), 300)), lambda row: finite(row.cost)),
        (words["seconds"], lambda row: finite(row.seconds)),
        (words["tokens"], lambda row: None if row.tokens is None else float(row.tokens)),
        (words["calls"], lambda row: None if row.calls is None else float(row.calls)),
    ]


def _picture(rows: Sequence[CostRow], kinds: Sequence[_Kind], words: Mapping[str, str]) -> Picture | None:
    shown = rows[:MOST_ROWS]
    found = {name: [of(row) for row in shown] for name, of in kinds}
    known = {name: finite_ones(values) for name, values in found.items()}
    axes = {name: axis for name, values in known.items() if values and (axis := make_axis([0.0, *values])) is not None}
    if not axes:
        return None
    names = min(max(text_width(_named(row, words)) for row in shown), NAMES)
    right = max(text_width(written(value)) for name in axes for value in found[name]) + GAP + 16
    left = names + GAP + 8
    field = max(WIDTH - left - right, 240)
    plots = [
        _plot(name, axis, found[name], shown, field=field, names=names, words=words) for name, axis in axes.items()
    ]
    return Picture(plots, Padding(left, 30, right, 28), 52)


def _plot(
    name: str,
    axis: Axis,
    values: Sequence[float | None],
    rows: Sequence[CostRow],
    *,
    field: float,
    names: float,
    words: Mapping[str, str],
) -> Plot:
    bars: list[Datum] = []
    side_notes: list[Datum] = []
    for place, (row, value) in enumerate(zip(rows, values, strict=True)):
        if value is not None:
            y, tooltip = place + 0.5, f"{plain(row.name)}, {name}: {written(value)}"
            bars.append({"x": 0.0, "x2": value, "y": y - 0.3, "y2": y + 0.3, "color": LINES[0], "tooltip": tooltip})
            side_notes.append({"y": y, "text": written(value)})
    marks = [
        Marks("bar", bars, style={"stroke": None}),
        names_beside([_named(row, words) for row in rows], names),
        Marks("text", side_notes, at=field + GAP, style={"align": "left", "fill": MUTED}),
        nothing_at([place for place, value in enumerate(values) if value is None], words["nothing"]),
        Marks("text", [{"y": 0.0, "text": name}], at=-names - GAP, style=HEADING),
    ]
    return Plot(field, ROW * len(rows), axis, Axis(float(len(rows)), 0.0, ()), marks)


def _named(row: CostRow, words: Mapping[str, str]) -> str:
    n = f" ({words['n'].format(n=row.n)})" if row.n is not None else ""
    return plain(row.name) + n
