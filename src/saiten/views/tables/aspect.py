"""Aspects as tables: grades by system, preference with grades, judge minus people, learned weights."""

from collections.abc import Iterable, Mapping, Sequence

from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.metrics.judged.direct import Direct
from saiten.metrics.judged.mate import Mate
from saiten.metrics.rubrics import Weights, read_rubric
from saiten.records import Label, Scored
from saiten.results.meta_evaluation import MetaEvaluation
from saiten.trust.inputs.outputs import SampleInfo
from saiten.trust.meta_evaluation.aspect_grades import AspectGrades, grades_by_system, is_aspect_metric
from saiten.trust.meta_evaluation.preferred import Preferred, preferred_and_top
from saiten.views.table import Cell, Interval, Name, Table
from saiten.words import Message, joined

_ENDS = ("95 % from", "to")
_SYSTEMS_AT_MOST = 100
"""Maximum number of systems that are broken down."""


def has_aspects(metrics: Iterable[str]) -> bool:
    """Return whether one of the metrics grades an aspect."""
    return any(is_aspect_metric(metric) for metric in metrics)


def aspect_tables(scored: Iterable[Scored], items: Mapping[str, SampleInfo]) -> list[Table]:
    """Return grade counts by aspect and system, with the share of the best; empty without such scores."""
    every = grades_by_system(scored, items)
    if len({one.system for one in every}) > _SYSTEMS_AT_MOST:
        every = tuple(one for one in every if one.system is None)
    columns = ("aspect", "system", "grade: answers", "n", "best grade", "share with it", *_ENDS, "remarks")
    rows = tuple(_grades(one) for one in every)
    caption = (
        "Of several votes the grade nearest to their mean is counted, of two equally near the one farther from the "
        "best. Votes on both sides of the best grade are averaged by their distance from it; without a side to lean "
        "to they are split: no grade, and not the best. The share is of the answers with a grade or split votes; "
        "95 % interval: bootstrap over questions."
    )
    drawn = (Interval("share with it", *_ENDS),)
    return [Table("Grades by aspect", columns, rows, caption, drawn)] if rows else []


def _grades(one: AspectGrades) -> tuple[Cell, ...]:
    remarks = [
        f"{one.split} with split votes" if one.split else "",
        f"{one.without} without a grade" if one.without else "",
        str(one.top.note or ""),
    ]
    return (
        one.metric,
        "all" if one.system is None else Name(one.system),
        " · ".join(f"{grade}: {n}" for grade, n in one.counts.items()),
        one.top.n,
        one.best,
        one.top.mean,
        one.top.low,
        one.top.high,
        "; ".join(remark for remark in remarks if remark),
    )


def preference_tables(
    labels: Sequence[Label], items: Mapping[str, SampleInfo], scored: Iterable[Scored] = ()
) -> list[Table]:
    """Return how often a system's answers were preferred and got the top grade; empty without preferences.

    The overall aspect is that of the `direct` scores, or else the shipped rubric's.
    """
    every = [one for one in grades_by_system(scored, items) if aspect_of_metric(one.metric) is None]
    rubric = read_rubric()
    overall, best = rubric.overall or "", float(rubric.aspect(rubric.overall or "").best)
    if every:
        overall, best = every[0].aspect, float(every[0].best)
    judged = {one.system: one for one in every if one.metric == every[0].metric}
    found = preferred_and_top(labels, items, overall=overall, best=best)
    rows = tuple(_preferred(one, judged.get(one.system)) for one in found)
    columns = (
        "system",
        "questions",
        "preferred in",
        "tied in",
        "comparisons",
        "graded answers",
        "top grade by people",
        "of the preferred",
        "top grade by the judge",
    )
    caption = (
        "What is preferred need not be good: shares of the questions in which the system's answer is the one that most "
        "annotators prefer to all others, and of answers with the top grade of "
        f"{overall} ({best:g}); of the preferred: over the answers so preferred. Tied: no answer alone has most "
        "annotators. A third decision settles its question or grade. Comparisons: pairs times annotators."
    )
    return [Table("Preference against grades", columns, rows, caption)] if rows else []


def _preferred(one: Preferred, judged: AspectGrades | None) -> tuple[Cell, ...]:
    top = judged.top.mean if judged else None
    return (
        one.system,
        one.questions,
        one.preferred,
        one.tied,
        one.comparisons,
        one.answers,
        one.top,
        one.top_of_preferred,
        top,
    )


def aspect_bias_tables(found: MetaEvaluation) -> list[Table]:
    """Return judge minus people for each metric on its aspect; empty if labels and metrics share no aspect."""
    rows: list[tuple[Cell, ...]] = []
    for aspect in found.aspects:
        for one in aspect.metrics:
            if one.bias is not None and _about(one.made.metric) == aspect.aspect:
                overall = one.bias.overall
                remarks = joined((overall.reason, overall.note))
                rows.append((aspect.aspect, one.metric, overall.value, overall.low, overall.high, overall.n, remarks))
    caption = "Above 0 the judge grades higher than people do. 95 % interval: bootstrap over questions."
    columns = ("aspect", "metric", "judge - people", *_ENDS, "n", "remarks")
    drawn = (Interval("judge - people", *_ENDS),)
    return [Table("Bias by aspect", columns, tuple(rows), caption, drawn)] if rows else []


def _about(metric: str) -> str | None:
    """Return the metric's aspect; None if it has none, or its rubric is gone."""
    if (aspect := aspect_of_metric(metric)) is not None:
        return aspect
    if not metric.startswith((Direct.title, Mate.title)):
        return None
    try:
        made = make_metric(metric)
    except ConfigurationError:
        return None
    if isinstance(made, Direct):
        return made.overall.name
    return made.weighing.target if isinstance(made, Mate) else None


def weight_tables(weights: Weights, notes: Sequence[str | Message] = ()) -> list[Table]:
    """Return the weights with their intervals, and the data that they were learned from."""
    rows: list[tuple[Cell, ...]] = [
        (one.name, one.weight, one.low, one.high, one.best, one.span) for one in weights.aspects
    ]
    constant = ""
    if weights.intercept or weights.intercept_low is not None:
        constant = " + intercept"
        rows.append(("intercept", weights.intercept, weights.intercept_low, weights.intercept_high, None, None))
    if weights.features == "deductions":
        formula = f"{weights.best:g}{constant} + sum of weight x (-|grade - best| / span)"
        meaning = "A weight is what the worst grade costs. "
    else:
        formula, meaning = f"sum of weight x grade{constant}", ""
    caption = f"{weights.target} = {formula}. {meaning}95 % interval: bootstrap over questions."
    columns = ("aspect", "weight", *_ENDS, "best", "span")
    tables = [Table("Weights", columns, tuple(rows), caption, (Interval("weight", *_ENDS),))]
    if weights.learned is not None:
        tables.append(_held_out(weights))
    tables.append(Table("Notes", ("note",), tuple((note,) for note in notes)))
    return [table for table in tables if table.rows]


def _held_out(weights: Weights) -> Table:
    learned = weights.learned
    if learned is None:
        return Table("", (), ())
    row: tuple[Cell, ...] = (
        "Pearson",
        learned.pearson,
        learned.pearson_low,
        learned.pearson_high,
        learned.held_out_items,
        learned.held_out_questions,
    )
    caption = (
        f"Learned from {learned.items} answers to {learned.questions} questions, grades of the aspects by "
        f"{learned.source}; held against people on {learned.held_out_items} answers to {learned.held_out_questions} "
        f"other questions. Fingerprint {learned.fingerprint}, seed {learned.seed}."
    )
    columns = ("on held-out questions", "figure", *_ENDS, "n", "questions")
    return Table("What they are worth", columns, (row,), caption, (Interval("figure", *_ENDS),))
