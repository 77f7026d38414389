"""Examples to learn from: answers graded by people, each with the task that the corresponding metric performs.

Several annotators of an answer are averaged, and everything is sorted, so that the order of the rows does not matter.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from saiten.errors import BadInput
from saiten.metrics.rubrics import Rubric
from saiten.records import Label, Sample
from saiten.results.labeled_answers import answer_digest, of_these_answers
from saiten.tuning.grades import Settled, settled
from saiten.tuning.judge.aspect_task import AspectTask, aspect_tasks
from saiten.tuning.judge.graded_example import GradedExample, graded_example
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
    every = list(labels)
    items = {label.item for label in every}
    found = {sample.id: sample for sample in samples if sample.id in items}
    theirs, others = of_these_answers(every, {item: answer_digest(sample) for item, sample in found.items()})
    said = settled(theirs)
    if set(said) == {""} and len(aspects) == 1:
        said = {aspects[0]: said[""]}
    tasks = sorted(aspect_tasks(said, rubric, aspects), key=lambda one: one.aspect)
    examples: list[GradedExample] = []
    annotators: set[str] = set()
    left_out = Counter({"given to another answer under the same id": len(others)} if others else {})
    for one in tasks:
        _check_scale(one, said)
        for item, grades in sorted(said[one.aspect].items()):
            sample = found.get(item)
            why = one.unusable(sample, grades)
            if sample is None or why:
                left_out[why] += 1
            else:
                examples.append(graded_example(one.aspect, one.task(sample), sample, grades))
                annotators |= {label.annotator for label in grades}
    if not examples:
        why = "; ".join(f"{n}: {reason}" for reason, n in left_out.items())
        raise BadInput(f"none of the graded answers can be used ({why}); are these the labeled samples?")
    return Built(tuple(examples), tuple(tasks), len(annotators - {""}), dict(left_out))


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
