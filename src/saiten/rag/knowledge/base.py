"""Searching a knowledge base: the passages with the highest inner product, five by default."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from hashlib import sha256
from typing import Any

from saiten.choices import Retrieval
from saiten.errors import ConfigurationError
from saiten.models.vectors import Vector
from saiten.protocols import Embedder
from saiten.rag.knowledge.engine import Engine, Hit, Mark
from saiten.rag.knowledge.opening import KnowledgeManifest
from saiten.rag.knowledge.terms import query_terms
from saiten.records import Passage, Retrieved, Usage

K = 60
"""The constant of reciprocal rank fusion."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A summary of what a base contains."""

    documents: int
    """Number of complete documents."""
    chunks: int
    digest: str
    """Hash of their contents, independent of names and order."""
    hidden: tuple[str, ...]
    """Versions of documents that are incomplete or being removed."""


@dataclass(frozen=True, slots=True, eq=False)
class KnowledgeBase:
    """Finds passages. A `Retriever`; `close` closes engine and embedder."""

    engine: Engine
    embedder: Embedder
    manifest: KnowledgeManifest
    contents: Contents
    _: KW_ONLY
    retrieval: Retrieval = "dense"
    k: int = 5

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ConfigurationError(f"at least one passage must be requested, k is {self.k}")

    def __repr__(self) -> str:
        return f"KnowledgeBase({self.engine.name!r}, {self.name})"

    @property
    def name(self) -> str:
        """The contents and search settings, for signatures; a copy elsewhere has the same name."""
        return f"kb[{','.join(f'{key}={value}' for key, value in self.describe().items())}]"

    def describe(self) -> Mapping[str, str]:
        """Return everything but the query that passages depend on, except the base's location."""
        return {
            "embedder": self.manifest.embedder_name,
            "chunks": f"{self.manifest.chunk_size}/{self.manifest.overlap}{'/exact' if self.manifest.exact else ''}",
            "retrieval": self.retrieval if self.retrieval == "dense" else f"{self.retrieval}-{self.manifest.terms}",
            "k": str(self.k),
            "content": f"{self.contents.chunks}-{self.contents.digest}",
        }

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        """Return the k best passages, and the cost of embedding the query.

        The score is the inner product (of embeddings, or BM25), or with `hybrid` the sum of 1 / (60 + rank). A query
        without a letter or digit finds nothing; an empty base finds nothing and calls no embedder.
        """
        wanted = min(self.k if k is None else k, self.contents.chunks)
        if wanted < 1:
            return Retrieved(())
        # Fuse only the k best of each: in deeper rankings, anything found by both would displace what one of them ranks
        # first. So the best match by terms, such as a product code, is always among hybrid's k.
        rankings, usage = [], Usage()
        if self.retrieval != "dense":
            terms = query_terms(query)
            found = await self.engine.search(terms, wanted, self.contents.hidden) if terms.indices else []
            rankings.append(found)
        if self.retrieval != "bm25":
            found, usage = await self._dense(query, wanted)
            rankings.append(found)
        hits = rankings[0] if len(rankings) == 1 else fuse(rankings)
        return Retrieved(tuple(_passage(hit) for hit in hits[:wanted]), usage)

    async def close(self) -> None:
        try:
            await self.engine.close()
        finally:
            await self.embedder.close()

    async def _dense(self, query: str, k: int) -> tuple[list[Hit], Usage]:
        if not query.strip():  # near to nothing, whatever a model makes of white space
            return [], Usage()
        embedded = await self.embedder.embed([query])
        vector: Vector = embedded.vectors[0]
        if not vector.any():  # all passages would be equally near
            return [], embedded.usage
        if vector.size != self.manifest.dimensions:
            raise ConfigurationError(
                f"{self.embedder.name} gave {vector.size} dimensions, the knowledge base {self.engine.name} has "
                f"{self.manifest.dimensions}: the model behind the name has changed; index into a new knowledge base"
            )
        return await self.engine.search(vector, k, self.contents.hidden), embedded.usage


async def read_contents(engine: Engine) -> Contents:
    """Summarize the base from its marks."""
    digests: list[str] = []
    hidden: list[str] = []
    chunks = 0
    async for payload in engine.marks():
        mark = Mark.read(payload)
        hidden += mark.hidden
        if mark.digest is not None:
            digests.append(mark.digest)
            chunks += mark.chunks
    content = sha256("\n".join(sorted(digests)).encode()).hexdigest()[:12]
    return Contents(len(digests), chunks, content, tuple(hidden))


async def document_digests(engine: Engine) -> dict[str, str]:
    """Return the digest of each complete document of the base, by source."""
    marks = [Mark.read(payload) async for payload in engine.marks()]
    return {mark.source: mark.digest for mark in marks if mark.digest is not None}


def _passage(hit: Hit) -> Passage:
    kept: Mapping[str, Any] = hit.payload
    return Passage(
        str(kept.get("text", "")), str(kept.get("source", "")), hit.score, kept.get("start"), kept.get("end")
    )


def fuse(rankings: Sequence[Sequence[Hit]], k: int = K) -> list[Hit]:
    """Fuse rankings by reciprocal rank: a hit's score is the sum over rankings of 1 / (k + rank), with ranks from 1.

    Equal scores keep the order of the rankings. Source: Cormack, Clarke and Büttcher 2009, *Reciprocal Rank Fusion
    outperforms Condorcet and individual Rank Learning Methods*.
    """
    scores: dict[str, float] = {}
    hits: dict[str, Hit] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit.id] = scores.get(hit.id, 0.0) + 1 / (k + rank)
            hits.setdefault(hit.id, hit)
    return [replace(hits[each], score=scores[each]) for each in sorted(scores, key=scores.__getitem__, reverse=True)]
