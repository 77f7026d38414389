"""Building of examples from labels and samples: annotators averaged, each answer with the task of a metric."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

from saiten.errors import BadInput
from saiten.metrics.rubrics import Rubric
from saiten.records import Label, Sample
from saiten.tasks.correctness import GradeAnswer
from saiten.trust.inputs.declining import grade_of
from saiten.tuning.judge.aspect_tasks import AspectTask, aspect_tasks
from saiten.tuning.judge.examples import GradedExample
from saiten.tuning.settled import Settled, settled
from saiten.tuning.splitting import digest


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
    tasks = aspect_tasks(said, rubric, aspects)
    for one in tasks:
        _check_scale(one, said)
    wanted = set(chain.from_iterable(said[one.aspect] for one in tasks))
    found = {sample.id: sample for sample in samples if sample.id in wanted}
    left_out: Counter[str] = Counter()
    examples = []
    for one in sorted(tasks, key=lambda each: each.aspect):
        for item in sorted(said[one.aspect]):
            sample = found.get(item)
            grades = said[one.aspect][item]
            why = "there is no sample of this id" if sample is None else one.lacking(sample) or _contested(one, grades)
            if sample is None or why:
                left_out[why or ""] += 1
            else:
                examples.append(_example(one, sample, grades))
    if not examples:
        why = "; ".join(f"{n}: {reason}" for reason, n in left_out.items())
        raise BadInput(f"no graded answer can be learned from ({why}); are these the samples that were labelled?")
    counted = {(each.aspect, each.item) for each in examples}
    annotators = {
        label.annotator
        for one in tasks
        for item, found_there in said[one.aspect].items()
        if (one.aspect, item) in counted
        for label in found_there
    }
    by_name = tuple(sorted(tasks, key=lambda each: each.aspect))
    return Built(tuple(examples), by_name, len(annotators - {""}), dict(left_out))


def _contested(one: AspectTask, labels: Sequence[Label]) -> str | None:
    if one.rated is None or not one.rated.contested([label.value for label in labels]):
        return None
    return "people's grades are on both sides of the best one, so their mean is none of them"


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
