"""Grades of answers: the labels that count, and answers with all their grades, the data for learning weights."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from saiten.data.labels import deciding
from saiten.errors import BadInput
from saiten.records import Label

Settled = dict[str, dict[str, tuple[Label, ...]]]
"""By aspect, then by item."""

Grades = tuple[float, ...]
"""One answer's grades on one aspect: one per annotator, or one per vote."""


@dataclass(frozen=True, slots=True)
class Rated:
    """Answers with all grades, sorted by id, so that the order of the rows does not matter."""

    target: str
    aspects: tuple[str, ...]
    items: tuple[str, ...]
    questions: tuple[str, ...]
    """Per item."""
    grades: tuple[tuple[Grades, ...], ...]
    """Per item and aspect."""
    targets: tuple[float, ...]
    """Per item: the mean over annotators."""
    left_out: Mapping[str, int]
    """The number of items left out, by reason."""
    source: str = "people"
    """The source of the aspect grades: `people` or `judge`."""


def joined(
    targets: Mapping[str, Grades],
    aspects: Mapping[str, Mapping[str, Grades]],
    questions: Mapping[str, str],
    target: str,
    source: str,
) -> Rated:
    """Join the grades by item; raise BadInput if no item has all of them and a question."""
    left_out: Counter[str] = Counter()
    kept = []
    for item in sorted(set(targets).union(*aspects.values())):
        lacking = [name for name, values in {target: targets, **aspects}.items() if item not in values]
        if lacking:
            left_out[f"no grade of {' and '.join(lacking)}"] += 1
        elif item not in questions:
            left_out["no sample of this id, so no question"] += 1
        else:
            kept.append(item)
    if not kept:
        why = "; ".join(f"{n}: {reason}" for reason, n in left_out.most_common(3))
        raise BadInput(
            f"no answer has everything that is needed: {', '.join((target, *aspects))} and a question ({why})"
        )
    return Rated(
        target,
        tuple(aspects),
        tuple(kept),
        tuple(questions[item] for item in kept),
        tuple(tuple(values[item] for values in aspects.values()) for item in kept),
        tuple(fmean(targets[item]) for item in kept),
        dict(left_out),
        source,
    )


def settled(labels: Iterable[Label]) -> Settled:
    """Return the labels that count, by aspect and item, ascending; marked spans and categories are not grades.

    If any label of an answer is adjudicated, only the adjudicated ones count.
    """
    by_aspect: dict[str, list[Label]] = {}
    for label in labels:
        if label.spans is None and not label.category:
            by_aspect.setdefault(label.aspect, []).append(label)

    def order(label: Label) -> tuple[float, str, str]:
        return label.value, label.annotator, label.reason

    # sorted, so that the order of rows does not change the last bit of a mean
    return {
        aspect: {item: tuple(sorted(each, key=order)) for item, each in deciding(of).items()}
        for aspect, of in by_aspect.items()
    }
