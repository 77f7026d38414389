"""The aspects to learn, each with the task that the corresponding metric performs."""

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
from saiten.records import Label, Sample

CORRECTNESS = ("correctness", "grade")
"""Labels from 0 to 5: the task of the metric `correctness`."""
ACCURACY = ("correct", "accuracy")
"""Labels 0 and 1: the task of the metric `accuracy`."""


@dataclass(frozen=True, slots=True)
class AspectTask:
    """An aspect, with the task that asks a judge for it."""

    aspect: str
    """As in the labels."""
    prompt: str
    """The task's prompt: `rate_aspect`, `grade_answer`, `decide_correct`."""
    values: tuple[int, ...]
    """The scale, ascending."""
    task: Callable[[Sample], Task[Any]]
    rated: Aspect | None = None
    """The rubric's aspect, if it is one; otherwise the task needs a reference."""

    def unusable(self, sample: Sample | None, labels: Sequence[Label]) -> str:
        """Return why a metric would not judge this sample, or its labels say nothing; "" if neither is so."""
        if sample is None:
            return "there is no sample of this id"
        if not (sample.answer or "").strip():
            return "the answer is empty, so no judge would be asked"
        if not sample.question.strip():
            return "the question is blank, so it cannot be held out"
        if self.rated is None and not sample.references:
            return "the sample has no reference, which the task needs"
        if self.rated is not None and self.rated.contested([label.value for label in labels]):
            return "people's grades are on both sides of the best one, so their mean is not one of them"
        return ""


def aspect_tasks(there: Collection[str], rubric: Rubric, wanted: Sequence[str] = ()) -> tuple[AspectTask, ...]:
    """Return the aspects to learn, those `wanted` or all in the labels; the rubric's take precedence.

    Raises:
        BadInput: an aspect is not in the labels, is unknown, or means the same as another.
    """
    names = tuple(dict.fromkeys(wanted)) or tuple(sorted(there))
    listed = ", ".join(repr(name) for name in sorted(there)) or "nothing that is a grade"
    if missing := [name for name in names if name not in there]:
        raise BadInput(f"there are no labels of {missing[0]!r}; there are labels of {listed}")
    if not names:
        raise BadInput("there are no grades among the labels, so nothing can be learned from them")
    found = tuple(_aspect_task(name, rubric, listed) for name in names)
    for prompt, others in (("grade_answer", CORRECTNESS), ("decide_correct", ACCURACY)):
        same = [one.aspect for one in found if one.prompt == prompt]
        if len(same) > 1:
            raise BadInput(f"{' and '.join(others)} mean the same; choose one of them with --aspect")
    return found


def _aspect_task(name: str, rubric: Rubric, listed: str) -> AspectTask:
    if name in rubric.names:
        aspect = rubric.aspect(name)
        return AspectTask(name, "rate_aspect", aspect.values, partial(rating_task, aspect), rated=aspect)
    if name in CORRECTNESS:
        return AspectTask(name, "grade_answer", (0, 1, 2, 3, 4, 5), Correctness().task)
    if name in ACCURACY:
        return AspectTask(name, "decide_correct", (0, 1), Accuracy().task)
    raise BadInput(
        f"there is no task for {name!r}; there are labels of {listed}, aspects {', '.join(rubric.names)} in the rubric "
        f"{rubric.name!r}, and also correctness (0 to 5) and correct (yes or no). Choose aspects with --aspect, or a "
        "rubric that has it with --rubric"
    )
