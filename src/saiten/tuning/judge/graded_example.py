"""One answer with people's grade on one aspect."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from saiten.protocols import Task
from saiten.records import Label, Sample
from saiten.tasks.correctness import GradeAnswer
from saiten.trust.inputs.declining import grade_of


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

    @property
    def graded(self) -> bool:
        """Whether grade 0 means that the answer declines."""
        return isinstance(self.task, GradeAnswer)

    @property
    def declines(self) -> bool:
        """Whether people say that the answer declines."""
        return self.graded and self.value == 0


def graded_example(aspect: str, task: Task[Any], sample: Sample, labels: Sequence[Label]) -> GradedExample:
    """Return the example that annotators' grades of a sample make."""
    grades = [label.value for label in labels]
    value = grade_of(grades) if isinstance(task, GradeAnswer) else fmean(grades)
    question = " ".join(sample.question.split())  # so that white space cannot put a question on both sides of the split
    return GradedExample(sample.id, question, aspect, task, value, _reason(labels, value))


def _reason(labels: Sequence[Label], value: float) -> str:
    """Return the reason of the annotator nearest to the mean, among those who gave one."""
    given = [label for label in labels if label.reason.strip()]
    return min(given, key=lambda label: abs(label.value - value)).reason.strip() if given else ""
