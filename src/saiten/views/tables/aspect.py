"""Aspects as tables: grades by system, preference with grades, judge minus people, learned weights."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

from saiten.metrics.catalog import known_metric
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.metrics.judged.direct import Direct
from saiten.metrics.judged.mate import Mate
from saiten.metrics.rubrics import read_rubric
from saiten.metrics.rubrics.weights import Learned, Weights
from saiten.records import Label, Scored
from saiten.results.meta_evaluation import MetaEvaluation
from saiten.results.place import Place
from saiten.trust.meta_evaluation.aspect_grades import AspectGrades, grades_by_system, is_aspect_metric
from saiten.trust.meta_evaluation.preferred import preferred_and_top
from saiten.views.table import Cell, Interval, Name, Table
from saiten.views.tables.interval_columns import IntervalColumns
from saiten.views.tables.meta_cells import counted_if
from saiten.words import Message, joined

_ENDS = ("ci_low", "ci_high")
_FORM = IntervalColumns(numbers=True)


def has_aspects(metrics: Iterable[str]) -> bool:
    """Return whether one of the metrics grades an aspect."""
    return any(is_aspect_metric(metric) for metric in metrics)


def aspect_tables(scored: Iterable[Scored], items: Mapping[str, Place]) -> list[Table]:
    """Return grade counts by aspect and system, with the share of the best; empty without such scores."""
    every = grades_by_system(scored, items)
    if len({one.system for one in every}) > 100:  # too many to break down
        every = tuple(one for one in every if one.system is None)
    if not every:
        return []
    return [
        Table(
            Message("title", "grades_by_aspect"),
            ("aspect", "system", "grade_counts", "n", "best_grade", "share_of_best", *_ENDS, "remarks"),
            tuple(_grades(one) for one in every),
            (Message("caption", "grades_by_aspect"),),
            (Interval("share_of_best", *_ENDS),),
        )
    ]


def _grades(one: AspectGrades) -> tuple[Cell, ...]:
    return (
        one.metric,
        Message("cell", "all") if one.system is None else Name(one.system),
        " · ".join(f"{grade}: {n}" for grade, n in one.counts.items()),
        one.top.n,
        one.best,
        *_FORM.cells(one.top),
        joined([counted_if("split_votes", one.split), counted_if("without_grade", one.without), one.top.note]),
    )


def preference_tables(
    labels: Sequence[Label], items: Mapping[str, Place], scored: Iterable[Scored] = ()
) -> list[Table]:
    """Return how often a system's answers were preferred and got the top grade; empty without preferences.

    The overall aspect is that of the `direct` scores, or else the shipped rubric's.
    """
    every = [one for one in grades_by_system(scored, items) if aspect_of_metric(one.metric) is None]
    rubric = read_rubric()
    overall, best = rubric.overall or "", float(rubric.aspect(rubric.overall or "").best)
    if every:
        overall, best = every[0].aspect, float(every[0].best)
    judged = {one.system: one.top.value for one in every if one.metric == every[0].metric}
    found = preferred_and_top(labels, items, overall=overall, best=best)
    if not found:
        return []
    tops = ("top_by_people", "top_of_preferred", "top_by_judge")
    columns = ("system", "questions", "preferred_in", "tied_in", "comparisons", "graded_answers", *tops)
    rows = tuple((*astuple(one), judged.get(one.system)) for one in found)
    caption = Message("caption", "preference_and_grades", aspect=overall, best=best)
    return [Table(Message("title", "preference_and_grades"), columns, rows, (caption,))]


def aspect_bias_tables(found: MetaEvaluation) -> list[Table]:
    """Return judge minus people for each metric on its aspect; empty if labels and metrics share no aspect."""
    rows: list[tuple[Cell, ...]] = []
    for aspect in found.aspects:
        for one in aspect.metrics:
            if one.bias is not None and _about(one.made.metric) == aspect.aspect:
                overall = one.bias.overall
                remarks = joined((overall.reason, overall.note))
                rows.append((aspect.aspect, one.metric, *_FORM.cells(overall), overall.n, remarks))
    if not rows:
        return []
    return [
        Table(
            Message("title", "bias_by_aspect"),
            ("aspect", "metric", "judge_minus_people", *_ENDS, "n", "remarks"),
            tuple(rows),
            (Message("caption", "bias_by_aspect"),),
            (Interval("judge_minus_people", *_ENDS),),
        )
    ]


def _about(metric: str) -> str | None:
    """Return the metric's aspect; None if it has none, or its rubric is gone."""
    if (aspect := aspect_of_metric(metric)) is not None:
        return aspect
    if not metric.startswith((Direct.title, Mate.title)):
        return None
    made = known_metric(metric)
    if isinstance(made, Direct):
        return made.overall.name
    return made.weighing.target if isinstance(made, Mate) else None


def weight_tables(weights: Weights, notes: Sequence[str | Message] = ()) -> list[Table]:
    """Return the weights with their intervals, and the data that they were learned from."""
    rows: list[tuple[Cell, ...]] = [
        (one.name, one.weight, one.low, one.high, one.best, one.span) for one in weights.aspects
    ]
    constant: str | Message = ""
    if weights.intercept or weights.intercept_low is not None:
        constant = Message("caption", "plus_intercept")
        ends = (weights.intercept_low, weights.intercept_high)
        rows.append((Message("cell", "intercept"), weights.intercept, *ends, None, None))
    formula = Message("caption", f"sum_of_{weights.features}", target=weights.target, best=weights.best, plus=constant)
    tables = [
        Table(
            Message("title", "weights"),
            ("aspect", "weight", *_ENDS, "best", "span"),
            tuple(rows),
            (formula, Message("caption", "interval_over_questions")),
            (Interval("weight", *_ENDS),),
        )
    ]
    if weights.learned is not None:
        tables.append(_held_out(weights.learned))
    tables.append(Table(Message("title", "notes"), ("note",), tuple((note,) for note in notes)))
    return [table for table in tables if table.rows]


def _held_out(learned: Learned) -> Table:
    row: tuple[Cell, ...] = (
        Message("column", "pearson"),
        learned.pearson,
        learned.pearson_low,
        learned.pearson_high,
        learned.held_out_items,
        learned.held_out_questions,
    )
    caption = Message(
        "caption",
        "learned_weights",
        answers=learned.items,
        questions=learned.questions,
        source=learned.source,
        held_out=learned.held_out_items,
        others=learned.held_out_questions,
        fingerprint=learned.fingerprint,
        seed=learned.seed,
    )
    columns = ("on_held_out_questions", "figure", *_ENDS, "n", "questions")
    return Table(Message("title", "learned_weights"), columns, (row,), (caption,), (Interval("figure", *_ENDS),))
