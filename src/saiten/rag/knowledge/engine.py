"""The interface to the vector store, implemented by a folder and by a server.

A base contains two kinds of points: chunks, which are found by their vectors, and one mark per document, which has no
vector and says which version of the document, one content of it, is complete. That is all an engine knows of them.

The chunks of a version are stored first; once they are on disk the mark is updated; the previous version's chunks are
removed last. So a mark is valid at every moment, even after a kill.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol
from uuid import NAMESPACE_URL, uuid5

from saiten.models.vectors import Vector
from saiten.rag.knowledge.terms import Terms

DENSE, TERMS = "dense", "terms"
"""The names of the two vectors of a chunk."""

VERSION, DOCUMENT = "version", "document"
"""The two fields used as filters: the version of the document a chunk is from; and one present only in marks."""


@dataclass(frozen=True, slots=True)
class Point:
    """An entry of the store."""

    id: str
    """A UUID; a point with the same id is replaced."""
    payload: Mapping[str, Any]
    """The data stored with the vectors, ready for JSON."""
    vectors: Mapping[str, Vector | Terms] = field(default_factory=dict)
    """A chunk's embedding and the weights of its terms, by name; a mark has none."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A point that was found."""

    id: str
    score: float
    """The inner product of query and point."""
    payload: Mapping[str, Any]


class Engine(Protocol):
    """Stores points and finds them by inner product.

    Methods raise ConfigurationError if the store is unusable, and CallFailed if a server failed.
    """

    @property
    def name(self) -> str:
        """The folder, or the server's address followed by the name; no key."""

    async def manifest(self) -> Mapping[str, Any] | None:
        """Return how the base was made; None if there is no base. Raises ConfigurationError for foreign data."""

    async def create(self, dimensions: int) -> None:
        """Create an empty store with this number of dimensions; `write_manifest` makes it a base."""

    async def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Store how the base was made, whole or not at all."""

    async def put(self, points: Sequence[Point]) -> None:
        """Store points in this order; they are found at once, and durable after `flush`."""

    async def present(self, ids: Sequence[str]) -> set[str]:
        """Return those ids that exist."""

    async def search(self, query: Vector | Terms, k: int, without: Sequence[str] = ()) -> list[Hit]:
        """Return the k chunks with the highest inner product, best first, excluding these document versions."""

    def marks(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the payload of every mark."""

    def chunks(self, without: Sequence[str] = ()) -> AsyncIterator[Point]:
        """Yield every chunk once, with its embedding, in the order of ids, excluding these document versions."""

    async def count(self, version: str) -> int:
        """Return the number of chunks of a document version."""

    async def remove_version(self, version: str) -> None:
        """Remove the chunks of a document version."""

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove these points; missing ones are ignored."""

    async def flush(self) -> None:
        """Write everything to disk; earlier points survive a kill."""

    async def tidy(self) -> None:
        """Reclaim the space of removed points."""

    async def close(self) -> None:
        """Close files and connections."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The state of one document in the base."""

    source: str
    digest: str | None = None
    """Hash of the complete version; None without a complete version."""
    chunks: int = 0
    pending: str | None = None
    """Hash of the version being stored."""
    stale: str | None = None
    """Hash of the version being removed."""

    @property
    def hidden(self) -> tuple[str, ...]:
        """The versions that may have chunks but must not be found."""
        return tuple(version(self.source, digest) for digest in (self.pending, self.stale) if digest)

    def point(self) -> Point:
        """Return the mark as a point."""
        payload = {DOCUMENT: self.source, "digest": self.digest, "chunks": self.chunks}
        return Point(mark_id(self.source), payload | {"pending": self.pending, "stale": self.stale})

    @classmethod
    def read(cls, payload: Mapping[str, Any]) -> "Mark":
        """Read the mark from a payload."""
        digest, pending, stale = (payload.get(key) for key in ("digest", "pending", "stale"))
        return cls(str(payload[DOCUMENT]), digest, int(payload.get("chunks") or 0), pending, stale)


def version(source: str, digest: str) -> str:
    """Name one content of one document."""
    return sha256(f"{source}\0{digest}".encode()).hexdigest()[:32]


def mark_id(source: str) -> str:
    """Return the id of the document's mark."""
    return str(uuid5(NAMESPACE_URL, f"saiten:document:{source}"))


def chunk_id(version: str, start: int, end: int) -> str:
    """Return the id of a chunk, determined by content and place so that none can exist twice."""
    return str(uuid5(NAMESPACE_URL, f"saiten:chunk:{version}:{start}:{end}"))
