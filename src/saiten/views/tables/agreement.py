"""How far people agree, as tables: the labels, the figures, the base rates, and each two annotators."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from saiten.results.agreement import AgreementReport, AspectAgreement
from saiten.stats.estimate import Estimate
from saiten.views.table import Cell, Interval, Table

_CAPTION = (
    "95 % interval: bootstrap over {units}.{pairs} n: items with labels from two annotators or more. Percent knows no "
    "chance: read it beside kappa or alpha. Kappa: Cohen's, mean over the pairs of annotators."
)
_RANKED = "Of preferences: over questions, since the pairs of one ranking belong together."
_MOST_VALUES = 12
"""Values of which people are shown the rate; files get all."""


def agreement_tables(report: AgreementReport) -> list[Table]:
    """All tables; those with nothing in them are left out."""
    return _tables(report, Table("Base rates", _RATE_COLUMNS, tuple(_rates(report))))


def agreement_glance(report: AgreementReport) -> list[Table]:
    """The same for people: the base rates of an annotator on one line."""
    rows = tuple(_rates_at_a_glance(report))
    return _tables(report, Table("Base rates", ("aspect", "annotator", "labels", "share of each value"), rows))


_NAMES = {
    "percent": "percent",
    "percent_by_chance": "percent by chance",
    "kappa": "kappa",
    "kappa_linear": "kappa, linear",
    "kappa_quadratic": "kappa, quadratic",
    "fleiss_kappa": "Fleiss' kappa",
    "alpha_nominal": "alpha, nominal",
    "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval",
}

_RATE_COLUMNS = ("aspect", "annotator", "value", "labels", "share")


def _tables(report: AgreementReport, rates: Table) -> list[Table]:
    units = "questions" if report.by_question else "items"
    ranked = any(one.unanimity for one in report.aspects) and not report.by_question
    caption = _CAPTION.format(units=units, pairs=f" {_RANKED}" if ranked else "")
    columns = ("aspect", "figure", "value", "95 % from", "to", "n", "remarks")
    figures = tuple(row for aspect in report.aspects for row in _figures(aspect))
    tables = [
        _labels(report),
        Table("Agreement", columns, figures, caption, (Interval("value", "95 % from", "to"),)),
        rates,
        _unanimity(report),
        _pairs(report),
    ]
    return [table for table in tables if table.rows]


def _labels(report: AgreementReport) -> Table:
    known = any(one.questions is not None for one in report.aspects)
    questions = ("questions",) if known else ()
    columns = ("aspect", *questions, "items", "with two or more", "annotators", "labels", "per item", "adjudicated")
    rows: list[tuple[Cell, ...]] = [
        (
            one.aspect,
            *((one.questions,) if known else ()),
            one.items,
            one.figures.items,
            len(one.rates) if "" not in one.rates else None,
            one.labels,
            one.labels / one.items if one.items else None,
            one.adjudicated,
            "; ".join(one.notes),
        )
        for one in report.aspects
    ]
    return Table(
        "Labels",
        (*columns, "remarks"),
        tuple(rows),
        "Adjudicated: items with a third decision, which is no annotator's.",
    )


def _figures(one: AspectAgreement) -> Iterator[tuple[Cell, ...]]:
    for name, figure in one.named_figures().items():
        yield (one.aspect, _NAMES[name], figure.value, figure.low, figure.high, figure.n, _remark(one, figure))


def _remark(one: AspectAgreement, figure: Estimate) -> str:
    return "; ".join(text for text in (one.of_numbers, figure.reason or figure.note) if text)


def _rates(report: AgreementReport) -> Iterator[tuple[Cell, ...]]:
    for one in report.aspects:
        for person, counts in one.rates.items():
            total = sum(counts.values())
            yield from ((one.aspect, person, value, times, times / total) for value, times in counts.items())


def _rates_at_a_glance(report: AgreementReport) -> Iterator[tuple[Cell, ...]]:
    for one in report.aspects:
        together: Counter[str] = sum((Counter(counts) for counts in one.rates.values()), Counter[str]())
        everyone = {value: together[value] for value in sorted(together, key=_in_order)}
        for person, counts in ({"all": everyone} | dict(one.rates) if len(one.rates) > 1 else one.rates).items():
            yield (one.aspect, person, sum(counts.values()), _shares(counts))


def _in_order(value: str) -> tuple[float, str]:
    """Grades by their size, then words."""
    try:
        return float(value), ""
    except ValueError:
        return math.inf, value


def _shares(counts: Mapping[str, int]) -> str:
    """`0: 4.1 % · 1: 95.9 %`."""
    total = sum(counts.values())
    shown = set(sorted(counts, key=lambda value: -counts[value])[:_MOST_VALUES])
    parts = [f"{value}: {times / total:.1%}" for value, times in counts.items() if value in shown]
    others = len(counts) - len(shown)
    return " · ".join(parts) + (f" · {others} others" if others else "")


def _unanimity(report: AgreementReport) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in report.aspects:
        for found in one.unanimity:
            total = sum(found.agreed.values())
            for same, times in found.agreed.items():
                agreed = "all" if same == found.annotators else "none" if same == 1 else str(same)
                rows.append((one.aspect, found.annotators, agreed, times, times / total))
    columns = ("aspect", "annotators", "prefer the same", "questions", "share")
    caption = (
        "Questions by how many of their annotators prefer the same answer to all others. Annotators who tie the same "
        "answers agree. Third decisions are not counted."
    )
    return Table("How many prefer the same answer", columns, tuple(rows), caption)


def _pairs(report: AgreementReport) -> Table:
    graded = any(one.levels != ("nominal",) for one in report.aspects)
    weights = ("kappa, linear", "kappa, quadratic") if graded else ()
    columns = ("aspect", "annotators", "items", "percent", "kappa", "95 % from", "to", *weights, "remarks")
    rows: list[tuple[Cell, ...]] = []
    for one in report.aspects:
        for pair in one.figures.pairs:
            kappa = pair.kappa
            weighted = (pair.linear.value, pair.quadratic.value) if one.levels != ("nominal",) else (None, None)
            rows.append(
                (
                    one.aspect,
                    f"{pair.first} – {pair.second}",
                    kappa.n,
                    pair.percent,
                    kappa.value,
                    kappa.low,
                    kappa.high,
                    *(weighted if graded else ()),
                    _remark(one, kappa),
                )
            )
    return Table("Each two annotators", columns, tuple(rows), intervals=(Interval("kappa", "95 % from", "to"),))
