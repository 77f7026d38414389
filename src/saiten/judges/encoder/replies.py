"""Conversion of a prediction to a task's reply: clipped to the scale, without an invented reason."""

from collections.abc import Sequence
from typing import Any

from saiten.protocols import Reply, Task
from saiten.records import Language
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.correctness import Decision, Grade, GradeAnswer

DIGITS = 4
"""Decimals kept, since a batch's composition changes the ones after."""


def reply_of(task: Task[Any], predicted: float, values: Sequence[int], left_out: str) -> Reply:
    """Return the reply; `left_out` describes the unread part of the texts, empty if all was read."""
    if isinstance(task, GradeAnswer):
        values = [value for value in values if value > 0]  # a regression cannot say that an answer declines
    figure = round(min(max(predicted, values[0]), values[-1]), DIGITS)
    said = _said(task.language, round(predicted, DIGITS), figure, left_out)
    nearest = min(values, key=lambda value: (abs(value - figure), value))
    if isinstance(task, RateAspect):
        return Rating(reason=said, grade=nearest, exact=figure)
    if isinstance(task, GradeAnswer):
        return Grade(feedback=said, grade=nearest, mean=figure)
    return Decision(explanation=said, correct=figure > 0.5, p=figure)


def _said(language: Language, predicted: float, figure: float, left_out: str) -> str:
    """Explain in the task's language; the unread part, which is about tokens, stays in English."""
    if language == "ja":
        clipped = "" if predicted == figure else f"（予測値{predicted:g}を尺度の端に丸めた）"
        return f"回帰による予測値{figure:g}{clipped}。理由は示されない。" + (
            f" Not read: {left_out}." if left_out else ""
        )
    clipped = "" if predicted == figure else f" (predicted {predicted:g}, clipped to the end of the scale)"
    return f"A regression predicts {figure:g}{clipped}; it gives no reason." + (
        f" Not all was read: {left_out}." if left_out else ""
    )
