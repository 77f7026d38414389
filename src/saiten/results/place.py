"""The question, system and group of a sample."""

from dataclasses import dataclass

from saiten.records import Sample


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

    @property
    def paired_by(self) -> str:
        """The question by which answers are paired; in a conversation, with those before it."""
        return self.question if self.asked is None else self.asked


def place_of(sample: Sample) -> Place:
    """Return the sample's place; a sample without a question is a cluster of its own."""
    asked = sample.asked or own_question(sample.id)
    cluster = cluster_of(sample.id, sample.question, sample.conversation)
    return Place(cluster, sample.system, sample.group, None if cluster == asked else asked)


def cluster_of(identity: str, question: str, conversation: str | None) -> str:
    """Return what a sample is resampled with: its conversation, its question, or nothing else."""
    if conversation is not None:
        return f"{conversation}\0"  # no question ends like this
    return question or own_question(identity)


def own_question(identity: str) -> str:
    """Return the question of a sample without one."""
    return f"\0{identity}"
