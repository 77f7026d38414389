"""Marks: which version of each document in the base is complete.

A version is one content of one document. Its chunks are stored first; once they are on disk the mark is updated; the
previous version's chunks are removed last. So a mark is valid at every moment, even after a kill.
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
