"""Agreement among people as tables: the labels, the figures, the base rates, and each pair of annotators."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from saiten.results.agreement import AgreementReport, AspectAgreement
from saiten.stats.estimate import Estimate
from saiten.stats.interrater.agreement import MOST_LISTED
from saiten.views.table import Cell, Interval, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.words import Message, joined

_FORM = IntervalColumns(numbers=True)
_MOST_VALUES = 12
"""Maximum values shown with their rates on screen; files contain all."""
_MOST_PEOPLE = 25
"""Maximum annotators listed one by one on screen; of more, those who differ most. Files contain all."""


def agreement_tables(report: AgreementReport) -> list[Table]:
    """Return all tables except empty ones."""
    columns = ("aspect", "annotator", "value", "labels", "share")
    return _tables(report, Table(Message("title", "base_rates"), columns, tuple(_rates(report))), glance=False)


def agreement_glance(report: AgreementReport) -> list[Table]:
    """Return the tables for the terminal: an annotator's base rates are on one line, and many annotators summed up."""
    rows = tuple(_rates_at_a_glance(report))
    left = sum(max(0, len(one.rates) - _MOST_PEOPLE) for one in report.aspects)
    caption = (Message("caption", "some_base_rates", most=_MOST_PEOPLE, n=left),) if left else ()
    columns = ("aspect", "annotator", "labels", "shares")
    return _tables(report, Table(Message("title", "base_rates"), columns, rows, caption), glance=True)


def _tables(report: AgreementReport, rates: Table, *, glance: bool) -> list[Table]:
    over = "interval_over_questions" if report.by_question else "interval_over_items"
    ranked = any(one.unanimity for one in report.aspects) and not report.by_question
    caption = (
        Message("caption", over),
        *((Message("caption", "preferences_over_questions"),) if ranked else ()),
        Message("caption", "agreement"),
    )
    columns = ("aspect", "figure", "value", "ci_low", "ci_high", "n", "remarks")
    figures = tuple(row for aspect in report.aspects for row in _figures(aspect))
    tables = [
        _labels(report),
        Table(Message("title", "agreement"), columns, figures, caption, (Interval("value", "ci_low", "ci_high"),)),
        rates,
        _unanimity(report),
        _spread(report),
        _pairs(report),
        _people(report, glance=glance),
    ]
    return [table for table in tables if table.rows]


def _labels(report: AgreementReport) -> Table:
    known = any(one.questions is not None for one in report.aspects)
    questions = ("questions",) if known else ()
    columns = ("aspect", *questions, "items", "doubly_labeled", "annotators", "labels", "per_item", "adjudicated")
    rows: list[Cells] = []
    for one in report.aspects:
        counts = (*((one.questions,) if known else ()), one.items, one.figures.items)
        annotators = len(one.rates) if "" not in one.rates else None
        per_item = one.labels / one.items if one.items else None
        rows.append((one.aspect, *counts, annotators, one.labels, per_item, one.adjudicated, joined(one.notes)))
    return Table(Message("title", "labels"), (*columns, "remarks"), tuple(rows), (Message("caption", "adjudicated"),))


def _figures(one: AspectAgreement) -> Iterator[Cells]:
    for name, figure in one.named_figures().items():
        yield (one.aspect, Message("cell", name), *_FORM.cells(figure), figure.n, _remark(one, figure))


def _remark(one: AspectAgreement, figure: Estimate) -> Message:
    return joined((one.of_numbers, figure.reason or figure.note))


def _rates(report: AgreementReport) -> Iterator[Cells]:
    for one in report.aspects:
        for person, counts in one.rates.items():
            total = sum(counts.values())
            yield from ((one.aspect, person, value, times, times / total) for value, times in counts.items())


def _rates_at_a_glance(report: AgreementReport) -> Iterator[Cells]:
    for one in report.aspects:
        together: Counter[str] = sum((Counter(counts) for counts in one.rates.values()), Counter[str]())
        everyone = {value: together[value] for value in sorted(together, key=_in_order)}
        rates: list[tuple[Cell, Mapping[str, int]]] = [*one.rates.items()]
        if len(rates) > 1:
            rates = [(Message("cell", "all"), everyone), *_most_apart(rates, everyone)]
        for person, counts in rates:
            yield (one.aspect, person, sum(counts.values()), _shares(counts))


def _most_apart(
    rates: list[tuple[Cell, Mapping[str, int]]], everyone: Mapping[str, int]
) -> list[tuple[Cell, Mapping[str, int]]]:
    """Return all rates, or of too many annotators, those whose shares are farthest from those of all, farthest first.

    The distance is that of total variation, half the sum of the shares' differences.
    """
    if len(rates) <= _MOST_PEOPLE:
        return rates
    total = sum(everyone.values())

    def apart(one: tuple[Cell, Mapping[str, int]]) -> float:
        labels = sum(one[1].values())
        return -sum(abs(one[1].get(value, 0) / labels - times / total) for value, times in everyone.items())

    return sorted(rates, key=apart)[:_MOST_PEOPLE]


def _in_order(value: str) -> tuple[float, str]:
    """Return a sort key: grades by size, then words."""
    try:
        return float(value), ""
    except ValueError:
        return math.inf, value


def _shares(counts: Mapping[str, int]) -> str | Message:
    """Return `0: 4.1 % · 1: 95.9 %`."""
    total = sum(counts.values())
    shown = set(sorted(counts, key=lambda value: -counts[value])[:_MOST_VALUES])
    shares = " · ".join(f"{value}: {times / total:.1%}" for value, times in counts.items() if value in shown)
    others = len(counts) - len(shown)
    return Message("cell", "more_values", shares=shares, n=others) if others else shares


def _unanimity(report: AgreementReport) -> Table:
    rows: list[Cells] = []
    for one in report.aspects:
        for found in one.unanimity:
            total = sum(found.agreed.values())
            for same, times in found.agreed.items():
                agreed = Message("preferring", "value", n=same)
                if same in (1, found.annotators):
                    agreed = Message("preferring", "all" if same == found.annotators else "none")
                rows.append((one.aspect, found.annotators, agreed, times, times / total))
    columns = ("aspect", "annotators", "prefer_same", "questions", "share")
    return Table(Message("title", "unanimity"), columns, tuple(rows), (Message("caption", "unanimity"),))


def _pairs(report: AgreementReport) -> Table:
    graded = any(one.levels != ("nominal",) for one in report.aspects)
    weights = ("kappa_linear", "kappa_quadratic") if graded else ()
    columns = ("aspect", "annotators", "items", "percent", "kappa", "ci_low", "ci_high", *weights, "remarks")
    rows: list[Cells] = []
    for one in report.aspects:
        for pair in one.figures.pairs:
            names, kappa = f"{pair.first} – {pair.second}", pair.kappa
            weighted = (pair.linear.value, pair.quadratic.value) if one.levels != ("nominal",) else (None, None)
            figures = (pair.percent, *_FORM.cells(kappa), *(weighted if graded else ()))
            rows.append((one.aspect, names, kappa.n, *figures, _remark(one, kappa)))
    left = sum(one.figures.spread.pairs - len(one.figures.pairs) for one in report.aspects if one.figures.spread)
    caption = (Message("caption", "some_pairs", most=MOST_LISTED, n=left),) if left else ()
    intervals = (Interval("kappa", "ci_low", "ci_high"),)
    return Table(Message("title", "annotator_pairs"), columns, tuple(rows), caption, intervals)


def _spread(report: AgreementReport) -> Table:
    """Return kappa over all pairs, for aspects with too many pairs to list."""
    columns = ("aspect", "pairs", "pairs_with_kappa", "lowest", "percentile_10", "median", "percentile_90", "highest")
    rows = [
        (one.aspect, spread.pairs, spread.defined, *(spread.quantiles or [None] * 5))
        for one in report.aspects
        if (spread := one.figures.spread) is not None
    ]
    return Table(Message("title", "pair_kappas"), columns, tuple(rows))


def _people(report: AgreementReport, *, glance: bool) -> Table:
    """Return each annotator against all others, for aspects with too many pairs to list."""
    most = _MOST_PEOPLE if glance else None
    rows: list[Cells] = []
    for one in report.aspects:
        rows += [(one.aspect, str(each.annotator), each.items, each.percent) for each in one.figures.people[:most]]
    left = sum(len(one.figures.people) for one in report.aspects) - len(rows)
    caption = [Message("caption", "agree_with_others")]
    if left:
        caption.append(Message("caption", "some_annotators", most=_MOST_PEOPLE, n=left))
    columns = ("aspect", "annotator", "items", "agree_with_others")
    return Table(Message("title", "annotators_apart"), columns, tuple(rows), tuple(caption))
