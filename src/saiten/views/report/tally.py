"""One reading of a run for its report: the summary, its values, each metric's cost, the shown scores."""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from saiten.dialogue.reading import has_dialogues
from saiten.records import Language, Scored, Usage
from saiten.results.summary import Place, Summary, place_of, summarise
from saiten.runs import RunReader
from saiten.views.report.choosing import Choice
from saiten.views.report.kept import Kept

_SYSTEMS_AT_MOST = 12
"""With more systems than this, distributions are drawn over all of them together."""

Values = Mapping[str, Mapping[str, "array[float]"]]
"""By metric, then by system; "" for everything, if there are no systems or too many."""


@dataclass(frozen=True, slots=True)
class Told:
    """The facts that a run's samples provide."""

    places: Mapping[str, Place]
    """By sample id."""
    languages: Mapping[Language, int]
    groups: int
    bad_rows: int
    """Number of unusable rows in the data."""

    @property
    def systems(self) -> list[str]:
        """In order of occurrence."""
        return list(dict.fromkeys(place.system for place in self.places.values() if place.system))


@dataclass(frozen=True, slots=True)
class Tally:
    """The facts about a run for its report."""

    reader: RunReader
    name: str
    """Short, and unique in the report."""
    told: Told
    summary: Summary
    values: Values
    spent: Mapping[str, Usage]
    """By metric."""
    scores: int
    kept: Kept
    dialogues: bool
    """Whether the run consists of dialogues."""

    @property
    def metrics(self) -> list[str]:
        """Metrics with scores, in the order of the run."""
        return list(dict.fromkeys([*(one for one in self.summary.signatures if one in self.spent), *self.spent]))

    @property
    def measured(self) -> int:
        """Number of scores with a value."""
        return sum(figure.n for figure in self.summary.figures if figure.system is None and figure.group is None)

    @property
    def unfinished(self) -> bool:
        """Whether scores are still to come, as far as recorded."""
        if self.reader.manifest.finished is None:
            return self.scores < self.expected
        return self.reader.unfinished

    @property
    def expected(self) -> int:
        """Number of scores once the samples read so far are done."""
        return len(self.told.places) * len(self.reader.manifest.signatures)

    @property
    def lost(self) -> int:
        """Number of scores missing because of unusable rows."""
        return self.told.bad_rows * len(self.reader.manifest.signatures)


def told_by(reader: RunReader) -> Told:
    """Read the samples once."""
    places: dict[str, Place] = {}
    languages: Counter[Language] = Counter()
    for sample in reader.samples():
        places[sample.id] = place_of(sample)
        languages[sample.language] += 1
    groups = {place.group for place in places.values() if place.group is not None}
    return Told(places, languages, len(groups), reader.bad_rows())


@dataclass(slots=True)
class _Sums:
    values: dict[str, dict[str, "array[float]"]] = field(default_factory=dict)
    spent: dict[str, Usage] = field(default_factory=dict)
    scores: int = 0


def tally(reader: RunReader, name: str, told: Told, choice: Choice) -> Tally:
    """Read the scores once; those of the shown samples are kept, compressed."""
    sums, kept = _Sums(), Kept()
    split = 0 < len(told.systems) <= _SYSTEMS_AT_MOST
    summary = summarise(
        _watched(reader, told, choice, sums, kept, split=split),
        told.places,
        reader.manifest.signatures,
        bad_rows=told.bad_rows,
        paid=reader.paid(),
    )
    return Tally(reader, name, told, summary, sums.values, sums.spent, sums.scores, kept, has_dialogues(reader))


def _watched(
    reader: RunReader, told: Told, choice: Choice, sums: _Sums, kept: Kept, *, split: bool
) -> Iterator[Scored]:
    for one in reader.scores():
        place = told.places.get(one.sample)
        if place is not None:
            sums.scores += 1
        sums.spent[one.metric] = sums.spent.get(one.metric, Usage()) + one.score.usage
        if one.score.value is not None:
            system = (place.system or "") if split and place is not None else ""
            sums.values.setdefault(one.metric, {}).setdefault(system, array("d")).append(one.score.value)
        if place is not None and choice.holds(one.sample):
            kept.keep(one)
        yield one
