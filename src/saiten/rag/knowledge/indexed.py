"""The outcome of an indexing run."""

from dataclasses import dataclass, field

from saiten.rag.knowledge.documents import Unread
from saiten.records import Usage


@dataclass(slots=True)
class Indexed:
    """Counters, updated during the run."""

    total: int = 0
    """Files found, as far as known beforehand."""
    read: int = 0
    """Documents new in the base."""
    unchanged: int = 0
    """Documents already in the base: neither read nor embedded."""
    replaced: int = 0
    removed: int = 0
    """Documents removed since they were no longer given."""
    absent: int = 0
    """Documents that were not given, but stay."""
    chunks: int = 0
    """Chunks embedded and stored."""
    kept_chunks: int = 0
    """Chunks of an interrupted run, which were not embedded again."""
    skipped: int = 0
    """Files of unsupported kinds in the folders."""
    unread: list[Unread] = field(default_factory=list)
    """Documents without text, with the reason."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Documents with notes on their text."""
    usage: Usage = field(default_factory=Usage)

    @property
    def files(self) -> int:
        """The number of files processed so far."""
        return self.read + self.unchanged + self.replaced + self.skipped + len(self.unread)

    def leave_out(self, unread: Unread) -> None:
        """Count a file without text."""
        if unread.skipped:
            self.skipped += 1
        else:
            self.unread.append(unread)
