"""Which task a label answers: by the name of its aspect, the very task that a metric asks a judge to perform."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from saiten.errors import BadInput
from saiten.metrics.judged.accuracy import Accuracy
from saiten.metrics.judged.aspects import rating_task
from saiten.metrics.judged.correctness import Correctness
from saiten.metrics.rubrics import Aspect, Rubric
from saiten.protocols import Task
from saiten.records import Sample

CORRECTNESS = ("correctness", "grade")
"""Labels of 0 to 5: the task of the metric `correctness`."""
ACCURACY = ("correct", "accuracy")
"""Labels of 0 and 1: the task of the metric `accuracy`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An aspect, and how a judge is asked about it."""

    aspect: str
    """As in the labels."""
    prompt: str
    """Of the task: `rate_aspect`, `grade_answer`, `decide_correct`."""
    values: tuple[int, ...]
    """The grades of the scale, rising."""
    task: Callable[[Sample], Task[Any]]
    """What is asked about a sample."""
    with_reference: bool = False
    """Whether the task needs one."""
    rated: Aspect | None = None
    """The aspect of a rubric, where it is one."""

    def lacking(self, sample: Sample) -> str | None:
        """Why a metric would not ask about this sample; None where it would."""
        if not (sample.answer or "").strip():
            return "the answer is empty, and no judge is asked about those"
        if not sample.question.strip():
            return "the question is blank, and questions are what is held out"
        if self.with_reference and not sample.references:
            return "the sample has no reference, which the task needs"
        return None


def asked_about(there: Collection[str], rubric: Rubric, wanted: Sequence[str] = ()) -> tuple[Asked, ...]:
    """The aspects that are learned: those that were `wanted`, or all that are there; first the rubric is asked.

    Raises:
        BadInput: one is not there, is not known, or asks for the same as another.
    """
    names = tuple(dict.fromkeys(wanted)) or tuple(sorted(there))
    listed = ", ".join(repr(name) for name in sorted(there)) or "nothing that is a grade"
    if missing := [name for name in names if name not in there]:
        raise BadInput(f"there are no labels of {missing[0]!r}; there are labels of {listed}")
    if not names:
        raise BadInput("there are no grades among the labels, so nothing can be learned from them")
    found = tuple(_asked(name, rubric, listed) for name in names)
    for prompt, others in (("grade_answer", CORRECTNESS), ("decide_correct", ACCURACY)):
        same = [one.aspect for one in found if one.prompt == prompt]
        if len(same) > 1:
            raise BadInput(f"{' and '.join(others)} ask for one and the same thing; choose one of them with --aspect")
    return found


def _asked(name: str, rubric: Rubric, listed: str) -> Asked:
    if name in rubric.names:
        aspect = rubric.aspect(name)
        return Asked(name, "rate_aspect", aspect.values, partial(rating_task, aspect), rated=aspect)
    if name in CORRECTNESS:
        return Asked(name, "grade_answer", (0, 1, 2, 3, 4, 5), Correctness().task, with_reference=True)
    if name in ACCURACY:
        return Asked(name, "decide_correct", (0, 1), Accuracy().task, with_reference=True)
    raise BadInput(
        f"nobody knows how to ask about {name!r}; the labels are of {listed}, the rubric {rubric.name!r} has "
        f"{', '.join(rubric.names)}, and beside it there are correctness (0 to 5) and correct (yes or no). Name the "
        "aspects that are meant with --aspect, or a rubric that has it with --rubric"
    )
