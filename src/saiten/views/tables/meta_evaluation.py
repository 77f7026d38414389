"""A meta-evaluation as tables: the ranking first, then its details, then omissions."""

from collections.abc import Callable, Iterable
from functools import partial

from saiten.results.meta_evaluation import AspectResult, MetaEvaluation, MetricResult, Unpaired
from saiten.results.metric_figures import Confusion
from saiten.results.ranking import AnnotatorFigures, Ceiling
from saiten.stats.estimate import Estimate
from saiten.trust.meta_evaluation.ranking import RECOUNTED
from saiten.views.table import Name, PValue, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import aspect_name, easier, joined, measure_name, why_not
from saiten.views.tables.part import parts_table
from saiten.views.tables.system import (
    means_table,
    never_within,
    never_won,
    systems_table,
    too_few,
    wins_table,
    within_table,
)


def meta_tables(found: MetaEvaluation, *, glance: bool = False) -> list[Table]:
    """Return all tables except empty ones; `glance`: for the terminal, with less detail."""
    form = IntervalColumns(numbers=not glance)
    tables: list[Table] = []
    for aspect in found.aspects:
        systems = partial(systems_table, over=found.settings.systems_over)
        parts: list[Callable[[AspectResult, IntervalColumns], Table]] = [
            _ranking,
            _items,
            within_table,
            means_table,
            systems,
            wins_table,
            _decisions,
            _grades,
            _preferences,
            _orders,
            _bias,
            _declined,
            _ceiling,
        ]
        parts += [] if glance else [_bias_in_parts, _confusions, _comparisons]
        tables += [part(aspect, form) for part in parts]
        tables.append(parts_table(aspect, form, by=found.settings.split_by, glance=glance))
    tables.append(_pairing(found))
    notes = [
        *map(str, found.notes),
        *(f"{aspect_name(aspect)}: {note}" for aspect in found.aspects for note in aspect.notes),
    ]
    for where, why in (
        ("within questions", never_within),
        ("pairs of systems by wins", never_won),
        ("over systems", too_few),
    ):
        notes += [f"{aspect_name(aspect)}: {where}: {lacking}" for aspect in found.aspects if (lacking := why(aspect))]
    tables.append(Table("Notes", ("note",), tuple((note,) for note in dict.fromkeys(notes))))
    return [table for table in tables if table.rows]


def ranking_title(aspect: AspectResult) -> str:
    """Return the title of the ranking table."""
    return f"{aspect_name(aspect)}: metrics by {measure_name(aspect.ranking.by if aspect.ranking else '')}"


def _ranking(aspect: AspectResult, form: IntervalColumns) -> Table:
    ranking = aspect.ranking
    # If unmeasured items are counted, nothing is left out.
    sets = {one.metric: easier(one) for one in aspect.metrics}
    lacks = {one.metric: _missing(one) for one in aspect.metrics}
    rows: list[Cells] = [
        (
            place.rank,
            place.letters,
            place.metric,
            *form.cells(place.figure),
            place.figure.n,
            joined(
                why_not(place.figure),
                lacks.get(place.metric, "") if place.figure.value is None else "",
                sets.get(place.metric, "") if place.figure.n < aspect.n else "",
            ),
        )
        for place in (ranking.places if ranking else ())
    ]
    by = ranking.by if ranking else ""
    test = "bootstrap" if by in RECOUNTED else "swap"
    missing = _no_ceiling(aspect)
    return Table(
        ranking_title(aspect),
        ("rank", "letters", "metric", *form.columns(measure_name(by)), "n", "remarks"),
        tuple(rows),
        f"Rank: 1 + the metrics that are significantly better ({test} test by question, 5 %, Holm). Metrics with a "
        "letter in common are not significantly apart; two are tested on the items that both measured. 95 % interval: "
        f"bootstrap over questions.{missing}",
        form.intervals(measure_name(by)),
    )


def _no_ceiling(aspect: AspectResult) -> str:
    """Return why the ranking lacks people's own figure; "" if it has it."""
    if aspect.ranking is None or any(place.people for place in aspect.ranking.places):
        return ""
    figure: Estimate | None = getattr(aspect.ceiling, aspect.ranking.by, None)
    why = why_not(figure) if figure is not None else "no item has labels from two annotators"
    return f" There is no human ceiling: {why}."


def _items(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = [
        (
            one.metric,
            one.items.pearson.n,
            *form.cells(one.items.pearson, one.items.spearman, one.items.kendall),
            joined(_missing(one), why_not(one.items.pearson)),
        )
        for one in aspect.metrics
    ]
    what = "points, one a label" if aspect.pairs else "items"
    names = ("Pearson", "Spearman", "Kendall tau-b")
    columns = ("metric", "n", *form.columns(*names), "remarks")
    kind = "Pairs" if aspect.pairs else "Items"
    people = f"labels: {aspect.labels}; annotators: {aspect.annotators}"
    caption = f"{kind}: {aspect.n}; questions: {aspect.questions}; {people}."
    return Table(f"{aspect_name(aspect)}: over {what}", columns, tuple(rows), caption, form.intervals(*names))


def _decisions(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        got = one.decisions
        if got is not None:
            split = (
                f"{got.split} {'item' if got.split == 1 else 'items'} on which people are split" if got.split else ""
            )
            counted = f"{got.filled} unmeasured counted" if got.filled else ""
            figures = form.cells(got.agreement, got.kappa, got.f1, got.macro_f1, got.balanced_accuracy, got.auroc)
            rows.append(
                (one.metric, got.n, *figures, joined(str(got.rule), split, counted, _missing(one), why_not(got.auroc)))
            )
    names = ("agreement", "kappa", "F1", "macro F1", "balanced accuracy", "AUROC")
    columns = ("metric", "n", *form.columns(*names), "remarks")
    return Table(f"{aspect_name(aspect)}: decisions", columns, tuple(rows), intervals=form.intervals(*names))


def _grades(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = [
        (
            one.metric,
            one.grades.n,
            *form.cells(one.grades.agreement, one.grades.linear_kappa, one.grades.quadratic_kappa, one.grades.macro_f1),
            why_not(one.grades.quadratic_kappa),
        )
        for one in aspect.metrics
        if one.grades is not None
    ]
    names = ("same grade", "kappa, linear", "kappa, quadratic", "macro F1")
    columns = ("metric", "n", *form.columns(*names), "remarks")
    caption = "Both rounded to whole grades, halves away from 0."
    return Table(f"{aspect_name(aspect)}: grades", columns, tuple(rows), caption, form.intervals(*names))


def _preferences(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        got = one.preferences
        if got is not None:
            counted = f"{got.filled} unmeasured counted" if got.filled else ""
            figures = form.cells(got.accuracy, got.kappa, got.macro_f1)
            remarks = joined(counted, _missing(one), why_not(got.accuracy))
            rows.append((one.metric, got.n, *figures, got.right, got.tied, got.wrong, remarks))
    names = ("accuracy", "kappa", "macro F1")
    columns = (
        "metric",
        "pairs",
        *form.columns(*names),
        "right",
        "tied",
        "wrong",
        "remarks",
    )
    caption = "First, tie or second, against the majority of annotators. Right, tied, wrong: where people prefer one."
    return Table(f"{aspect_name(aspect)}: who is preferred", columns, tuple(rows), caption, form.intervals(*names))


def _orders(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        got = one.preferences.orders if one.preferences else None
        if got is not None:
            figures = form.cells(got.consistent, got.accuracy, got.first)
            rows.append((one.metric, got.consistent.n, *figures, why_not(got.consistent)))
    names = ("consistent", "mean accuracy", "for the answer shown first")
    columns = ("metric", "pairs", *form.columns(*names), "remarks")
    caption = (
        "Pairs judged in both orders of the two answers. In all other tables they are one verdict, a tie where the "
        "orders differ. Mean accuracy: of the two orders, each against people. Shown first: 0.5 is no preference."
    )
    return Table(f"{aspect_name(aspect)}: a judge's two orders", columns, tuple(rows), caption, form.intervals(*names))


def _bias(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = [
        (one.metric, *form.cells(one.bias.overall), one.bias.overall.n, why_not(one.bias.overall))
        for one in aspect.metrics
        if one.bias is not None
    ]
    columns = ("metric", *form.columns("metric - people"), "n", "remarks")
    caption = "Above 0: the metric is kinder than people."
    return Table(f"{aspect_name(aspect)}: bias", columns, tuple(rows), caption, form.intervals("metric - people"))


def _bias_in_parts(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        for kind, parts in (("system", one.bias.systems), ("grade", one.bias.grades)) if one.bias else ():
            rows += [(one.metric, kind, str(name), *form.cells(part), part.n, why_not(part)) for name, part in parts]
    columns = ("metric", "by", "which", *form.columns("metric - people"), "n", "remarks")
    title = f"{aspect_name(aspect)}: bias by system and by human grade"
    return Table(title, columns, tuple(rows), intervals=form.intervals("metric - people"))


def _declined(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        by_both, by_metric = one.beside_declined.get("declined", 0), one.missing.get("declined", 0)
        if by_both or by_metric:
            graded = one.beside_declined.get("graded", 0)
            rows.append((one.metric, by_both, graded, by_metric, one.n))
    columns = ("metric", "by both", "by people only", "by the metric only", "graded by both")
    caption = (
        f"Answers that say that they do not know (grade 0). People call {aspect.declined} of "
        f"{aspect.declined + aspect.n} answers declined. Only answers graded by both enter the figures."
    )
    return Table(f"{aspect_name(aspect)}: declined answers", columns, tuple(rows), caption)


def _ceiling(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    measures: list[str] = []
    if aspect.ceiling is not None:
        top = aspect.ceiling
        measures = [name for name in _CEILINGS if name in _CEILINGS[:3] or getattr(top, name).value is not None]
        everyone: list[tuple[str, int, AnnotatorFigures | Ceiling]] = [("mean", top.pearson.n, top)]
        everyone += [(Name(one.annotator), one.n, one) for one in top.people]
        rows = [
            (who, n, *form.cells(*(getattr(of, name) for name in measures)), why_not(of.pearson))
            for who, n, of in everyone
        ]
    names = [_CEILING_NAMES.get(name, measure_name(name)) for name in measures]
    columns = ("annotator", "n", *form.columns(*names), "remarks")
    caption = "Each annotator against the mean of the others, on the items that have two: the human ceiling."
    if "agreement" in measures:
        caption += " Decisions: against the verdict of the others; where they are evenly split there is none."
    if "accuracy" in measures:
        caption += " Preferences: against what most of the others prefer."
    if "auroc" in measures and aspect.scale.unit:
        caption += " The AUROC of an annotator who says 0 or 1 is the balanced accuracy."
    return Table(f"{aspect_name(aspect)}: people against people", columns, tuple(rows), caption, form.intervals(*names))


_CEILINGS = (
    *("pearson", "spearman", "kendall", "agreement", "kappa", "f1", "macro_f1", "balanced_accuracy", "auroc"),
    *("linear_kappa", "quadratic_kappa", "accuracy"),
)
"""In the order of the columns; except for the correlations, those that no annotator has are left out."""
_CEILING_NAMES = {"linear_kappa": "kappa, linear", "quadratic_kappa": "kappa, quadratic"}
"""Names as in the tables of the metrics."""


def _confusions(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        rows += _cells(one.metric, one.decisions.confusion if one.decisions else None)
        rows += _cells(one.metric, one.grades.confusion if one.grades else None)
        rows += _cells(one.metric, one.preferences.confusion if one.preferences else None)
    caption = (
        "Of preferences: -1 the first, 1 the second, 2 no value where that counts as wrong." if aspect.pairs else ""
    )
    return Table(
        f"{aspect_name(aspect)}: who said what", ("metric", "people", "metric says", "n"), tuple(rows), caption
    )


def _cells(metric: str, table: Confusion | None) -> Iterable[Cells]:
    if table is not None:
        for value, row in zip(table.values, table.counts, strict=True):
            yield from ((metric, value, other, n) for other, n in zip(table.values, row, strict=True))


def _comparisons(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = [
        (
            one.first,
            one.second,
            one.difference,
            PValue.of(one.p_value),
            PValue.of(one.corrected),
            one.apart,
            one.williams.t if one.williams else None,
            PValue.of(one.williams.p_value) if one.williams else None,
            one.n,
            str(one.williams.reason or "") if one.williams else "",
        )
        for one in (aspect.ranking.comparisons if aspect.ranking else ())
    ]
    columns = (
        "first",
        "second",
        "first - second",
        "p",
        "p corrected",
        "apart",
        "Williams t",
        "Williams p",
        "n",
        "remarks",
    )
    return Table(f"{aspect_name(aspect)}: every two metrics", columns, tuple(rows))


def _pairing(found: MetaEvaluation) -> Table:
    rows: list[Cells] = []
    for aspect in found.aspects:
        for what, side in (("scored, no label", aspect.unlabelled), ("labelled, not scored", aspect.unmatched)):
            if side.n:
                rows.append((aspect_name(aspect), what, side.n, _examples(side)))
    return Table("Left out: items on one side only", ("aspect", "what", "n", "for example"), tuple(rows))


def _examples(side: Unpaired) -> str:
    return ", ".join(side.examples) + (" …" if side.n > len(side.examples) else "")


def _missing(one: MetricResult) -> str:
    return ", ".join(f"{n} {status}" for status, n in one.missing.items())
