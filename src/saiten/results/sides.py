"""The sides of a comparison: runs, or systems of a run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from saiten.errors import BadInput
from saiten.records import Sample, Scored, Status
from saiten.results.place import Place, place_of
from saiten.runs import RunReader


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
    signatures: Mapping[str, str] = field(default_factory=dict)
    """Those of the run, by metric."""

    @property
    def measured(self) -> list[str]:
        """Metrics with at least one value."""
        return [metric for metric, of in self.scores.items() if any(isinstance(one, float) for one in of.values())]


def side_of(reader: RunReader, name: str, system: str | None = None) -> Side:
    """Return a run, or one of its systems by question.

    Raises:
        BadInput: the run has no samples of the system.
    """
    samples = (sample for sample in reader.samples() if system is None or sample.system == system)
    side = side_from(samples, reader.scores(), name, reader.manifest.signatures, by_question=system is not None)
    if not side.places and system is not None:
        raise BadInput(f"{reader.folder} has no samples of the system {system!r}")
    return side


def side_from(
    samples: Iterable[Sample],
    scores: Iterable[Scored],
    name: str,
    signatures: Mapping[str, str],
    *,
    by_question: bool = False,
) -> Side:
    """Build a side from samples and their scores."""
    places = {sample.id: place_of(sample) for sample in samples}
    return _sides({name: places}, scores, signatures, by_question=by_question)[0]


def systems_of(reader: RunReader) -> list[Side]:
    """Return the systems of a run by question, in order of occurrence; empty for fewer than two."""
    places: dict[str, dict[str, Place]] = {}
    for sample in reader.samples():
        if sample.system:
            places.setdefault(sample.system, {})[sample.id] = place_of(sample)
    signatures = reader.manifest.signatures
    return _sides(places, reader.scores(), signatures, by_question=True) if len(places) > 1 else []


def _sides(
    places: Mapping[str, Mapping[str, Place]],
    scores: Iterable[Scored],
    signatures: Mapping[str, str],
    *,
    by_question: bool,
) -> list[Side]:
    names = {identity: name for name, of in places.items() for identity in of}
    found: dict[str, dict[str, dict[str, float | Status]]] = {name: {} for name in places}
    for one in scores:
        if one.sample in names:
            value = one.score.status if one.score.value is None else float(one.score.value)
            found[names[one.sample]].setdefault(one.metric, {})[one.sample] = value
    return [Side(name, of, found[name], by_question, signatures) for name, of in places.items()]
