"""What a model should have replied: people's grade as a reply in JSON, which the judge's own reader reads back."""

import json
from collections.abc import Sequence
from typing import Any

from saiten.judges.reading import read_reply
from saiten.protocols import Reply, Task
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.correctness import Decision, GradeAnswer


def nearest(value: float, values: Sequence[int]) -> int:
    """The grade of the scale that is nearest; of two equally near the even one, else the lower.

    So a tie among verdicts is a no, as it is among a panel's votes.
    """
    return min(values, key=lambda grade: (abs(grade - value), grade % 2, grade))


def scale_of(task: Task[Any]) -> tuple[int, ...]:
    """The grades that a reply to the task can give."""
    if isinstance(task, RateAspect):
        return task.values
    return (0, 1, 2, 3, 4, 5) if isinstance(task, GradeAnswer) else (0, 1)


def target(task: Task[Any], value: float, reason: str = "") -> str:
    """The reply, the reason first, the grade nearest to the value.

    A reason that the reader would stumble over (it is made of an ellipsis, say) is left out: the grade is what is
    learned. Without a reason the field is there and empty, as the schema wants it; a model that learns from these
    writes none, and is the faster for it.
    """
    grade = nearest(value, scale_of(task))
    whole = _written(task, grade, reason)
    return whole if reason and _grade_read(task, whole) == grade else _written(task, grade, "")


def _written(task: Task[Any], grade: int, reason: str) -> str:
    kind = task.reply
    if kind is Decision:
        return json.dumps({"explanation": reason, "correct": bool(grade)}, ensure_ascii=False)
    return json.dumps({"reason" if kind is Rating else "feedback": reason, "grade": grade}, ensure_ascii=False)


def _grade_read(task: Task[Any], text: str) -> int | None:
    """The grade that the judge reads out of the text; None where it reads none."""
    try:
        reply: Reply = read_reply(task, text)
    except ValueError:
        return None
    return int(reply.correct) if isinstance(reply, Decision) else getattr(reply, "grade", None)
