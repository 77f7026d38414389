"""A meta-evaluation as tables: the ranking first, then its details, then omissions."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial

from saiten.results.aspect_result import AspectResult
from saiten.results.ceiling import PeopleFigures
from saiten.results.figure import counted
from saiten.results.meta_evaluation import MetaEvaluation
from saiten.results.metric_figures import Confusion
from saiten.results.ranking import PairwiseTest, RankedMetric
from saiten.stats.dependent_correlations import WilliamsTest
from saiten.stats.estimate import Estimate
from saiten.trust.meta_evaluation.ranking import RECOUNTED
from saiten.views.table import Cell, Name, PValue, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import (
    CORRELATIONS,
    aspect_name,
    aspect_table,
    counted_if,
    distinct,
    easier,
    left_out_table,
    measure_name,
    why_not,
)
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
from saiten.words import Message


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
    notes = tuple((note,) for note in dict.fromkeys(_notes(found)))
    tables += [_pairing(found), Table(Message("title", "notes"), ("note",), notes)]
    return [table for table in tables if table.rows]


def _notes(found: MetaEvaluation) -> Iterator[Message]:
    yield from found.notes
    for aspect in found.aspects:
        yield from (_about(aspect, note) for note in aspect.notes)
    for key, why_none in (("within_questions", never_within), ("by_wins", never_won), ("over_systems", too_few)):
        for aspect in found.aspects:
            if why := why_none(aspect):
                yield _about(aspect, Message("note", key, why=why))


def _about(aspect: AspectResult, note: Message) -> Message:
    return Message("note", "about", aspect=aspect_name(aspect), note=note)


def _ranking(aspect: AspectResult, form: IntervalColumns) -> Table:
    ranking = aspect.ranking
    if ranking is None:
        return Table("", (), ())
    # If unmeasured items are counted, nothing is left out.
    sets = {one.metric: easier(one) for one in aspect.metrics}
    lacks = {one.metric: counted(one.missing) for one in aspect.metrics}

    def row(place: RankedMetric) -> Cells:
        figure, metric = place.figure, place.metric
        remarks = distinct(
            why_not(figure),
            lacks.get(metric) if figure.value is None else None,
            sets.get(metric) if figure.n < aspect.n else None,
        )
        name = Message("cell", "people") if place.people else metric
        return (place.rank, place.letters, name, *form.cells(figure), figure.n, remarks)

    measure = measure_name(ranking.by)
    return Table(
        Message("title", "ranking", aspect=aspect_name(aspect), measure=measure),
        ("rank", "letters", "metric", *form.columns(measure), "n", "remarks"),
        tuple(map(row, ranking.places)),
        tuple(_ranking_captions(aspect, "bootstrap" if ranking.by in RECOUNTED else "swap")),
        form.intervals(measure),
    )


def _ranking_captions(aspect: AspectResult, test: str) -> Iterator[Message]:
    """Yield how to read the ranking, and why it lacks people's own figure."""
    yield Message("caption", f"ranking_by_{test}")
    if aspect.ranking is not None and not any(place.people for place in aspect.ranking.places):
        figure: Estimate | None = getattr(aspect.ceiling, aspect.ranking.by, None)
        why = why_not(figure) if figure is not None else Message("remark", "no_two_labels")
        yield Message("caption", "no_ceiling", why=why)


def _items(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows = [
        (
            one.metric,
            one.items.pearson.n,
            *form.cells(one.items.pearson, one.items.spearman, one.items.kendall),
            distinct(counted(one.missing), why_not(one.items.pearson)),
        )
        for one in aspect.metrics
    ]
    caption = Message(
        "caption",
        "pairs_compared" if aspect.pairs else "items_compared",
        n=aspect.n,
        questions=aspect.questions,
        labels=aspect.labels,
        annotators=aspect.annotators,
    )
    title = "over_points" if aspect.pairs else "over_items"
    return aspect_table(aspect, title, rows, CORRELATIONS, form, captions=[caption])


def _decisions(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        if (got := one.decisions) is not None:
            figures = form.cells(got.agreement, got.kappa, got.f1, got.macro_f1, got.balanced_accuracy, got.auroc)
            split, filled = counted_if("split_items", got.split), counted_if("unmeasured_counted", got.filled)
            remarks = distinct(got.rule, split, filled, counted(one.missing), why_not(got.auroc))
            rows.append((one.metric, got.n, *figures, remarks))
    names = ("agreement", "kappa", "f1", "macro_f1", "balanced_accuracy", "auroc")
    return aspect_table(aspect, "decisions", rows, names, form)


def _grades(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        if (got := one.grades) is not None:
            figures = form.cells(got.agreement, got.linear_kappa, got.quadratic_kappa, got.macro_f1)
            rows.append((one.metric, got.n, *figures, why_not(got.quadratic_kappa)))
    names = ("same_grade", "kappa_linear", "kappa_quadratic", "macro_f1")
    return aspect_table(aspect, "grades", rows, names, form, captions=["grades"])


def _preferences(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        if (got := one.preferences) is not None:
            figures = form.cells(got.accuracy, got.kappa, got.macro_f1)
            filled = counted_if("unmeasured_counted", got.filled)
            remarks = distinct(filled, counted(one.missing), why_not(got.accuracy))
            rows.append((one.metric, got.n, *figures, got.right, got.tied, got.wrong, remarks))
    names, before = ("accuracy", "kappa", "macro_f1"), ("metric", "pairs")
    after = ("right", "tied", "wrong", "remarks")
    return aspect_table(aspect, "preferences", rows, names, form, before=before, after=after, captions=["preferences"])


def _orders(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows = [
        (one.metric, got.consistent.n, *form.cells(got.consistent, got.accuracy, got.first), why_not(got.consistent))
        for one in aspect.metrics
        if one.preferences and (got := one.preferences.orders) is not None
    ]
    names = ("consistent", "mean_accuracy", "shown_first")
    return aspect_table(aspect, "orders", rows, names, form, before=("metric", "pairs"), captions=["orders"])


def _bias(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows = [
        (one.metric, *form.cells(one.bias.overall), one.bias.overall.n, why_not(one.bias.overall))
        for one in aspect.metrics
        if one.bias is not None
    ]
    names, after = ("metric_minus_people",), ("n", "remarks")
    return aspect_table(aspect, "bias", rows, names, form, before=("metric",), after=after, captions=["bias"])


def _bias_in_parts(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        for kind, parts in (("system", one.bias.systems), ("grade", one.bias.grades)) if one.bias else ():
            by = Message("cell", kind)
            rows += [(one.metric, by, name, *form.cells(part), part.n, why_not(part)) for name, part in parts]
    names, before, after = ("metric_minus_people",), ("metric", "by", "which"), ("n", "remarks")
    return aspect_table(aspect, "bias_in_parts", rows, names, form, before=before, after=after)


def _declined(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        by_both, by_metric = one.beside_declined.get("declined", 0), one.missing.get("declined", 0)
        if by_both or by_metric:
            rows.append((one.metric, by_both, one.beside_declined.get("graded", 0), by_metric, one.n))
    before = ("metric", "by_both", "by_people_only", "by_metric_only", "graded_by_both")
    caption = Message("caption", "declined", n=aspect.declined, of=aspect.declined + aspect.n)
    return aspect_table(aspect, "declined", rows, before=before, after=(), captions=[caption])


_RENAMED = {"kendall": "kendall_tau_b", "linear_kappa": "kappa_linear", "quadratic_kappa": "kappa_quadratic"}
"""The columns that are not named like their figure."""


def _ceiling(aspect: AspectResult, form: IntervalColumns) -> Table:
    """Return the columns that any annotator has a figure for, and always those of correlations."""
    rows: list[Cells] = []
    columns: dict[str, str] = {}
    if (top := aspect.ceiling) is not None:
        columns = {
            each.name: column
            for each in fields(PeopleFigures)
            if (column := _RENAMED.get(each.name, each.name)) in CORRELATIONS
            or getattr(top, each.name).value is not None
        }
        everyone: list[tuple[Cell, int, PeopleFigures]] = [(Message("cell", "mean"), top.pearson.n, top)]
        everyone += [(Name(one.annotator), one.n, one) for one in top.people]
        rows = [
            (who, n, *form.cells(*(getattr(of, name) for name in columns)), why_not(of.pearson))
            for who, n, of in everyone
        ]
    captions = ["ceiling", *(f"ceiling_of_{kind}" for kind, name in _KINDS.items() if name in columns)]
    if "auroc" in columns and aspect.scale.unit:
        captions.append("ceiling_auroc")
    names, before = tuple(columns.values()), ("annotator", "n")
    return aspect_table(aspect, "ceiling", rows, names, form, before=before, captions=captions)


_KINDS = {"decisions": "agreement", "preferences": "accuracy"}


def _confusions(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows: list[Cells] = []
    for one in aspect.metrics:
        for figures in (one.decisions, one.grades, one.preferences):
            rows += _cells(one.metric, figures.confusion if figures else None)
    captions = ["confusions_of_preferences"] if aspect.pairs else []
    before = ("metric", "people", "metric_says", "n")
    return aspect_table(aspect, "confusions", rows, before=before, after=(), captions=captions)


def _cells(metric: str, table: Confusion | None) -> Iterator[Cells]:
    if table is not None:
        for value, row in zip(table.values, table.counts, strict=True):
            yield from ((metric, value, other, n) for other, n in zip(table.values, row, strict=True))


def _comparisons(aspect: AspectResult, form: IntervalColumns) -> Table:
    rows = map(_compared, aspect.ranking.comparisons if aspect.ranking else ())
    p_values, williams = ("p_value", "p_corrected"), ("williams_t", "williams_p")
    before = ("first", "second", "first_minus_second", *p_values, "apart", *williams, "n")
    return aspect_table(aspect, "metric_pairs", rows, before=before)


def _compared(one: PairwiseTest) -> Cells:
    test = one.williams or WilliamsTest(None, None, 0)
    p_values, williams = (PValue.of(one.p_value), PValue.of(one.corrected)), (test.t, PValue.of(test.p_value))
    return (one.first, one.second, one.difference, *p_values, one.apart, *williams, one.n, test.reason or "")


def _pairing(found: MetaEvaluation) -> Table:
    sides = (
        (aspect_name(aspect), what, side)
        for aspect in found.aspects
        for what, side in (("scored_no_label", aspect.unlabeled), ("labeled_not_scored", aspect.unmatched))
    )
    return left_out_table("aspect", sides)
