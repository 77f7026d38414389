"""Comparison of systems, and of answers to one question, as tables of a meta-evaluation."""

from saiten.choices import SystemsOver
from saiten.results.aspect_result import AspectResult
from saiten.results.levels import Ordered
from saiten.trust.meta_evaluation.levels import FEWEST
from saiten.views.table import MetricName, Name, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import CORRELATIONS, aspect_table, counted_if, distinct, easier, why_not
from saiten.words import Message

_PAIRS = ("ties_as_half", "alike", "otherwise", "tied_by_metric", "tied_by_people", "tied_by_both", "remarks")
"""The columns after the share of pairs ordered alike."""


def too_few(aspect: AspectResult) -> Message | None:
    """Return why systems cannot be compared, if the reason is the same for all metrics; otherwise None."""
    levels = [one.systems for one in aspect.metrics if one.systems is not None]
    reasons = {level.kendall.reason for level in levels if len(level.systems) < FEWEST}
    return reasons.pop() if len(reasons) == 1 and all(len(each.systems) < FEWEST for each in levels) else None


def never_won(aspect: AspectResult) -> Message | None:
    """Return why there are no wins although there are enough systems; None if there are, and for preferences."""
    found = [one.wins.ordered for one in aspect.metrics if one.wins is not None]
    known = any(figure.value is not None for figure in found)
    return None if known or not found or too_few(aspect) else found[0].reason


def means_table(aspect: AspectResult, form: IntervalColumns) -> Table:
    """Return each system's mean by people, and by each metric over the items with both values."""
    levels = {one.metric: one.systems for one in aspect.metrics if one.systems is not None}
    means = [dict(zip(level.systems, level.metric, strict=True)) for level in levels.values()]
    rows: list[Cells] = [
        (Name(system), people.n, *form.cells(people), *(of.get(system) for of in means))
        for system, people in aspect.by_system
    ]
    title, before, after = "means_of_systems", ("system", "n"), tuple(map(MetricName, levels))
    return aspect_table(aspect, title, rows, ("people",), form, before=before, after=after, captions=[title])


def systems_table(aspect: AspectResult, form: IntervalColumns, *, over: SystemsOver) -> Table:
    """Return the correlations of systems' means, and the pairs of systems ordered by them."""
    rows: list[Cells] = []
    for one in () if too_few(aspect) else aspect.metrics:
        if (level := one.systems) is not None:
            figures = form.cells(level.kendall, level.spearman, level.pearson, level.pairs.ordered)
            remarks = distinct(why_not(level.kendall), why_not(level.pairs.ordered), easier(one))
            rows.append((one.metric, len(level.systems), *figures, *_counted(level.pairs), remarks))
    names = (*CORRELATIONS[::-1], "pairs_ordered_alike")
    before, captions = ("metric", "systems"), (f"means_over_{over}", "pairs_tied")
    return aspect_table(aspect, "over_systems", rows, names, form, before=before, after=_PAIRS, captions=captions)


def never_within(aspect: AspectResult) -> Message | None:
    """Return why no metric has a correlation within questions; None if one has, and for preferences."""
    levels = [one.questions for one in aspect.metrics if one.questions is not None]
    known = any(level.pearson.value is not None for level in levels)
    return None if known or not levels else levels[0].pearson.reason


def _counted(pairs: Ordered) -> Cells:
    tied = (pairs.tied_metric, pairs.tied_people, pairs.tied_both)
    return (pairs.credited.value, pairs.agree, pairs.disagree, *tied)


def wins_table(aspect: AspectResult, form: IntervalColumns) -> Table:
    """Return the pairs of systems by the questions that each wins."""
    rows: list[Cells] = []
    for one in aspect.metrics:
        if one.wins is not None and one.wins.ordered.n and one.wins.ordered.value is not None:
            remarks = distinct(counted_if("unmet_pairs", one.wins.unmet), why_not(one.wins.ordered), easier(one))
            rows.append((one.metric, one.wins.ordered.n, *form.cells(one.wins.ordered), *_counted(one.wins), remarks))
    names, before, captions = ("pairs_ordered_alike",), ("metric", "pairs"), ("wins", "pairs_tied")
    return aspect_table(aspect, "wins", rows, names, form, before=before, after=_PAIRS, captions=captions)


def within_table(aspect: AspectResult, form: IntervalColumns) -> Table:
    """Return the correlations over the answers to one question, averaged over questions."""
    rows: list[Cells] = []
    for one in aspect.metrics:
        level = one.questions
        if level is not None and level.pearson.value is not None:
            without = counted_if("questions_without_correlation", level.questions - level.pearson.n)
            figures = form.cells(level.pearson, level.spearman, level.kendall)
            rows.append((one.metric, level.pearson.n, *figures, distinct(without, why_not(level.pearson))))
    title, before = "within_questions", ("metric", "questions")
    return aspect_table(aspect, title, rows, CORRELATIONS, form, before=before, captions=[title])
