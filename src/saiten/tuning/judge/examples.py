"""Examples: what people graded, as tasks that a judge performs, with the grade that it should give."""

from dataclasses import dataclass
from typing import Any

from saiten.protocols import Task
from saiten.tasks.correctness import GradeAnswer


@dataclass(frozen=True, slots=True)
class Example:
    """One answer, one aspect, and what people said."""

    item: str
    """The sample's id."""
    question: str
    """What is split by: all examples of a question are learned from, or none."""
    aspect: str
    """As in the labels."""
    task: Task[Any]
    """What the judge is asked, with the very prompt that metrics use."""
    value: float
    """The mean over annotators; 0 of graded correctness where most of them say that the answer declines."""
    reason: str = ""
    """An annotator's, where one was written down."""

    @property
    def graded(self) -> bool:
        """Whether 0 is the grade that says that the answer declines."""
        return isinstance(self.task, GradeAnswer)

    @property
    def declines(self) -> bool:
        """Whether people say that the answer declines."""
        return self.graded and self.value == 0
