"""The sides of a comparison: runs paired sample by sample, or systems paired question by question."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from saiten.errors import BadInput
from saiten.journal import RunReader
from saiten.records import Sample, Scored, Status
from saiten.summary import Place, place_of

Key = tuple[str, str]
"""Question and sample; the sample is empty where systems are paired, question by question."""
Missing = Status | Literal["absent"]
"""Why a side has no value: the status of its score, or that it has no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A run, or one system of a run, as far as it is compared."""

    title: str
    values: Mapping[str, Mapping[Key, float]]
    """By metric; several answers of a system to one question count with their mean."""
    missing: Mapping[str, Mapping[Key, Status]]
    """By metric: what has a score and no value."""
    by_question: bool = False
    """Whether it is a system, which is paired by question."""

    def has(self, metric: str, key: Key) -> bool:
        """Whether there is a score, with or without a value."""
        return key in self.values.get(metric, {}) or key in self.missing.get(metric, {})

    def asked(self, metric: str) -> set[Key]:
        """Everything that has a score of the metric, whatever its status."""
        return {*self.values.get(metric, {}), *self.missing.get(metric, {})}

    def why_missing(self, metric: str, keys: Iterable[Key]) -> Counter[Missing]:
        """How many of these have no value, and why."""
        values, missing = self.values.get(metric, {}), self.missing.get(metric, {})
        return Counter(missing.get(key, "absent") for key in keys if key not in values)


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
    return "question" if first.by_question else "sample"


def comparable(sides: Iterable[Side]) -> Iterator[list[Side]]:
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
    samples = [sample for sample in reader.samples() if system is None or sample.system == system]
    if not samples and system is not None:
        raise BadInput(f"{reader.folder} has no samples of the system {system!r}")
    return side_from(samples, reader.scores(), name, by_question=system is not None)


def systems_of(reader: RunReader) -> list[Side]:
    """The systems of a run, by question, in the order in which they come; empty where there are fewer than two."""
    places = {sample.id: place for sample in reader.samples() if (place := place_of(sample)).system}
    names = dict.fromkeys(str(place.system) for place in places.values())
    if len(names) < 2:
        return []
    found = {name: _Gathered() for name in names}
    for one in reader.scores():
        if one.sample in places:
            place = places[one.sample]
            found[str(place.system)].add((place.question, ""), one)
    return [gathered.side(name, by_question=True) for name, gathered in found.items()]


def side_from(samples: Iterable[Sample], scores: Iterable[Scored], name: str, *, by_question: bool = False) -> Side:
    """The side that these samples and their scores make."""
    keys = {sample.id: _key(sample, by_question=by_question) for sample in samples}
    gathered = _Gathered()
    for one in scores:
        if (key := keys.get(one.sample)) is not None:
            gathered.add(key, one)
    return gathered.side(name, by_question=by_question)


class _Gathered:
    """The scores of a side while they are read."""

    def __init__(self) -> None:
        self._values: dict[str, dict[Key, list[float]]] = {}
        self._missing: dict[str, dict[Key, Status]] = {}

    def add(self, key: Key, one: Scored) -> None:
        if one.score.value is not None:
            self._values.setdefault(one.metric, {}).setdefault(key, []).append(one.score.value)
        else:
            self._missing.setdefault(one.metric, {})[key] = one.score.status

    def side(self, name: str, *, by_question: bool) -> Side:
        values = {metric: {key: fmean(each) for key, each in of.items()} for metric, of in self._values.items()}
        missing = {
            metric: {key: status for key, status in of.items() if key not in values.get(metric, {})}
            for metric, of in self._missing.items()
        }
        return Side(name, values, missing, by_question)


def _key(sample: Sample, *, by_question: bool) -> Key:
    return (place_of(sample).question, "") if by_question else key_of(sample)


def key_of(sample: Sample) -> Key:
    """By what a sample of several runs is matched."""
    return pair_key(place_of(sample), sample.id)


def pair_key(place: Place, identity: str) -> Key:
    """By what samples of several runs are matched: one id under one question."""
    return (place.question, identity)
