"""Human labels as scores of each answer, next to those of the metrics, so that their means can be compared.

An answer's value is computed as in meta-evaluation: its adjudicated label if there is one, otherwise the annotators'
mean. An answer that people call declined counts as declined; one without a label is counted as unlabeled.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from saiten.errors import BadInput
from saiten.metrics.naming import HUMAN
from saiten.records import Label, Score, Scored
from saiten.results.place import Place
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import LabeledAspect, pair

UNLABELED = "no label"
"""Reason for an answer without a value."""


def human_scores(
    items: Mapping[str, Place], outputs: Iterable[Output], labels: Iterable[Label], *, main: str = ""
) -> Iterator[Scored]:
    """Yield a score per sample and aspect of single answers; skip preferences and marked spans.

    Args:
        items: the samples, by id.
        outputs: the metrics' outputs on them, which determine what a label of 0 means.
        labels: human labels.
        main: `human` to give the only aspect this name, `human:ASPECT` for an aspect that must exist.

    Raises:
        BadInput: no label belongs to any of the samples, or the aspects do not match `main`.
    """
    aspects = [aspect for aspect in pair(items, outputs, labels) if not aspect.pairs and not aspect.marked]
    for name, aspect in _named(aspects, main).items():
        values = dict(zip(aspect.items, aspect.people.tolist(), strict=True))
        declined = frozenset(aspect.declined)
        for sample in items:
            yield Scored(sample, name, score_of(sample, values, declined))


def _named(aspects: Sequence[LabeledAspect], main: str) -> Mapping[str, LabeledAspect]:
    found = {f"{HUMAN}:{aspect.name}" if aspect.name else HUMAN: aspect for aspect in aspects}
    if main == HUMAN and HUMAN not in found and len(found) == 1:
        return {HUMAN: next(iter(found.values()))}
    if main and main not in found:
        there = ", ".join(found) or "none of single answers"
        raise BadInput(f"main: {main} takes what people said of single answers; there is {there}; name one of these")
    return found


def score_of(sample: str, values: Mapping[str, float], declined: frozenset[str]) -> Score:
    """Return what people said of a sample as its score."""
    if sample in declined:
        return Score.declined("people call it declined")
    return Score(values[sample]) if sample in values else Score.undefined(UNLABELED)
