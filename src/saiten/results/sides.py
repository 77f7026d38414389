"""The sides of a comparison, runs or systems, and the pairing of their samples.

Samples of runs are paired by id and question. Without ids (`row-N` is only a position in a file), or if the ids of a
question differ between runs, they are paired by question, and by group and system if these distinguish answers to one
question. Systems are paired by question. Several answers under one key count with their mean.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from saiten.errors import BadInput
from saiten.records import Sample, Scored, Status
from saiten.results.summary import Place, place_of
from saiten.runs import RunReader

Key = tuple[str, str]
"""Question, and the id or whatever else distinguishes its answers; "" if nothing does."""
Missing = Status | Literal["absent"]
"""Reason for a missing value: the status of the score, or no answer."""
How = Literal["id_question", "question", "question_no_ids", "question_other_ids", "place"]
"""How answers are paired; `place`: by their position in the file, without ids and questions."""

_PLACE_IN_FILE = re.compile(r"row-\d+(@.*)?", re.DOTALL)
"""Id that readers assign to a row without one."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A run, or one system of a run, in a comparison."""

    title: str
    places: Mapping[str, Place]
    """Places of its samples, by id."""
    scores: Mapping[str, Mapping[str, float | Status]]
    """By metric, then by sample id: the value, or the status if there is none."""
    by_question: bool = False
    """Whether it is a system, which is paired by question."""

    @property
    def measured(self) -> list[str]:
        """Metrics with at least one value."""
        return [metric for metric, of in self.scores.items() if any(isinstance(one, float) for one in of.values())]


@dataclass(frozen=True, slots=True, eq=False)
class PairedSide:
    """A side, indexed by the keys under which it is paired."""

    values: Mapping[str, Mapping[Key, float]]
    """By metric; several answers under one key count with their mean."""
    missing: Mapping[str, Mapping[Key, Status]]
    """By metric: keys with a score but no value."""
    answers: Counter[Key]
    """Number of answers per key."""

    def asked(self, metric: str) -> set[Key]:
        """Return all keys with a score of the metric, whatever its status."""
        return {*self.values.get(metric, {}), *self.missing.get(metric, {})}

    def why_missing(self, metric: str, keys: Iterable[Key]) -> Counter[Missing]:
        """Count the keys without a value by reason."""
        values, missing = self.values.get(metric, {}), self.missing.get(metric, {})
        return Counter(missing.get(key, "absent") for key in keys if key not in values)


@dataclass(frozen=True, slots=True)
class PairKeys:
    """The key under which each sample is paired, by run."""

    how: How
    of: tuple[Mapping[str, Key], ...]
    """By run, then by sample id."""


def pair_keys(runs: Sequence[Mapping[str, Place]], *, by_question: bool = False) -> PairKeys:
    """Return the keys of the samples of several runs or systems (`by_question`), chosen the same way for all."""
    telling = [tag for tag in (("group",) if by_question else ("group", "system")) if _tells_apart(tag, runs)]
    questions = tuple(
        {
            identity: (place.question, "\0".join(getattr(place, tag) or "" for tag in telling))
            for identity, place in places.items()
        }
        for places in runs
    )
    if by_question:
        return PairKeys("question", questions)
    ids = tuple(
        {
            identity: alike[identity] if _PLACE_IN_FILE.fullmatch(identity) else (place.question, identity)
            for identity, place in places.items()
        }
        for places, alike in zip(runs, questions, strict=True)
    )
    nameless = any(places and all(map(_PLACE_IN_FILE.fullmatch, places)) for places in runs)
    if not nameless and all(_match(ids[0], ids[at], questions[0], questions[at]) for at in range(1, len(runs))):
        return PairKeys("id_question", ids)
    if all(place.question.startswith("\0") for places in runs for place in places.values()):
        return PairKeys("place", questions)
    return PairKeys("question_no_ids" if nameless else "question_other_ids", questions)


def _tells_apart(tag: str, runs: Sequence[Mapping[str, Place]]) -> bool:
    """Return whether group or system (`tag`) distinguishes answers to a question, and runs share its values."""
    tagged = [{(place.question, getattr(place, tag) or "") for place in places.values()} for places in runs]
    known = [{name for _, name in of} for of in tagged]
    if any(known[0].isdisjoint(others) for others in known[1:]):
        return False
    return any(len(of) > len({question for question, _ in of}) for of in tagged)


def _match(first: Mapping[str, Key], second: Mapping[str, Key], *questions: Mapping[str, Key]) -> bool:
    """Return whether ids pair at least half of what the questions do; ids assigned anew pair almost nothing."""
    by_id = len({*first.values()} & {*second.values()})
    by_question = len({*questions[0].values()} & {*questions[1].values()})
    return 2 * by_id >= by_question


@dataclass(frozen=True, slots=True)
class Pairing:
    """How the answers of two sides were paired, and which have no counterpart."""

    how: How
    pairs: int
    first: int
    """Number of keys of the first side, paired or not."""
    second: int
    several: int
    """Number of pairs in which a side has several answers, which count with their mean."""

    @property
    def alone(self) -> tuple[int, int]:
        """Number of keys without a counterpart on the first and on the second side."""
        return self.first - self.pairs, self.second - self.pairs

    @property
    def mostly_alone(self) -> bool:
        """Whether a side has more keys without a counterpart than with one."""
        return max(self.alone) > self.pairs


def paired(sides: Sequence[Side]) -> tuple[How, list[PairedSide]]:
    """Return the sides by the keys under which all of them are paired."""
    keys = pair_keys([side.places for side in sides], by_question=any(side.by_question for side in sides))
    return keys.how, [_keyed(side, of) for side, of in zip(sides, keys.of, strict=True)]


def pairing_of(how: How, first: PairedSide, second: PairedSide) -> Pairing:
    """Return the pairing of two sides."""
    both = first.answers.keys() & second.answers.keys()
    several = sum(max(first.answers[key], second.answers[key]) > 1 for key in both)
    return Pairing(how, len(both), len(first.answers), len(second.answers), several)


def _keyed(side: Side, keys: Mapping[str, Key]) -> PairedSide:
    values: dict[str, dict[Key, list[float]]] = {}
    missing: dict[str, dict[Key, Status]] = {}
    for metric, of in side.scores.items():
        for identity, one in of.items():
            if isinstance(one, float):
                values.setdefault(metric, {}).setdefault(keys[identity], []).append(one)
            else:
                missing.setdefault(metric, {})[keys[identity]] = one
    means = {metric: {key: fmean(each) for key, each in of.items()} for metric, of in values.items()}
    lacking = {
        metric: {key: why for key, why in of.items() if key not in means.get(metric, {})}
        for metric, of in missing.items()
    }
    return PairedSide(means, lacking, Counter(keys.values()))


Apart = Literal["unmeasured", "metric", "question", "sample"]
"""Why two sides cannot be compared: one has no values at all; no metric, question or sample has values on both."""


def apart(first: Side, second: Side) -> Apart | None:
    """Return why the two cannot be compared; None if they can."""
    if not first.measured or not second.measured:
        return "unmeasured"
    shared = [metric for metric in first.measured if metric in second.measured]
    if not shared:
        return "metric"
    _, (one, other) = paired((first, second))
    if any(not one.values[metric].keys().isdisjoint(other.values[metric]) for metric in shared):
        return None
    return "question" if first.by_question else "sample"


def comparable(sides: Iterable[Side]) -> Iterator[list[Side]]:
    """Yield groups of sides: each can be compared with the first of its group; incomparable ones are alone."""
    left = list(sides)
    while left:
        first, *others = left
        group = [first, *(side for side in others if apart(first, side) is None)]
        left = [side for side in left if not any(side is one for one in group)]
        yield group


def side_of(reader: RunReader, name: str, system: str | None = None) -> Side:
    """Return a run, or one of its systems by question.

    Raises:
        BadInput: the run has no samples of the system.
    """
    samples = [sample for sample in reader.samples() if system is None or sample.system == system]
    if not samples and system is not None:
        raise BadInput(f"{reader.folder} has no samples of the system {system!r}")
    return side_from(samples, reader.scores(), name, by_question=system is not None)


def side_from(samples: Iterable[Sample], scores: Iterable[Scored], name: str, *, by_question: bool = False) -> Side:
    """Build a side from samples and their scores."""
    places = {sample.id: place_of(sample) for sample in samples}
    return _sides({name: places}, scores, by_question=by_question)[0]


def systems_of(reader: RunReader) -> list[Side]:
    """Return the systems of a run by question, in order of occurrence; empty for fewer than two."""
    places: dict[str, dict[str, Place]] = {}
    for sample in reader.samples():
        if sample.system:
            places.setdefault(sample.system, {})[sample.id] = place_of(sample)
    return _sides(places, reader.scores(), by_question=True) if len(places) > 1 else []


def _sides(places: Mapping[str, Mapping[str, Place]], scores: Iterable[Scored], *, by_question: bool) -> list[Side]:
    names = {identity: name for name, of in places.items() for identity in of}
    found: dict[str, dict[str, dict[str, float | Status]]] = {name: {} for name in places}
    for one in scores:
        if one.sample in names:
            value = one.score.status if one.score.value is None else float(one.score.value)
            found[names[one.sample]].setdefault(one.metric, {})[one.sample] = value
    return [Side(name, of, found[name], by_question) for name, of in places.items()]
