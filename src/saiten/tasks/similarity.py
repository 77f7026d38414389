"""Similarity of texts; performed by the judge's embedder, no prompt involved."""

from dataclasses import dataclass

from saiten.protocols import Reply, Task


class Similarities(Reply):
    """Cosines in [-1, 1], one for each of the other texts."""

    values: list[float]


@dataclass(frozen=True, slots=True)
class MeasureSimilarity(Task[Similarities]):
    """The cosine similarity of the embedding of `text` with those of the others."""

    reply = Similarities
    text: str
    others: tuple[str, ...]
