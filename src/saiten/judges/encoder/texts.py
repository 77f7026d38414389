"""The texts an encoder reads: the answer, and the question with any references, evidence or contexts."""

from dataclasses import dataclass
from typing import Any

from saiten.protocols import Task
from saiten.tasks.aspects import RateAspect
from saiten.tasks.correctness import DecideCorrect, GradeAnswer


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
            return Learnable("rate_aspect", task.aspect, task.values, Texts(task.question, task.answer))
        case GradeAnswer():
            context = _joined(task.question, *task.references, *task.evidence)
            return Learnable("grade_answer", None, GRADES, Texts(context, task.answer))
        case DecideCorrect():
            context = _joined(task.question, *task.references, *(task.contexts or ()))
            grounded = "" if task.contexts is None else "_grounded"
            return Learnable(f"decide_correct{grounded}", None, (0, 1), Texts(context, task.answer))
    return None


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text.strip())
