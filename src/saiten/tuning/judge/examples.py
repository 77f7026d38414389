"""Examples: answers graded by people, as tasks of a judge with the right grade."""

from dataclasses import dataclass
from typing import Any

from saiten.protocols import Task
from saiten.tasks.correctness import GradeAnswer


@dataclass(frozen=True, slots=True)
class GradedExample:
    """One answer, one aspect, and people's grade."""

    item: str
    """The sample's id."""
    question: str
    """The unit of splitting: all examples of a question are used for training, or none."""
    aspect: str
    """As in the labels."""
    task: Task[Any]
    """The judge's task, with the same prompt as in metrics."""
    value: float
    """The mean over annotators; 0 of graded correctness if most of them say that the answer declines."""
    reason: str = ""
    """An annotator's reason, if one was given."""

    @property
    def graded(self) -> bool:
        """Whether grade 0 means that the answer declines."""
        return isinstance(self.task, GradeAnswer)

    @property
    def declines(self) -> bool:
        """Whether people say that the answer declines."""
        return self.graded and self.value == 0
