"""From labels and samples to examples: several annotators averaged, each answer with the task that a metric asks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

from saiten.errors import BadInput
from saiten.metrics.rubrics import Rubric
from saiten.records import Label, Sample
from saiten.tasks.correctness import GradeAnswer
from saiten.trust.meta_evaluation.declining import grade_of
from saiten.tuning.judge.asking import Asked, asked_about
from saiten.tuning.judge.examples import Example
from saiten.tuning.settled import Settled, settled
from saiten.tuning.splitting import digest


@dataclass(frozen=True, slots=True)
class Built:
    """Everything that can be learned from, sorted, so that the order of the rows is no matter."""

    examples: tuple[Example, ...]
    """By aspect, then by item."""
    asked: tuple[Asked, ...]
    """The aspects, sorted by name."""
    annotators: int
    """How many people's grades these are; 0 where the labels do not say."""
    left_out: Mapping[str, int]
    """Why other grades are not among them, and how many."""

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that change with any text or grade."""
        return digest("\n".join(map(repr, self.examples)))[:12]


def build(labels: Iterable[Label], samples: Iterable[Sample], rubric: Rubric, aspects: Sequence[str] = ()) -> Built:
    """The examples; () for all aspects that the labels have.

    Labels that name no aspect are of the one that was asked for, if it is one.

    Raises:
        BadInput: an aspect is not there or not known, a grade is off its scale, or nothing is left.
    """
    said = settled(labels)
    if set(said) == {""} and len(aspects) == 1:
        said = {aspects[0]: said[""]}
    asked = asked_about(said, rubric, aspects)
    for one in asked:
        _check_scale(one, said)
    wanted = set(chain.from_iterable(said[one.aspect] for one in asked))
    found = {sample.id: sample for sample in samples if sample.id in wanted}
    left_out: Counter[str] = Counter()
    examples = []
    for one in sorted(asked, key=lambda each: each.aspect):
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
        for one in asked
        for item, found_there in said[one.aspect].items()
        if (one.aspect, item) in counted
        for label in found_there
    }
    by_name = tuple(sorted(asked, key=lambda each: each.aspect))
    return Built(tuple(examples), by_name, len(annotators - {""}), dict(left_out))


def _contested(one: Asked, labels: Sequence[Label]) -> str | None:
    if one.rated is None or not one.rated.contested([label.value for label in labels]):
        return None
    return "people's grades are on both sides of the best one, so their mean is none of them"


def _example(one: Asked, sample: Sample, labels: Sequence[Label]) -> Example:
    task, grades = one.task(sample), [label.value for label in labels]
    value = grade_of(grades) if isinstance(task, GradeAnswer) else fmean(grades)
    question = " ".join(sample.question.split())  # so that a space more does not put one question on both sides
    return Example(sample.id, question, one.aspect, task, value, _reason(labels, value))


def _reason(labels: Sequence[Label], value: float) -> str:
    """Of those who gave one, the reason of whoever is nearest to the mean."""
    given = [label for label in labels if label.reason.strip()]
    return min(given, key=lambda label: abs(label.value - value)).reason.strip() if given else ""


def _check_scale(one: Asked, said: Settled) -> None:
    low, high = one.values[0], one.values[-1]
    for item, labels in said[one.aspect].items():
        for label in labels:
            if not low <= label.value <= high:
                by = f" by {label.annotator!r}" if label.annotator else ""
                raise BadInput(
                    f"the grade of {one.aspect!r} for {item!r}{by} is {label.value:g}; its scale is {low} to {high}. "
                    "Name the rubric that was used (--rubric), or leave the aspect out (--aspect for the others)"
                )
