"""The passages of a knowledge base that a question can be written from."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from saiten.models.vectors import Vector
from saiten.rag.knowledge.base import KnowledgeBase, document_digests
from saiten.rag.knowledge.engine import DENSE, VERSION, Point, version
from saiten.records import Language
from saiten.testsets.items import SetPassage
from saiten.testsets.plan.askable import Unasked, is_written, why_unasked
from saiten.testsets.plan.clusters import Numbers, clusters_of
from saiten.testsets.plan.sections import SEPARATOR, Outline
from saiten.testsets.plan.vocabulary import NearCopies, Vocabulary, Words
from saiten.text.language import detect_language

MOST_DIMENSIONS = 256
"""Dimensions kept of embeddings; by chance, distances change by some 5 %, which clusters can bear."""

_BATCH = 1_024
_TARGET = re.compile(r"\]\([^)\n]*\)")
"""The address of a link, whose words say nothing about the passage."""


@dataclass(frozen=True, slots=True)
class BasePassage:
    """A chunk of a complete document that says something."""

    passage: SetPassage
    section: str
    """The headings above most of its text, `Title > Heading`; "" if there are none."""
    language: Language
    """The language of its prose, without code."""
    written: bool
    """Whether most of it is sentences, rather than code and tables."""


@dataclass(frozen=True, slots=True, eq=False)
class BasePassages:
    """All passages of a base, in order of documents' names and of places in them."""

    passages: Sequence[BasePassage]
    clusters: Numbers
    """The number of the cluster of each, by their embeddings."""
    words: Sequence[Words]
    """The content words of their headings and prose, as numbered by `vocabulary`."""
    vocabulary: Vocabulary
    left_out: Mapping[Unasked, int]
    """Number of chunks with nothing to ask about, by reason."""
    documents: int
    """The number of documents with a passage."""


@dataclass(frozen=True, slots=True)
class _StoredChunk:
    source: str
    start: int
    end: int
    text: str
    digest: str
    row: int
    """Its row among the vectors as read."""


async def read_passages(base: KnowledgeBase) -> BasePassages:
    """Read the passages of the base's complete documents.

    Raises:
        ConfigurationError: the base is unreadable.
        CallFailed: its server failed.
    """
    digests = await document_digests(base.engine)
    chunks: list[_StoredChunk] = []
    rows: list[Vector] = []
    waiting: list[Vector] = []
    dimensions = base.manifest.dimensions
    projection = _projection(dimensions)
    async for point in base.engine.chunks(base.contents.hidden):
        chunk = _chunk(point, digests, len(chunks))
        if chunk is not None:
            chunks.append(chunk)
            waiting.append(np.asarray(point.vectors[DENSE], np.float32))
        if len(waiting) == _BATCH:
            rows.append(_projected(waiting, projection))
            waiting = []
    rows += [_projected(waiting, projection)] if waiting else []
    vectors = np.concatenate(rows) if rows else np.zeros((0, min(dimensions, MOST_DIMENSIONS)), np.float32)
    rows.clear()
    clusters = await asyncio.to_thread(clusters_of, vectors)
    del vectors
    return await asyncio.to_thread(_sifted, chunks, clusters)


def _chunk(point: Point, digests: Mapping[str, str], row: int) -> _StoredChunk | None:
    """Return the chunk; None if it is of a version that is not its document's complete one."""
    kept = point.payload
    source = str(kept.get("source", ""))
    digest = digests.get(source)
    if digest is None or kept.get(VERSION) != version(source, digest):
        return None
    return _StoredChunk(source, int(kept["start"]), int(kept["end"]), str(kept["text"]), digest, row)


def _projection(dimensions: int) -> Vector | None:
    """Return a fixed random matrix; Johnson and Lindenstrauss 1984: it keeps distances, whatever the vectors."""
    if dimensions <= MOST_DIMENSIONS:
        return None
    drawn = np.random.default_rng(0).standard_normal((dimensions, MOST_DIMENSIONS), np.float32)
    return drawn / np.float32(np.sqrt(MOST_DIMENSIONS))


def _projected(vectors: Sequence[Vector], projection: Vector | None) -> Vector:
    stacked = np.stack(vectors)
    return stacked if projection is None else stacked @ projection


def _sifted(chunks: list[_StoredChunk], clusters: Numbers) -> BasePassages:
    """Sort the chunks, find their sections, and leave out those with nothing to ask about."""
    chunks.sort(key=lambda chunk: (chunk.source, chunk.start))
    vocabulary = Vocabulary()
    copies = NearCopies(vocabulary)
    left_out: Counter[Unasked] = Counter()
    kept: list[BasePassage] = []
    words: list[Words] = []
    rows: list[int] = []
    for chunk, section, prose, code in _read_in_order(chunks):
        reason, found = why_unasked(chunk.text, prose, code=code), vocabulary.read(chunk.text)
        if reason is None and copies.is_copy(chunk.text, found):
            reason = "copy"
        if reason is not None:
            left_out[reason] += 1
            continue
        passage = SetPassage(chunk.text, chunk.source, chunk.start, chunk.end, chunk.digest)
        kept.append(BasePassage(passage, section, detect_language(prose), is_written(chunk.text, prose)))
        said = _TARGET.sub("]", prose)
        if said != chunk.text:
            found = vocabulary.read(said)
        words.append(np.union1d(found, vocabulary.read(_own_title(section))))
        rows.append(chunk.row)
    documents = len({each.passage.source for each in kept})
    return BasePassages(kept, clusters[rows], words, vocabulary, dict(left_out), documents)


def _own_title(section: str) -> str:
    """Return the lowest heading, unless it is the only one: the title of a document is in all of its passages."""
    return section.rpartition(SEPARATOR)[2] if SEPARATOR in section else ""


def _read_in_order(chunks: Sequence[_StoredChunk]) -> Iterator[tuple[_StoredChunk, str, str, bool]]:
    """Yield each chunk with its section, its prose, and whether it has code, document by document."""
    for _, grouped in groupby(chunks, key=lambda chunk: chunk.source):
        document = list(grouped)
        outline = Outline((chunk.start, chunk.text) for chunk in document)
        for chunk in document:
            start, end = chunk.start, chunk.end
            yield chunk, outline.section(start, end), outline.prose(start, chunk.text), outline.has_code(start, end)
