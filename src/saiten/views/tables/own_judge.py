"""A user's tuned judge as a table: its grades compared with people's on held-out questions, and the baselines."""

from collections.abc import Sequence

from saiten.judges.tuned_figures import HeldOut, HeldOutAspect
from saiten.views.table import Cell, Interval, Table
from saiten.words import Message

_PEARSON = ("Pearson", "r from", "r to")
_BIAS = ("judge - people", "bias from", "bias to")
_MAE = ("MAE", "MAE from", "MAE to")

_CAPTION = (
    "On questions that were not learned from. MAE: the mean distance to people's mean grade; beside it what always "
    "saying the mean of the learned grades reaches. Above 0 the judge is too kind. 95 % interval: bootstrap over "
    "questions. A grade that could not be had is in no figure, only in its column."
)

_OVERALL = (
    "Pearson with people's overall grade: asked for at once (direct), and made of the judge's grades of the aspects "
    "(mate, with the published weights or those that people's grades of the learned questions give). All rows of a "
    "judge are over the same answers."
)


def own_judge_tables(found: Sequence[HeldOut], notes: Sequence[str] = ()) -> list[Table]:
    """Return the quality of each judge by aspect, judges one below the other; then the notes."""
    aspects = sorted({one.aspect for each in found for one in each.aspects})
    rows = tuple(
        _row(each.judge, one) for aspect in aspects for each in found for one in each.aspects if one.aspect == aspect
    )
    columns = (
        "aspect", "judge", "n", "questions", *_PEARSON, *_MAE, "MAE of the mean", *_BIAS,
        "unreadable", "failed", "remarks",
    )  # fmt: skip
    drawn = (Interval(*_PEARSON), Interval(*_BIAS))
    tables = [
        Table("On held-out questions", columns, rows, _CAPTION, drawn),
        _overall(found),
        Table("Notes", ("note",), tuple((note,) for note in notes)),
    ]
    return [table for table in tables if table.rows]


def _overall(found: Sequence[HeldOut]) -> Table:
    """Return the paper's table: the overall grade, requested directly and computed from aspects."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.name,
            one.target,
            each.judge,
            one.n,
            one.questions,
            one.pearson.value, one.pearson.low, one.pearson.high,
            _plain(one.pearson.reason or one.pearson.note or ""),
        )
        for each in found
        for one in each.scores
    )  # fmt: skip
    columns = ("score", "stands for", "judge", "n", "questions", *_PEARSON, "remarks")
    return Table("At once or by aspects, on held-out questions", columns, rows, _OVERALL, (Interval(*_PEARSON),))


def _row(judge: str, one: HeldOutAspect) -> tuple[Cell, ...]:
    figures = {"Pearson": one.pearson, "MAE": one.mae, "bias": one.bias}
    remarks = [
        f"{name}: {_plain(text)}" for name, each in figures.items() for text in (each.reason or each.note,) if text
    ]
    if one.declined:
        remarks.insert(0, f"{one.declined} declined (grade 0) by people or the judge, left out")
    return (
        one.aspect,
        judge,
        one.n,
        one.questions,
        one.pearson.value, one.pearson.low, one.pearson.high,
        one.mae.value, one.mae.low, one.mae.high,
        one.mae_of_mean.value,
        one.bias.value, one.bias.low, one.bias.high,
        one.unreadable,
        one.failed,
        "; ".join(dict.fromkeys(remarks)),
    )  # fmt: skip


def _plain(remark: str | Message) -> str:
    """Reword a remark for people, who do not see columns."""
    said = str(remark).replace("the first column is constant", "the judge always says the same")
    return said.replace("the second column is constant", "people always say the same")
