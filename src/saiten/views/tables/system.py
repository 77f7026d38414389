"""Comparison of systems, and of answers to one question, as tables of a meta-evaluation."""

from saiten.choices import SystemsOver
from saiten.results.meta_evaluation import AspectResult
from saiten.results.metric_figures import Ordered
from saiten.trust.meta_evaluation.systems import FEWEST
from saiten.views.table import Name, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import aspect_name, easier, joined, why_not

_COUNTED = ("ties as half", "alike", "otherwise", "tied by the metric", "tied by people", "tied by both")
"""The columns after the share of pairs ordered alike."""


def too_few(aspect: AspectResult) -> str:
    """Return why systems cannot be compared, if the reason is the same for all metrics; otherwise ""."""
    levels = [one.systems for one in aspect.metrics if one.systems is not None]
    reasons = {level.kendall.reason for level in levels if len(level.systems) < FEWEST}
    return str(reasons.pop() or "") if len(reasons) == 1 and all(len(each.systems) < FEWEST for each in levels) else ""


def never_won(aspect: AspectResult) -> str:
    """Return why there are no wins although there are enough systems; "" if there are, and for preferences."""
    found = [one.wins.ordered for one in aspect.metrics if one.wins is not None]
    known = any(figure.value is not None for figure in found)
    return "" if known or not found or too_few(aspect) else str(found[0].reason or "")


def means_table(aspect: AspectResult, form: IntervalColumns) -> Table:
    """Return each system's mean by people, and by each metric over the items with both values."""
    metrics = [one for one in aspect.metrics if one.systems is not None]
    rows: list[Cells] = []
    for system, people in aspect.by_system:
        means = [
            dict(zip(one.systems.systems, one.systems.metric, strict=True)).get(system)
            for one in metrics
            if one.systems is not None
        ]
        rows.append((Name(system), people.n, people.mean, *form.ends(people.low, people.high), *means))
    columns = ("system", "n", *form.columns("people"), *(Name(one.metric) for one in metrics))
    caption = (
        "People: the third decision on an answer, else the mean over its annotators; n: answers with a label. Metrics: "
        "over those of them that the metric measured. 95 % interval: bootstrap over questions."
    )
    return Table(f"{aspect_name(aspect)}: means by system", columns, tuple(rows), caption, form.intervals("people"))


def systems_table(aspect: AspectResult, form: IntervalColumns, *, over: SystemsOver) -> Table:
    """Return the correlations of systems' means, and the pairs of systems ordered by them."""
    rows: list[Cells] = []
    for one in () if too_few(aspect) else aspect.metrics:
        level = one.systems
        if level is not None:
            rows.append(
                (
                    one.metric,
                    len(level.systems),
                    *form.cells(level.kendall, level.spearman, level.pearson, level.pairs.ordered),
                    *_counted(level.pairs),
                    joined(why_not(level.kendall), why_not(level.pairs.ordered), easier(one)),
                )
            )
    names = ("Kendall tau-b", "Spearman", "Pearson", "pairs ordered alike")
    columns = ("metric", "systems", *form.columns(*names), *_COUNTED, "remarks")
    means = {
        "common": "Means over the items that have both.",
        "all": "Means of the metric over what it measured, of people over all that they rated.",
    }[over]
    caption = f"{means} A pair that only one side ties is not ordered alike; in the next column it counts half."
    return Table(f"{aspect_name(aspect)}: over systems", columns, tuple(rows), caption, form.intervals(*names))


def never_within(aspect: AspectResult) -> str:
    """Return why no metric has a correlation within questions; "" if one has, and for preferences."""
    levels = [one.questions for one in aspect.metrics if one.questions is not None]
    known = any(level.pearson.value is not None for level in levels)
    return "" if known or not levels else str(levels[0].pearson.reason or "")


def _counted(pairs: Ordered) -> Cells:
    return (
        pairs.credited.value,
        pairs.agree,
        pairs.disagree,
        pairs.tied_metric,
        pairs.tied_people,
        pairs.tied_both,
    )


def wins_table(aspect: AspectResult, form: IntervalColumns) -> Table:
    """Return the pairs of systems by the questions that each wins."""
    rows: list[Cells] = []
    for one in aspect.metrics:
        if one.wins is not None and one.wins.ordered.n and one.wins.ordered.value is not None:
            unmet = f"{one.wins.unmet} pairs without a common question" if one.wins.unmet else ""
            figures = form.cells(one.wins.ordered)
            remarks = joined(unmet, why_not(one.wins.ordered), easier(one))
            rows.append((one.metric, one.wins.ordered.n, *figures, *_counted(one.wins), remarks))
    names = ("pairs ordered alike",)
    columns = ("metric", "pairs", *form.columns(*names), *_COUNTED, "remarks")
    caption = (
        "One system is above another if it wins more than half of the questions that both answered (equal values: half "
        "a win). A pair that only one side ties is not ordered alike; in the next column it counts half."
    )
    return Table(
        f"{aspect_name(aspect)}: pairs of systems by wins", columns, tuple(rows), caption, form.intervals(*names)
    )


def within_table(aspect: AspectResult, form: IntervalColumns) -> Table:
    """Return the correlations over the answers to one question, averaged over questions."""
    rows: list[Cells] = []
    for one in aspect.metrics:
        level = one.questions
        if level is not None and level.pearson.value is not None:
            left = level.questions - level.pearson.n
            without = f"{left} questions without a correlation" if left else ""
            figures = form.cells(level.pearson, level.spearman, level.kendall)
            rows.append((one.metric, level.pearson.n, *figures, joined(without, why_not(level.pearson))))
    names = ("Pearson", "Spearman", "Kendall tau-b")
    columns = ("metric", "questions", *form.columns(*names), "remarks")
    caption = (
        "The mean over questions of the correlation over the answers to each (summary level). A question needs three "
        "answers that both sides measured, and different values on both sides."
    )
    return Table(f"{aspect_name(aspect)}: within questions", columns, tuple(rows), caption, form.intervals(*names))
