"""What an encoder reads of a task: the answer, and beside it the question and what the task has to hold it against."""

from dataclasses import dataclass
from typing import Any

from saiten.protocols import Task
from saiten.tasks.aspects import RateAspect
from saiten.tasks.correctness import DecideCorrect, GradeAnswer


@dataclass(frozen=True, slots=True)
class Texts:
    """Equal for all aspects of one answer, so that the encoder reads it once for all of them."""

    beside: str
    """The question; where the task has them then the references, then evidence or contexts."""
    answer: str

    def __len__(self) -> int:
        """In characters."""
        return len(self.beside) + len(self.answer)


@dataclass(frozen=True, slots=True)
class Learnable:
    """A task, as far as an encoder can learn it."""

    task: str
    """As `saiten-judge.json` names it. The form in which a model would write its reply is no matter."""
    aspect: str | None
    """None for a task that asks for one thing only."""
    values: tuple[int, ...]
    """The scale, rising."""
    texts: Texts


GRADES = (0, 1, 2, 3, 4, 5)
"""Of `correctness`. 0 is never predicted: that an answer declines is no point on the way from 1 to 5."""


def learnable(task: Task[Any]) -> Learnable | None:
    """The task as an encoder sees it; None for one that asks for no grade of an answer."""
    match task:
        case RateAspect():
            return Learnable("rate_aspect", task.aspect, task.values, Texts(task.question, task.answer))
        case GradeAnswer():
            beside = _joined(task.question, *task.references, *task.evidence)
            return Learnable("grade_answer", None, GRADES, Texts(beside, task.answer))
        case DecideCorrect():
            beside = _joined(task.question, *task.references, *(task.contexts or ()))
            grounded = "" if task.contexts is None else "_grounded"
            return Learnable(f"decide_correct{grounded}", None, (0, 1), Texts(beside, task.answer))
    return None


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text.strip())
