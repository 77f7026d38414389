"""A task as an encoder sees it, the texts it reads and the scale, and its prediction as the task's reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from saiten.protocols import Reply, Task
from saiten.records import Language
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.correctness import DecideCorrect, DecideCorrectGrounded, Decision, Grade, GradeAnswer


@dataclass(frozen=True, slots=True)
class Texts:
    """The inputs for one answer, equal for all its aspects, so that the encoder reads them once."""

    context: str
    """The question, then references and evidence or contexts if the task has any."""
    answer: str

    def __len__(self) -> int:
        """Return the length in characters."""
        return len(self.context) + len(self.answer)


@dataclass(frozen=True, slots=True)
class Learnable:
    """A task in the form an encoder learns."""

    task: str
    """Its name in `saiten-judge.json`, regardless of the reply format."""
    aspect: str | None
    """None for tasks with a single grade."""
    values: tuple[int, ...]
    """The scale, ascending."""
    texts: Texts


GRADES = (0, 1, 2, 3, 4, 5)
"""The scale of `correctness`. 0 (declined) is never predicted, since it is not on the scale from 1 to 5."""


def learnable(task: Task[Any]) -> Learnable | None:
    """Convert the task for an encoder; None if it asks for no grade of an answer."""
    match task:
        case RateAspect():
            context = _joined(task.question, task.reference, *task.contexts)
            return Learnable("rate_aspect", task.aspect, task.values, Texts(context, task.answer))
        case GradeAnswer():
            context = _joined(task.question, *task.references, *task.parts, *task.evidence)
            return Learnable("grade_answer", None, GRADES, Texts(context, task.answer))
        case DecideCorrect():
            contexts = task.contexts if isinstance(task, DecideCorrectGrounded) else ()
            context = _joined(task.question, *task.references, *task.parts, *contexts)
            grounded = "_grounded" if isinstance(task, DecideCorrectGrounded) else ""
            return Learnable(f"decide_correct{grounded}", None, (0, 1), Texts(context, task.answer))
    return None


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text.strip())


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
        rest = f" Not read: {left_out}." if left_out else ""
        return f"回帰による予測値{figure:g}{clipped}。理由は示されない。{rest}"
    clipped = "" if predicted == figure else f" (predicted {predicted:g}, clipped to the end of the scale)"
    rest = f" Not all was read: {left_out}." if left_out else ""
    return f"A regression predicts {figure:g}{clipped}; it gives no reason.{rest}"
