"""What a base knows of a document: which version of it is whole, and which one is not.

A version is one content of one document. Its chunks are put first; once all of them are on the disk the mark says so;
the chunks of the version before are removed last. So at every moment, a kill included, a mark tells what may be found.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from saiten.rag.knowledge.engine import DOCUMENT, Point


@dataclass(frozen=True, slots=True)
class Mark:
    """The state of one document in the base."""

    source: str
    """The document's name in the base."""
    digest: str | None = None
    """Hash of the version that is whole; None while there is none."""
    chunks: int = 0
    """How many chunks that version has."""
    pending: str | None = None
    """Hash of the version whose chunks are being put."""
    stale: str | None = None
    """Hash of the version whose chunks are being removed."""

    @property
    def hidden(self) -> tuple[str, ...]:
        """The versions of which chunks may be there that must not be found."""
        return tuple(version(self.source, digest) for digest in (self.pending, self.stale) if digest)

    def point(self) -> Point:
        """As it is stored."""
        payload = {DOCUMENT: self.source, "digest": self.digest, "chunks": self.chunks}
        return Point(mark_id(self.source), payload | {"pending": self.pending, "stale": self.stale})

    @classmethod
    def read(cls, payload: Mapping[str, Any]) -> "Mark":
        """The mark in a payload."""
        digest, pending, stale = (payload.get(key) for key in ("digest", "pending", "stale"))
        return cls(str(payload[DOCUMENT]), digest, int(payload.get("chunks") or 0), pending, stale)


def version(source: str, digest: str) -> str:
    """Names one content of one document."""
    return sha256(f"{source}\0{digest}".encode()).hexdigest()[:32]


def mark_id(source: str) -> str:
    """Where the document's mark is."""
    return str(uuid5(NAMESPACE_URL, f"saiten:document:{source}"))


def chunk_id(version: str, start: int, end: int) -> str:
    """Where a chunk is: always the same for the same piece of the same content, so that none can be there twice."""
    return str(uuid5(NAMESPACE_URL, f"saiten:chunk:{version}:{start}:{end}"))
