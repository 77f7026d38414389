"""The question, system and group of a sample."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from saiten.records import Sample
from saiten.results.labeled_answers import answer_digest


@dataclass(frozen=True, slots=True)
class Place:
    """The question, system and group of a sample."""

    question: str
    """Samples of one question are resampled together; of a conversation, all samples, since they depend on each other:
    it takes the place of their questions."""
    system: str | None = None
    group: str | None = None
    asked: str | None = None
    """The question by which answers are paired; None: `question`."""
    answer_digest: str | None = None
    """The digest of the answer, "" without one; None where no labels are paired with answers."""

    @property
    def paired_by(self) -> str:
        """The question by which answers are paired; in a conversation, with those before it."""
        return self.question if self.asked is None else self.asked


def place_of(sample: Sample) -> Place:
    """Return the sample's place; a sample without a question is a cluster of its own."""
    asked = sample.asked or own_question(sample.id)
    cluster = cluster_of(sample.id, sample.question, sample.conversation)
    return Place(cluster, sample.system, sample.group, None if cluster == asked else asked)


def labeled_place_of(sample: Sample) -> Place:
    """Return the sample's place with the digest of its answer, so that labels of another text are recognized."""
    return replace(place_of(sample), answer_digest=answer_digest(sample))


def digests_of(places: Mapping[str, Place]) -> dict[str, str]:
    """Return the known digests of answers, by id."""
    return {identity: place.answer_digest for identity, place in places.items() if place.answer_digest is not None}


def cluster_of(identity: str, question: str, conversation: str | None) -> str:
    """Return what a sample is resampled with: its conversation, its question, or nothing else."""
    if conversation is not None:
        return f"{conversation}\0"  # no question ends like this
    return question or own_question(identity)


def own_question(identity: str) -> str:
    """Return the question of a sample without one."""
    return f"\0{identity}"
