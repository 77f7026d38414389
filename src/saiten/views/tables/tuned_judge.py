"""A tuned judge as a table: its grades compared with people's on held-out questions, and the baselines."""

from collections.abc import Sequence

from saiten.judges.held_out import HeldOut, HeldOutAspect
from saiten.views.table import Interval, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.meta_cells import counted_if, reworded
from saiten.words import Message, joined

_FORM = IntervalColumns(numbers=True)
_PEARSON = ("pearson", "pearson_ci_low", "pearson_ci_high")
_BIAS = ("judge_minus_people", "bias_ci_low", "bias_ci_high")
_MAE = ("mae", "mae_ci_low", "mae_ci_high")


def tuned_judge_tables(found: Sequence[HeldOut], notes: Sequence[str] = ()) -> list[Table]:
    """Return the quality of each judge by aspect, judges one below the other; then the notes."""
    aspects = sorted({one.aspect for each in found for one in each.aspects})
    rows = tuple(
        _row(each.judge, one) for aspect in aspects for each in found for one in each.aspects if one.aspect == aspect
    )
    columns = (
        "aspect", "judge", "n", "questions", *_PEARSON, *_MAE, "mae_of_mean", *_BIAS, "unreadable", "failed", "remarks",
    )  # fmt: skip
    captions = (Message("caption", "tuned_judge"),)
    tables = [
        Table(Message("title", "tuned_judge"), columns, rows, captions, (Interval(*_PEARSON), Interval(*_BIAS))),
        _overall(found),
        Table(Message("title", "notes"), ("note",), tuple((note,) for note in notes)),
    ]
    return [table for table in tables if table.rows]


def _overall(found: Sequence[HeldOut]) -> Table:
    """Return the paper's table: the overall grade, requested directly and computed from aspects."""
    rows: tuple[Cells, ...] = tuple(
        (one.name, one.target, each.judge, one.n, one.questions, *_FORM.cells(one.pearson), reworded(one.pearson) or "")
        for each in found
        for one in each.scores
    )
    columns = ("score", "stands_for", "judge", "n", "questions", *_PEARSON, "remarks")
    captions = (Message("caption", "tuned_judge_overall"),)
    return Table(Message("title", "tuned_judge_overall"), columns, rows, captions, (Interval(*_PEARSON),))


def _row(judge: str, one: HeldOutAspect) -> Cells:
    figures = {"pearson": one.pearson, "mae": one.mae, "bias": one.bias}
    remarks = [
        Message("remark", "of_figure", figure=Message("column", name), remark=remark)
        for name, each in figures.items()
        if (remark := reworded(each))
    ]
    said = joined([counted_if("declined_on_a_side", one.declined), *remarks])
    cells = (*_FORM.cells(one.pearson, one.mae), one.mae_of_mean.value, *_FORM.cells(one.bias))
    return (one.aspect, judge, one.n, one.questions, *cells, one.unreadable, one.failed, said)
