"""Grade 0 of graded correctness: "no evaluation, the answer says that it does not know" (spec 01). It is not a number.

A judge's grade 0 is the status `declined`; a human grade 0 is treated alike: left out of means, correlations, bias,
kappa and rankings, and counted. On another scale (0 to 3, verdicts of 0 and 1, 0 to 5 where 0 is the worst grade) 0 is
a value like any other, so the meaning of 0 is decided once per aspect.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from saiten.choices import GradeZero
from saiten.data.labels import deciding
from saiten.errors import BadInput
from saiten.records import Label
from saiten.results.figure import is_correctness
from saiten.tasks.verdicts import majority
from saiten.trust.inputs.outputs import Said
from saiten.trust.inputs.scales import declared_bounds
from saiten.words import Message

ASPECT = "correctness"
"""The aspect whose 0 means that an answer declines; labels from `saiten annotate` have it."""
_UNNAMED = ("", "grade", "評点")
"""Uninformative names of aspects, which are assumed to mean graded correctness if a run has it."""
_HIGHEST = 5.0
_SECOND = 4.0
"""Minimum of the highest label; below it the scale is another, such as 0 to 3."""


def zero_declines(aspect: str, labels: Sequence[Label], metrics: Iterable[str], zero: GradeZero = "auto") -> bool:
    """Return whether a label of 0 means that the answer declines.

    True on the aspect `correctness` if the labels go up to 4 or 5 or the metric `correctness` is there; on an aspect
    with an uninformative name (none, `grade`, 評点) if the metric is there and the labels are whole grades up
    to 4 or 5.
    """
    values = _values(labels)
    if zero == "declined":
        return 0 in values and min(values) >= 0
    if zero == "lowest" or not _are_from_zero(values):
        return False
    high, judged = max(values) >= _SECOND, any(is_correctness(metric) for metric in metrics)
    if aspect.casefold() == ASPECT:
        return high or judged
    return aspect.casefold() in _UNNAMED and high and judged and all(value % 1 == 0 for value in values)


def _values(labels: Iterable[Label]) -> set[float]:
    """Return the values of verdicts and grades; words and numbers of marks are not grades."""
    return {label.value for label in labels if not label.category and label.spans is None}


def _are_from_zero(values: Collection[float]) -> bool:
    """Return whether the values go from 0 to more than 1 and at most 5, unlike verdicts and other scales."""
    return 0 in values and min(values) >= 0 and 1 < max(values) <= _HIGHEST


@dataclass(frozen=True, slots=True)
class Graded:
    """The labels of an aspect that are values, and how its zeros were interpreted."""

    labels: Sequence[Label]
    declined: frozenset[str] = frozenset()
    """Items that people call declined."""
    zero_declines: bool = False
    notes: tuple[Message, ...] = ()
    """Notes on labels left out, or on the interpretation of 0."""


def graded(aspect: str, labels: Sequence[Label], metrics: Sequence[str], zero: GradeZero = "auto") -> Graded:
    """Return the labels except those that say that the answer declines.

    An item is declined by the adjudicated label, otherwise by a majority. As with a panel of judges, the 0 of a
    minority does not enter the mean of the others.

    Raises:
        BadInput: people call every answer declined.
    """
    if not zero_declines(aspect, labels, metrics, zero):
        return Graded(labels, notes=_undeclared(aspect, labels, metrics) if zero == "auto" else ())
    by_item = deciding(labels)
    declined = frozenset(item for item, each in by_item.items() if majority([label.value == 0 for label in each]))
    kept = [label for label in labels if label.value != 0 and label.item not in declined]
    if not kept:
        raise BadInput(
            f"every label of {aspect!r} is 0, which says that the answer declines, so there are no grades to compare; "
            "use --grade-zero lowest if 0 is a grade"
        )
    minority = sum(label.value == 0 and label.item not in declined for label in labels)
    key = "people_declined_minority" if minority else "people_declined"
    note = Message("note", key, n=len(declined), of=len(by_item), minority=minority)
    return Graded(kept, declined, zero_declines=True, notes=(note,))


def grade_of(values: Sequence[float]) -> float:
    """Return one grade for several: 0 if most decline, otherwise the mean of the grades, as for a judge's votes."""
    if majority([value == 0 for value in values]):
        return 0.0
    return fmean(value for value in values if value != 0)


def _undeclared(aspect: str, labels: Sequence[Label], metrics: Sequence[str]) -> tuple[Message, ...]:
    """Return a note if 0 may mean something else than assumed."""
    values = _values(labels)
    if not _are_from_zero(values):
        return ()
    judged = max(values) >= _SECOND and any(is_correctness(metric) for metric in metrics)
    return (Message("note", "zero_is_lowest"),) if judged or aspect.casefold() == ASPECT else ()


def zero_as_declined(metric: str, values: Mapping[str, Said]) -> Mapping[str, Said]:
    """Turn a judge's grades of 0 into `declined`, if the judge uses the same scale.

    That is `correctness`, or a judge unknown to saiten whose highest value is above 1 and at most 5.
    """
    numbers = [value for value in values.values() if not isinstance(value, str)]
    if not _are_from_zero(numbers) or (not is_correctness(metric) and metric in declared_bounds([metric])):
        return values
    return {item: "declined" if value == 0 else value for item, value in values.items()}
