"""Answers with an overall grade and grades on aspects: the data for learning weights."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from saiten.errors import BadInput

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
