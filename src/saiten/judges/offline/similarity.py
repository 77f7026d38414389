"""Similarity: cosines of an embedder's vectors."""

import math

from saiten.errors import CannotJudge
from saiten.protocols import Embedder
from saiten.tasks.similarity import MeasureSimilarity, Similarities


async def measure_similarity(task: MeasureSimilarity, embedder: Embedder | None) -> Similarities:
    """Return the cosines of the text with each other text, within [-1, 1]; summed exactly, so order does not matter.

    Raises:
        CannotJudge: there is no embedder.
    """
    if embedder is None:
        raise CannotJudge("the offline judge was given no embedder, and without one it cannot measure similarity")
    embeddings = await embedder.embed((task.text, *task.others))
    first, *others = embeddings.vectors.tolist()
    cosines = [math.fsum(a * b for a, b in zip(first, other, strict=True)) for other in others]
    return Similarities(values=[min(1.0, max(-1.0, cosine)) for cosine in cosines]).with_usage(embeddings.usage)
