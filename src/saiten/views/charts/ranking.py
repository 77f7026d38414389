"""Agreement of metrics with people, best first, and the agreement of people among themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from saiten.records import Language
from saiten.results.ranking import RankedMetric, Ranking
from saiten.stats.estimate import Estimate
from saiten.views.charts.axes import bounded_axis
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.colors import LINES
from saiten.views.charts.interval_rows import (
    COMPACT,
    MOST_ROWS,
    WIDTH,
    IntervalGroup,
    IntervalRow,
    Reference,
    filling_of,
    interval_rows,
)
from saiten.views.charts.plot import Picture
from saiten.views.charts.texts import finite, finite_ones, in_words, plain, shorten, value_and_interval, written
from saiten.views.metric_names import shown_metric
from saiten.views.tables.meta_cells import measure_name
from saiten.words import in_language, section

UNINFORMATIVE = {"auroc": 0.5, "balanced_accuracy": 0.5, **dict.fromkeys(("f1", "macro_f1", "agreement", "accuracy"))}
"""Value of a figure for an uninformative metric: None if there is none; 0 for all others."""
_PEOPLE = (8, 3, 2, 3)
"""The dashes of people's line, distinct from those of the "no agreement" line."""


def ranking(found: Ranking, language: Language = "en") -> VegaChart:
    """Draw one row per metric, best first.

    The agreement of one person with the others, a ceiling for metrics, is a line of dots and dashes with its interval
    as a band; the value of an uninformative metric is a dashed line, and a mark is hollow where the interval contains
    it.
    """
    words = section("chart", language)
    places = [place for place in found.places if not place.people]
    metrics = [replace(place, metric=shown_metric(place.metric, language)) for place in places]
    ceiling = next((p.figure for p in found.places if p.people and finite(p.figure.value) is not None), None)
    said = in_words([(plain(place.metric), _figure(place, words)) for place in metrics], words)
    if ceiling is not None:
        said = words["between"].join((words["ceiling"].format(value=written(ceiling.value)), said))
    by = plain(in_language(measure_name(found.by), language))
    make = partial(_picture, metrics, ceiling, by, UNINFORMATIVE.get(found.by, 0.0), words)
    title, again = words["ranking"].format(by=by), partial(ranking, found)
    return VegaChart(title, said, make, language, again, partial(make, width=COMPACT))


def _picture(
    metrics: Sequence[RankedMetric],
    ceiling: Estimate | None,
    by: str,
    none: float | None,
    words: Mapping[str, str],
    *,
    width: float = WIDTH,
) -> Picture | None:
    shown = metrics[:MOST_ROWS]
    values = finite_ones(end for row in shown for end in (row.figure.value, row.figure.low, row.figure.high))
    references = [] if none is None else [Reference(none)]
    if ceiling is not None and ceiling.value is not None:
        label = words["ceiling"].format(value=written(ceiling.value))
        references.append(Reference(ceiling.value, finite(ceiling.low), finite(ceiling.high), label, _PEOPLE))
    lines = [end for one in references for end in (one.value, one.low, one.high) if end is not None]
    axis = bounded_axis([*lines, *values], (None, None)) if values else None
    if axis is None:
        return None
    notes = [words["more"].format(count=len(metrics) - len(shown))] if len(metrics) > len(shown) else []
    if none is not None:
        notes.append(words["hollow"].format(none=written(none)))
    if ceiling is not None:
        notes.append(words["band"])
    rows = [_row(place, none, words) for place in shown]
    return interval_rows([IntervalGroup(rows, axis, x_title=by, references=references)], words["nothing"], notes, width)


def _row(place: RankedMetric, none: float | None, words: Mapping[str, str]) -> IntervalRow:
    name, low, high = plain(place.metric), finite(place.figure.low), finite(place.figure.high)
    notes = [shorten(plain(place.letters), 100) if place.letters else "", words["n"].format(n=place.figure.n)]
    return IntervalRow(
        f"{place.rank}. {name}" if place.rank is not None else name,
        finite(place.figure.value),
        low,
        high,
        " · ".join(part for part in notes if part),
        words["said"].format(name=name, value=_figure(place, words)),
        LINES[0],
        fill=filling_of(low, high, none),
    )


def _figure(place: RankedMetric, words: Mapping[str, str]) -> str:
    figure = place.figure
    return value_and_interval(figure.value, figure.low, figure.high, words, [words["n"].format(n=figure.n)])
