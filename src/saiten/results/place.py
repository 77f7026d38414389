"""The question, system and group of a sample."""

from dataclasses import dataclass

from saiten.records import Sample


@dataclass(frozen=True, slots=True)
class Place:
    """The question, system and group of a sample."""

    question: str
    """Samples of one question are resampled together."""
    system: str | None = None
    group: str | None = None


def place_of(sample: Sample) -> Place:
    """Return the sample's place; a sample without a question is a cluster of its own."""
    return Place(sample.question or own_question(sample.id), sample.system, sample.group)


def own_question(identity: str) -> str:
    """Return the question of a sample without one."""
    return f"\0{identity}"
