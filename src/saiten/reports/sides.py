"""What is held against each other: runs sample by sample, systems question by question; and which of them can be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from saiten.errors import BadInput
from saiten.journal import RunReader
from saiten.records import Sample
from saiten.summary import Place, place_of

Values = dict[str, dict[tuple[str, str], float]]
"""Metric → (question, sample) → value; the sample is left empty where systems are compared, and a system's several
answers to one question count with their mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What is held against others: a run, or a system of one."""

    title: str
    values: Values


Apart = Literal["unmeasured", "metric", "question", "sample"]
"""Why two sides cannot be compared: one has no value at all; no metric, no question, no sample has values of both."""


def apart(first: Side, second: Side) -> Apart | None:
    """Why the two cannot be compared; None if they can."""
    if not first.values or not second.values:
        return "unmeasured"
    shared = [metric for metric in first.values if metric in second.values]
    if not shared:
        return "metric"
    if any(not first.values[metric].keys().isdisjoint(second.values[metric]) for metric in shared):
        return None
    by_question = all(not sample for of in first.values.values() for _, sample in of)
    return "question" if by_question else "sample"


def comparable(sides: Sequence[Side]) -> Iterator[list[Side]]:
    """The sides in groups: each can be compared with the first of its group, which is alone where none can be."""
    left = list(sides)
    while left:
        first, *others = left
        group = [first, *(side for side in others if apart(first, side) is None)]
        left = [side for side in left if not any(side is one for one in group)]
        yield group


def side_of(reader: RunReader, name: str, system: str | None = None) -> Side:
    """A run; or one of its systems, by question.

    Raises:
        BadInput: the run has no samples of the system.
    """
    return Side(name, _values(reader, system))


def systems_of(reader: RunReader) -> list[Side]:
    """The systems of a run, by question, in the order in which they come; empty where there are fewer than two."""
    places = {sample.id: (sample.system, place_of(sample).question) for sample in reader.samples() if sample.system}
    names = dict.fromkeys(str(system) for system, _ in places.values())
    if len(names) < 2:
        return []
    found: dict[str, dict[str, dict[tuple[str, str], list[float]]]] = {name: {} for name in names}
    for one in reader.scores():
        system, question = places.get(one.sample, (None, ""))
        if system is not None and one.score.value is not None:
            found[system].setdefault(one.metric, {}).setdefault((question, ""), []).append(one.score.value)
    return [Side(name, _means(of)) for name, of in found.items()]


def _values(reader: RunReader, system: str | None) -> Values:
    samples: dict[str, Sample] = {
        sample.id: sample for sample in reader.samples() if system is None or sample.system == system
    }
    if not samples and system is not None:
        raise BadInput(f"{reader.folder} has no samples of the system {system!r}")
    found: dict[str, dict[tuple[str, str], list[float]]] = {}
    for one in reader.scores():
        sample = samples.get(one.sample)
        if sample is not None and one.score.value is not None:
            key = key_of(sample) if system is None else (place_of(sample).question, "")
            found.setdefault(one.metric, {}).setdefault(key, []).append(one.score.value)
    return _means(found)


def _means(found: Mapping[str, Mapping[tuple[str, str], Sequence[float]]]) -> Values:
    return {metric: {key: fmean(each) for key, each in values.items()} for metric, values in found.items()}


def key_of(sample: Sample) -> tuple[str, str]:
    """By what a sample of several runs is matched."""
    return pair_key(place_of(sample), sample.id)


def pair_key(place: Place, identity: str) -> tuple[str, str]:
    """By what samples of several runs are matched: one id under one question."""
    return (place.question, identity)
