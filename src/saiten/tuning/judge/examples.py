"""Examples to learn from: answers graded by people, each with the task that the corresponding metric performs.

Several annotators of an answer are averaged, and everything is sorted, so that the order of the rows does not matter.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from statistics import fmean
from typing import Any

from saiten.errors import BadInput
from saiten.metrics.judged.accuracy import Accuracy
from saiten.metrics.judged.aspects import rating_task
from saiten.metrics.judged.correctness import Correctness
from saiten.metrics.rubrics import Aspect, Rubric
from saiten.protocols import Task
from saiten.records import Label, Sample
from saiten.tasks.correctness import GradeAnswer
from saiten.trust.inputs.declining import grade_of
from saiten.tuning.rated import Settled, settled
from saiten.tuning.splitting import digest

CORRECTNESS = ("correctness", "grade")
"""Labels from 0 to 5: the task of the metric `correctness`."""
ACCURACY = ("correct", "accuracy")
"""Labels 0 and 1: the task of the metric `accuracy`."""


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
    """Makes the task for a sample."""
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
            return "people's grades are on both sides of the best one, so their mean is none of them"
        return ""


@dataclass(frozen=True, slots=True)
class Built:
    """The training data, sorted, so that the order of the rows does not matter."""

    examples: tuple[GradedExample, ...]
    """By aspect, then by item."""
    tasks: tuple[AspectTask, ...]
    """The aspects, sorted by name."""
    annotators: int
    """Number of people who graded; 0 if the labels do not say."""
    left_out: Mapping[str, int]
    """The number of grades left out, by reason."""

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that change with any text or grade."""
        return digest("\n".join(map(repr, self.examples)))[:12]


def build(labels: Iterable[Label], samples: Iterable[Sample], rubric: Rubric, aspects: Sequence[str] = ()) -> Built:
    """Build the examples; () means all aspects in the labels.

    Labels without an aspect belong to the one requested, if it is a single one.

    Raises:
        BadInput: an aspect is missing or unknown, a grade is off its scale, or nothing is left.
    """
    said = settled(labels)
    if set(said) == {""} and len(aspects) == 1:
        said = {aspects[0]: said[""]}
    tasks = sorted(_aspect_tasks(said, rubric, aspects), key=lambda one: one.aspect)
    wanted = set(chain.from_iterable(said[one.aspect] for one in tasks))
    found = {sample.id: sample for sample in samples if sample.id in wanted}
    examples: list[GradedExample] = []
    annotators: set[str] = set()
    left_out: Counter[str] = Counter()
    for one in tasks:
        _check_scale(one, said)
        for item, grades in sorted(said[one.aspect].items()):
            sample = found.get(item)
            why = one.unusable(sample, grades)
            if sample is None or why:
                left_out[why] += 1
            else:
                examples.append(_example(one, sample, grades))
                annotators |= {label.annotator for label in grades}
    if not examples:
        why = "; ".join(f"{n}: {reason}" for reason, n in left_out.items())
        raise BadInput(f"none of the graded answers can be used ({why}); are these the labeled samples?")
    return Built(tuple(examples), tuple(tasks), len(annotators - {""}), dict(left_out))


def _example(one: AspectTask, sample: Sample, labels: Sequence[Label]) -> GradedExample:
    task, grades = one.task(sample), [label.value for label in labels]
    value = grade_of(grades) if isinstance(task, GradeAnswer) else fmean(grades)
    question = " ".join(sample.question.split())  # so that white space cannot put a question on both sides of the split
    return GradedExample(sample.id, question, one.aspect, task, value, _reason(labels, value))


def _reason(labels: Sequence[Label], value: float) -> str:
    """Return the reason of the annotator nearest to the mean, among those who gave one."""
    given = [label for label in labels if label.reason.strip()]
    return min(given, key=lambda label: abs(label.value - value)).reason.strip() if given else ""


def _check_scale(one: AspectTask, said: Settled) -> None:
    low, high = one.values[0], one.values[-1]
    for item, labels in said[one.aspect].items():
        for label in labels:
            if not low <= label.value <= high:
                by = f" by {label.annotator!r}" if label.annotator else ""
                raise BadInput(
                    f"the grade of {one.aspect!r} for {item!r}{by} is {label.value:g}; its scale is {low} to {high}. "
                    "Name the rubric that was used (--rubric), or leave the aspect out (--aspect for the others)"
                )


def _aspect_tasks(there: Collection[str], rubric: Rubric, wanted: Sequence[str] = ()) -> tuple[AspectTask, ...]:
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
