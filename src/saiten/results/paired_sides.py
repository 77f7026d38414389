"""Sides by the keys under which they are paired."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from saiten.records import Status
from saiten.results.pair_keys import How, Key, pair_keys
from saiten.results.sides import Side

Missing = Status | Literal["absent"]
"""Reason for a missing value: the status of the score, or no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedSide:
    """A side, indexed by the keys under which it is paired."""

    values: Mapping[str, Mapping[Key, float]]
    """By metric; several answers under one key count with their mean."""
    missing: Mapping[str, Mapping[Key, Status]]
    """By metric: keys with a score but no value."""
    answers: Counter[Key]
    """Number of answers per key."""
    clusters: Mapping[Key, str] = field(default_factory=dict)
    """What each key is resampled with: its question, or its conversation."""

    def asked(self, metric: str) -> set[Key]:
        """Return all keys with a score of the metric, whatever its status."""
        return {*self.values.get(metric, {}), *self.missing.get(metric, {})}

    def why_missing(self, metric: str, keys: Iterable[Key]) -> Counter[Missing]:
        """Count the keys without a value by reason."""
        values, missing = self.values.get(metric, {}), self.missing.get(metric, {})
        return Counter(missing.get(key, "absent") for key in keys if key not in values)


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
    clusters = {keys[identity]: place.question for identity, place in side.places.items()}
    return PairedSide(means, lacking, Counter(keys.values()), clusters)
