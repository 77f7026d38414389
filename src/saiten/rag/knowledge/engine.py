"""The seam to what stores and searches vectors: one small protocol, a folder and a server behind it.

A base holds two kinds of points: chunks, which are found by their vectors, and one mark a document, which has no vector
and says which version of the document is whole (`marks.py`). An engine knows nothing of either beyond that.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from saiten.models.vectors import Vector
from saiten.rag.knowledge.terms import Terms

DENSE, TERMS = "dense", "terms"
"""The names of the two vectors of a chunk."""

VERSION, DOCUMENT = "version", "document"
"""The two fields that are filtered by: which version of a document a chunk is from; present in marks only."""


@dataclass(frozen=True, slots=True)
class Point:
    """One entry of the store."""

    id: str
    """A UUID; a point of the same id is replaced."""
    payload: Mapping[str, Any]
    """What is kept beside the vectors, ready for JSON."""
    dense: Vector | None = None
    """The embedding; None in a mark."""
    terms: Terms | None = None
    """The weights of its terms; None in a mark."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A point that was found."""

    id: str
    score: float
    """The inner product of query and point."""
    payload: Mapping[str, Any]


class Engine(Protocol):
    """Stores points and finds them by inner product.

    Every method raises ConfigurationError where the store cannot be used at all, and CallFailed where a server failed.
    """

    @property
    def name(self) -> str:
        """The folder, or the server's address with the name behind it; no key."""
        ...

    async def manifest(self) -> Mapping[str, Any] | None:
        """How the base was made; None if there is none yet. Raises ConfigurationError for what is no base of ours."""
        ...

    async def create(self, dimensions: int) -> None:
        """Make room for points with so many dimensions; `write_manifest` makes it a base."""
        ...

    async def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Keep how the base was made, as a whole or not at all."""
        ...

    async def put(self, points: Sequence[Point]) -> None:
        """Store these points, in this order; what is stored is found at once, and durable after `flush`."""
        ...

    async def present(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids under which there is a point."""
        ...

    async def search(self, query: Vector | Terms, k: int, without: Sequence[str] = ()) -> list[Hit]:
        """The k chunks with the highest inner product, the best first, leaving out these versions of documents."""
        ...

    def marks(self) -> AsyncIterator[Mapping[str, Any]]:
        """The payload of every mark."""
        ...

    async def count(self, version: str) -> int:
        """How many chunks of this version of a document there are."""
        ...

    async def remove_version(self, version: str) -> None:
        """Remove the chunks of this version of a document."""
        ...

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove these points; those that are not there are passed over."""
        ...

    async def flush(self) -> None:
        """Bring everything to the disk; what was put before is there after a kill."""
        ...

    async def tidy(self) -> None:
        """Give back the room of what was removed."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
