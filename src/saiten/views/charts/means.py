"""The means of systems, metric by metric, with their intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from saiten.records import Language
from saiten.views.charts.axes import Axis, shared_axes
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colours import INK
from saiten.views.charts.interval_rows import MOST_ROWS, IntervalGroup, IntervalRow, filling_of, interval_rows
from saiten.views.charts.plot import Picture
from saiten.views.charts.texts import finite, in_words, plain, value_and_interval
from saiten.words import section


@dataclass(frozen=True, slots=True)
class MeanRow:
    """One system in one metric."""

    metric: str
    system: str
    """"" if there is only one system, which need not be named."""
    mean: float | None
    low: float | None = None
    """Lower end of the 95 % interval, or None."""
    high: float | None = None
    n: int = 0
    """Number of measured answers."""
    missing: int = 0
    """Answers without a value, whatever the reason."""
    bounds: tuple[float | None, float | None] = (None, None)
    """Ends of the metric's scale, None at an open end."""


def means(rows: Sequence[MeanRow], language: Language = "en", *, part: bool = False) -> VegaChart:
    """Draw one group per metric and one row per system; with one system, one row per metric.

    Metrics on one scale share an axis; a dot without an interval is hollow. `part`: other charts show further metrics,
    so the title names these.
    """
    words = section("chart", language)
    metrics = ", ".join(dict.fromkeys(plain(row.metric) for row in rows))
    title = words["means_of"].format(metrics=metrics) if part else words["means"]
    said = in_words(((_whole_name(row), _figure(row, words)) for row in rows), words)
    return VegaChart(title, said, partial(_picture, tuple(rows), words), language, partial(means, rows, part=part))


def _picture(rows: Sequence[MeanRow], words: Mapping[str, str]) -> Picture | None:
    systems = {row.system for row in rows}
    shown = rows[:MOST_ROWS]
    by_metric: dict[str, list[MeanRow]] = {}
    for row in shown:
        by_metric.setdefault(row.metric, []).append(row)
    alone = len(systems) == 1
    axes = shared_axes([_ends(of) for of in by_metric.values()])
    blocks: list[IntervalGroup] = []
    for (metric, of), axis in zip(by_metric.items(), axes, strict=True):
        drawn = [_row(row, metric if alone else row.system, words) for row in of]
        # A metric without any value gets a group without an axis that says so for each system.
        scale = axis or Axis(0.0, 1.0, ())
        last = blocks[-1] if blocks else None
        if last is not None and (last.axis == scale or (alone and axis is None)):
            if alone:
                blocks[-1] = replace(last, rows=[*last.rows, *drawn])
                continue
            blocks[-1] = replace(last, numbers=False)
        blocks.append(IntervalGroup(drawn, scale, "" if alone else metric))
    left_out = len(rows) - len(shown)
    notes = [words["more"].format(count=left_out)] if left_out else []
    if any(row.value is not None and row.fill is not None for block in blocks for row in block.rows):
        notes.append(words["no_interval"])
    return interval_rows(blocks, words["nothing"], notes) if blocks else None


def _row(row: MeanRow, name: str, words: Mapping[str, str]) -> IntervalRow:
    tooltip = words["said"].format(name=_whole_name(row), value=_figure(row, words))
    low, high = finite(row.low), finite(row.high)
    return IntervalRow(
        name,
        finite(row.mean),
        low,
        high,
        " · ".join(_beside(row, words)),
        tooltip,
        INK,
        fill=filling_of(low, high, None),
    )


def _ends(rows: Sequence[MeanRow]) -> tuple[list[float], tuple[float | None, float | None]]:
    """Return all numbers of a metric and the ends of its scale."""
    found = [finite(value) for row in rows for value in (row.mean, row.low, row.high)]
    return [value for value in found if value is not None], rows[0].bounds


def _whole_name(row: MeanRow) -> str:
    return plain(f"{row.metric} · {row.system}" if row.system else row.metric)


def _beside(row: MeanRow, words: Mapping[str, str]) -> list[str]:
    missing = [words["missing"].format(count=row.missing)] if row.missing else []
    return [words["n"].format(n=row.n), *missing]


def _figure(row: MeanRow, words: Mapping[str, str]) -> str:
    return value_and_interval(row.mean, row.low, row.high, words, _beside(row, words))
