"""The similarity of texts, which every judge measures with its embedder."""

from saiten.errors import CallFailed, CannotJudge
from saiten.models.vectors import cosines
from saiten.protocols import Embedder
from saiten.tasks.similarity import MeasureSimilarity, Similarities


async def measure_similarity(task: MeasureSimilarity, embedder: Embedder | None) -> Similarities:
    """Return the cosines of the text with each other text, within [-1, 1].

    Raises:
        CannotJudge: there is no embedder.
        CallFailed: the embedder failed, or sent another number of vectors.
    """
    if embedder is None:
        raise CannotJudge("the judge was given no embedder, and without one it cannot measure similarity")
    if not task.others:
        return Similarities(values=[])
    texts = (task.text, *task.others)
    embeddings = await embedder.embed(texts)
    if len(embeddings.vectors) != len(texts):
        got = len(embeddings.vectors)
        raise CallFailed(f"{embedder.name} sent {got} vectors for {len(texts)} texts", embeddings.usage)
    return Similarities(values=cosines(embeddings.vectors)).with_usage(embeddings.usage)
