"""The scores of one metric on the items of a test set, system by system."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from saiten.errors import BadInput
from saiten.metrics.catalog import known_metric
from saiten.results.metric_figures import Scale
from saiten.results.metric_names import find_metric
from saiten.results.pair_keys import Key, pair_keys
from saiten.results.paired_sides import Missing, PairedSide, paired
from saiten.results.place import place_of
from saiten.results.sides import Side, side_of, systems_of
from saiten.results.verdict import higher_is_better
from saiten.runs import RunReader
from saiten.testsets.items import SetItem
from saiten.words import Message


@dataclass(frozen=True, slots=True, eq=False)
class SystemScores:
    """The scores of one system, or of a run without several systems."""

    name: str
    values: Mapping[str, float]
    """By item; several answers to an item count with their mean."""
    missing: Counter[Missing]
    """Number of items without a value, by reason."""
    outside: int
    """Number of its questions that are not in the set."""


@dataclass(frozen=True, eq=False)
class SetScores:
    """A metric on a test set."""

    metric: str
    items: Mapping[str, SetItem]
    """By id, each question once."""
    clusters: Mapping[str, str]
    """What each item is resampled with: its question."""
    systems: tuple[SystemScores, ...]
    higher: bool | None
    """Whether higher is better; None if neither is, or if it is unknown."""
    remarks: tuple[Message, ...] = ()

    @cached_property
    def complete(self) -> tuple[str, ...]:
        """The items that every system has a value for, in the order of the set."""
        return tuple(item for item in self.items if all(item in system.values for system in self.systems))

    @cached_property
    def declared(self) -> bool:
        """Whether the metric has a lowest and a highest value."""
        known = known_metric(self.metric)
        return known is not None and max(map(abs, known.bounds)) < float("inf")

    @cached_property
    def scale(self) -> Scale:
        """The metric's lowest and highest value; where it has none, those that were measured."""
        known = known_metric(self.metric)
        if known is not None and self.declared:
            return Scale(*known.bounds)
        values = [value for system in self.systems for value in system.values.values()]
        return Scale(min(values), max(values))

    @property
    def best(self) -> tuple[float, float] | None:
        """The best and the worst score; None if the metric has no such ends."""
        if self.higher is None or not self.declared:
            return None
        ends = (self.scale.high, self.scale.low)
        return ends if self.higher else (ends[1], ends[0])


def set_scores(items: Sequence[SetItem], readers: Sequence[RunReader], metric: str | None = None) -> SetScores:
    """Return the scores of the systems of all runs on the items of a set.

    Items and samples are paired as the samples of runs are: by id and question, or by question. Without a name, the
    metric is the first of the first run that all have.

    Raises:
        BadInput: a run has no answer to a question of the set, or there is no metric that all measured.
        ConfigurationError: the runs have no such metric.
    """
    sides = [
        side
        for reader, name in zip(readers, _names(readers), strict=True)
        for side in _sides(reader, name, alone=len(readers) == 1)
    ]
    places = {item.id: place_of(item.sample) for item in items}
    own = Side("", places, {}, by_question=any(side.by_question for side in sides))
    _, (_, *found) = paired([own, *sides])
    keys = pair_keys([own.places, *(side.places for side in sides)], by_question=own.by_question).of[0]
    item_of: dict[Key, str] = {}
    for identity, key in keys.items():
        item_of.setdefault(key, identity)
    _check_matched(sides, found, item_of)
    chosen = _chosen(metric, sides, found, item_of)
    systems = tuple(_scores(side.title, of, item_of, chosen) for side, of in zip(sides, found, strict=True))
    asked = set(item_of.values())
    return SetScores(
        chosen,
        {item.id: item for item in items if item.id in asked},
        {identity: places[identity].question for identity in item_of.values()},
        systems,
        higher_is_better(chosen, sides[0].signatures),
        tuple(_remarks(readers, systems, len(keys) - len(item_of))),
    )


def _names(readers: Sequence[RunReader]) -> list[str]:
    """Return the names of the folders, or their paths if these are equal."""
    names = [reader.folder.resolve().name for reader in readers]
    return names if len(set(names)) == len(names) else [str(reader.folder) for reader in readers]


def _sides(reader: RunReader, name: str, *, alone: bool) -> list[Side]:
    systems = systems_of(reader)
    if not systems:
        return [side_of(reader, name)]
    return systems if alone else [replace(side, title=f"{name} · {side.title}") for side in systems]


def _check_matched(sides: Sequence[Side], found: Sequence[PairedSide], item_of: Mapping[Key, str]) -> None:
    for side, of in zip(sides, found, strict=True):
        if item_of.keys().isdisjoint(of.answers):
            raise BadInput(
                f"{side.title} is not about this test set: 0 of its {len(of.answers)} questions match one of the "
                f"{len(item_of)} of the set, by id and question or by question alone; name a run of this set"
            )


def _chosen(name: str | None, sides: Sequence[Side], found: Sequence[PairedSide], item_of: Mapping[Key, str]) -> str:
    """Return the named metric, or the first that all measured; raise for one that a side lacks."""
    measured = [[m for m, of in side.values.items() if not item_of.keys().isdisjoint(of)] for side in found]
    every = list(dict.fromkeys(metric for of in measured for metric in of))
    shared = [metric for metric in every if all(metric in of for of in measured)]
    if name is None and shared:
        return shared[0]
    chosen = None if name is None else find_metric(name, every)
    if chosen in shared:
        return str(chosen)
    had = "; ".join(f"{side.title}: {', '.join(of) or 'none'}" for side, of in zip(sides, measured, strict=True))
    if chosen is None:
        raise BadInput(f"there is no metric that all runs have on the questions of the set; there are {had}")
    raise BadInput(f"not all runs have {chosen} on the questions of the set; there are {had}")


def _scores(name: str, side: PairedSide, item_of: Mapping[Key, str], metric: str) -> SystemScores:
    values = {item_of[key]: value for key, value in side.values[metric].items() if key in item_of}
    outside = len(side.answers.keys() - item_of.keys())
    return SystemScores(name, values, side.why_missing(metric, item_of), outside)


def _remarks(readers: Sequence[RunReader], systems: Sequence[SystemScores], repeated: int) -> Iterator[Message]:
    if repeated:
        yield Message("remark", "repeated_questions", n=repeated)
    for system in systems:
        if system.outside:
            yield Message("remark", "outside_set", n=system.outside, name=system.name)
    for reader in readers:
        tagged = [bool(sample.system) for sample in reader.samples()]
        if any(tagged) and not all(tagged):
            yield Message("remark", "without_system", n=tagged.count(False), name=str(reader.folder))
