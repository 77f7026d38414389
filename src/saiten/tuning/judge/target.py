"""The reply that a causal model learns to write: a reason, and people's grade."""

import json
from collections.abc import Sequence
from typing import Any

from saiten.judges.reading import read_reply
from saiten.protocols import Reply, Task
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.correctness import Decision, GradeAnswer, GroundedDecision


def nearest(value: float, values: Sequence[int]) -> int:
    """Return the nearest grade of the scale; of two equally near the even one, else the lower.

    A tie among verdicts is therefore a no, as in a panel's votes.
    """
    return min(values, key=lambda grade: (abs(grade - value), grade % 2, grade))


def scale_of(task: Task[Any]) -> tuple[int, ...]:
    """Return the grades that a reply to the task can give."""
    if isinstance(task, RateAspect):
        return task.values
    return (0, 1, 2, 3, 4, 5) if isinstance(task, GradeAnswer) else (0, 1)


def target(task: Task[Any], value: float, reason: str = "") -> str:
    """Return the reply, with the reason first and the grade nearest to the value.

    A reason that the reader could not read back (such as an ellipsis) is left out, since the grade is what matters.
    Without a reason the field is empty, as the schema requires; a model trained on such replies writes none, and is
    faster.
    """
    grade = nearest(value, scale_of(task))
    whole = _written(task, grade, reason)
    return whole if reason and _grade_read(task, whole) == grade else _written(task, grade, "")


def _written(task: Task[Any], grade: int, reason: str) -> str:
    kind = task.reply
    if issubclass(kind, Decision):
        supported = {"supported": bool(grade)} if issubclass(kind, GroundedDecision) else {}
        return json.dumps({"explanation": reason, "correct": bool(grade), **supported}, ensure_ascii=False)
    return json.dumps({"reason" if kind is Rating else "feedback": reason, "grade": grade}, ensure_ascii=False)


def _grade_read(task: Task[Any], text: str) -> int | None:
    """Return the grade that the judge reads from the text; None if it reads none."""
    try:
        reply: Reply = read_reply(task, text)
    except ValueError:
        return None
    return int(reply.holds) if isinstance(reply, Decision) else getattr(reply, "grade", None)
