"""The knowledge base as it is searched: the passages with the highest inner product, the best five by default."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from saiten.choices import Retrieval
from saiten.errors import ConfigurationError
from saiten.models.vectors import Vector
from saiten.protocols import Embedder
from saiten.rag.knowledge.engine import Engine, Hit
from saiten.rag.knowledge.fusion import fuse
from saiten.rag.knowledge.manifest import KnowledgeManifest
from saiten.rag.knowledge.marks import Mark
from saiten.rag.knowledge.terms import query_terms
from saiten.records import Passage, Retrieved, Usage


@dataclass(frozen=True, slots=True)
class Contents:
    """What a base holds."""

    documents: int
    """Documents that are whole."""
    chunks: int
    """Their chunks."""
    digest: str
    """Hash of what they say, whatever their names and order."""
    hidden: tuple[str, ...]
    """Versions of documents of which only a part is there, or which are being removed."""


class KnowledgeBase:
    """Finds passages. A `Retriever`; closed by `close`, which closes engine and embedder."""

    def __init__(
        self,
        engine: Engine,
        embedder: Embedder,
        manifest: KnowledgeManifest,
        contents: Contents,
        *,
        retrieval: Retrieval = "dense",
        k: int = 5,
    ) -> None:
        if k < 1:
            raise ConfigurationError(f"at least one passage must be asked for, k is {k}")
        self.manifest = manifest
        self.contents = contents
        self._engine = engine
        self._embedder = embedder
        self._retrieval = retrieval
        self._k = k

    def __repr__(self) -> str:
        return f"KnowledgeBase({self._engine.name!r}, {self.name})"

    @property
    def name(self) -> str:
        """What it holds and how it is searched, as it stands in signatures; a copy elsewhere is the same base."""
        return f"kb[{','.join(f'{key}={value}' for key, value in self.describe().items())}]"

    def describe(self) -> Mapping[str, str]:
        """What a passage depends on, the query apart; where the base lies is not part of it."""
        return {
            "embedder": self.manifest.embedder_name,
            "chunks": f"{self.manifest.chunk_size}/{self.manifest.overlap}{'/exact' if self.manifest.exact else ''}",
            "retrieval": self._retrieval if self._retrieval == "dense" else f"{self._retrieval}-{self.manifest.terms}",
            "k": str(self._k),
            "content": f"{self.contents.chunks}-{self.contents.digest}",
        }

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        """The k best passages, and what embedding the query cost.

        A passage's score is the inner product (of the embeddings, or BM25), with `hybrid` the sum of 1 / (60 + rank). A
        query without a letter or digit finds nothing; nor does any query in an empty base, and no embedder is asked.
        """
        wanted = min(self._k if k is None else k, self.contents.chunks)
        if wanted < 1:
            return Retrieved(())
        # Only the k best of each: were the rankings deeper, whatever is somewhere in both would push out what one of
        # them finds first. So the first by terms, where a product code stands, is always among the k of hybrid.
        rankings, usage = [], Usage()
        if self._retrieval != "dense":
            rankings.append(await self._by_terms(query, wanted))
        if self._retrieval != "bm25":
            found, usage = await self._dense(query, wanted)
            rankings.append(found)
        hits = rankings[0] if len(rankings) == 1 else fuse(rankings)
        return Retrieved(tuple(_passage(hit) for hit in hits[:wanted]), usage)

    async def close(self) -> None:
        try:
            await self._engine.close()
        finally:
            await self._embedder.close()

    async def _dense(self, query: str, k: int) -> tuple[list[Hit], Usage]:
        embedded = await self._embedder.embed([query])
        vector: Vector = embedded.vectors[0]
        if not vector.any():  # nothing to compare: all passages would be equally near
            return [], embedded.usage
        if vector.size != self.manifest.dimensions:
            raise ConfigurationError(
                f"{self._embedder.name} gave {vector.size} dimensions, the knowledge base {self._engine.name} has "
                f"{self.manifest.dimensions}: the model behind the name has changed; index into a new knowledge base"
            )
        return await self._engine.search(vector, k, self.contents.hidden), embedded.usage

    async def _by_terms(self, query: str, k: int) -> list[Hit]:
        terms = query_terms(query)
        return await self._engine.search(terms, k, self.contents.hidden) if terms.indices else []


async def read_contents(engine: Engine) -> Contents:
    """What the base holds, from its marks."""
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


def _passage(hit: Hit) -> Passage:
    kept: Mapping[str, Any] = hit.payload
    return Passage(
        str(kept.get("text", "")), str(kept.get("source", "")), hit.score, kept.get("start"), kept.get("end")
    )
