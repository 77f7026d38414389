"""Similarity of texts, measured by the judge's embedder without a prompt."""

from dataclasses import dataclass

from saiten.protocols import Reply, Task


class Similarities(Reply):
    """Cosines in [-1, 1], one per other text."""

    values: list[float]


@dataclass(frozen=True, slots=True)
class MeasureSimilarity(Task[Similarities]):
    """Measure the cosine similarity of the embedding of `text` with those of the others."""

    reply = Similarities
    text: str
    others: tuple[str, ...]
