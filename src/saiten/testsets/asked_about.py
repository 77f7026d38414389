"""Which chunks of which documents the questions of a test set are about, and which none is."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from saiten.rag.knowledge.base import document_digests
from saiten.rag.knowledge.engine import VERSION, Engine, version
from saiten.testsets.items import SetItem, SetPassage

_HALF = 0.5
"""Share of the shorter of two pieces of text that both have, for one to be about the other."""

Unplaced = Literal["no_passage", "other_document", "changed_text", "unknown_text"]
"""Why no place in the documents was found for a question or passage: the question has no passage · its document is not
in the base · the document has changed, and the text is no longer in it · the passage has no place and its text is no
chunk of the base."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of a document."""

    start: int
    """In the document's text, in characters."""
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document of the base with its chunks, in order of their places."""

    source: str
    digest: str
    chunks: tuple[StoredChunk, ...]

    @property
    def text(self) -> str:
        """Its text as far as chunks have it: the white space between them is spaces, and overlaps are not repeated."""
        pieces, end = list[str](), 0
        for chunk in self.chunks:
            pieces.append(" " * (chunk.start - end) + chunk.text[max(end - chunk.start, 0) :])
            end = max(end, chunk.end)
        return "".join(pieces)


@dataclass(frozen=True, slots=True)
class AskedChunk:
    """A chunk, and the questions about it."""

    start: int
    end: int
    items: tuple[str, ...] = ()
    """Their ids, in the order of the set."""


@dataclass(frozen=True, slots=True)
class AskedDocument:
    """A document, and the questions about it."""

    source: str
    chunks: tuple[AskedChunk, ...]

    @property
    def length(self) -> int:
        """Its length in characters."""
        return max((chunk.end for chunk in self.chunks), default=0)

    @property
    def asked(self) -> int:
        """The number of chunks that a question is about."""
        return sum(bool(chunk.items) for chunk in self.chunks)

    @property
    def questions(self) -> int:
        """The number of questions about it."""
        return len({item for chunk in self.chunks for item in chunk.items})


@dataclass(frozen=True, slots=True)
class AskedBase:
    """All documents of a base."""

    documents: tuple[AskedDocument, ...]
    """By name."""
    questions: int
    """Number of questions with a place in a document."""
    unplaced: Mapping[Unplaced, int]
    """Number of questions without a passage, and of passages without a place."""

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return sum(len(document.chunks) for document in self.documents)

    @property
    def asked_chunks(self) -> int:
        """The number of chunks that a question is about."""
        return sum(document.asked for document in self.documents)

    @property
    def asked_documents(self) -> int:
        """The number of documents that a question is about."""
        return sum(document.asked > 0 for document in self.documents)


async def stored_documents(engine: Engine) -> list[StoredDocument]:
    """Read the complete documents of a base, by name.

    Raises:
        ConfigurationError: the base is unreadable.
        CallFailed: its server failed.
    """
    digests = await document_digests(engine)
    versions = {version(source, digest): source for source, digest in digests.items()}
    found: dict[str, list[StoredChunk]] = {source: [] for source in digests}
    async for point in engine.chunks():
        kept = point.payload
        source = versions.get(str(kept.get(VERSION)))
        if source is not None:
            found[source].append(StoredChunk(int(kept["start"]), int(kept["end"]), str(kept["text"])))
    return [
        StoredDocument(source, digests[source], tuple(sorted(found[source], key=lambda each: (each.start, each.end))))
        for source in sorted(found)
    ]


def asked_about(items: Iterable[SetItem], documents: Sequence[StoredDocument]) -> AskedBase:
    """Find the chunks that the passages of the items are from.

    A passage is found by its place if its document has not changed since, else by its text. It is about each chunk with
    which it shares half of the shorter of both; one that is spread too thinly for that, about the one with most of it.
    """
    finder = _Finder(documents)
    asked: dict[tuple[str, int], dict[str, None]] = {}
    unplaced: Counter[Unplaced] = Counter()
    placed = set()
    for item in items:
        if not item.passages:
            unplaced["no_passage"] += 1
        for passage in item.passages:
            places = finder.places(passage)
            if isinstance(places, str):
                unplaced[places] += 1
                continue
            placed.add(item.id)
            for place in places:
                asked.setdefault(place, {})[item.id] = None
    return AskedBase(tuple(_asked(document, asked) for document in documents), len(placed), unplaced)


def _asked(document: StoredDocument, asked: Mapping[tuple[str, int], Iterable[str]]) -> AskedDocument:
    chunks = (
        AskedChunk(chunk.start, chunk.end, tuple(asked.get((document.source, number), ())))
        for number, chunk in enumerate(document.chunks)
    )
    return AskedDocument(document.source, tuple(chunks))


class _Finder:
    """Finds the chunks that a passage is from: their documents and numbers."""

    def __init__(self, documents: Sequence[StoredDocument]) -> None:
        self._documents = {document.source: document for document in documents}
        self._starts = {document.source: [chunk.start for chunk in document.chunks] for document in documents}

    @cached_property
    def _by_text(self) -> dict[str, tuple[str, int]]:
        """The first chunk with each text."""
        found: dict[str, tuple[str, int]] = {}
        for document in self._documents.values():
            for number, chunk in enumerate(document.chunks):
                found.setdefault(_squeezed(chunk.text), (document.source, number))
        return found

    def places(self, passage: SetPassage) -> list[tuple[str, int]] | Unplaced:
        if not passage.source:
            found = self._by_text.get(_squeezed(passage.text))
            return "unknown_text" if found is None else [found]
        document = self._documents.get(passage.source)
        if document is None:
            return "other_document"
        same = passage.document in {"", document.digest}
        if same and passage.start is not None and passage.end is not None and passage.start < passage.end:
            numbers = self._overlapping(document, passage.start, passage.end)
        else:
            numbers = list(_with_text(document, passage.text))
        return [(document.source, number) for number in numbers] if numbers else "changed_text"

    def _overlapping(self, document: StoredDocument, start: int, end: int) -> list[int]:
        starts = self._starts[document.source]
        # Chunks have at most a few times the usual length, and they are sorted by start only.
        longest = max((chunk.end - chunk.start for chunk in document.chunks), default=0)
        near = range(bisect_right(starts, start - longest), bisect_left(starts, end))
        shared = {}
        for number in near:
            chunk = document.chunks[number]
            common = min(end, chunk.end) - max(start, chunk.start)
            if common > 0:
                shared[number] = common / min(end - start, chunk.end - chunk.start)
        best = max(shared.values(), default=math.inf)
        return [number for number, share in shared.items() if share >= min(_HALF, best)]


def _with_text(document: StoredDocument, text: str) -> Iterator[int]:
    wanted = _squeezed(text)
    for number, chunk in enumerate(document.chunks):
        had = _squeezed(chunk.text)
        if wanted and (wanted in had or had in wanted):
            yield number


def _squeezed(text: str) -> str:
    return " ".join(text.split())
