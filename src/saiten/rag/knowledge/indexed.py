"""What a run of indexing did."""

from dataclasses import dataclass, field

from saiten.rag.knowledge.documents import Unread
from saiten.records import Usage


@dataclass(slots=True)
class Indexed:
    """Counts up while it runs."""

    total: int = 0
    """Files that were found, as far as that was known beforehand."""
    read: int = 0
    """Documents that are new in the base."""
    unchanged: int = 0
    """Documents that were there as they are: not read, not embedded."""
    replaced: int = 0
    """Documents that changed."""
    removed: int = 0
    """Documents that were not given any more, and were removed."""
    absent: int = 0
    """Documents that were not given, and stay."""
    chunks: int = 0
    """Chunks that were embedded and put."""
    kept_chunks: int = 0
    """Chunks of a run that was cut off, which were there and were not embedded again."""
    skipped: int = 0
    """Files in the folders that are of a kind that is not read."""
    unread: list[Unread] = field(default_factory=list)
    """Documents that gave nothing, with the reason."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Documents and what a reader should know of them."""
    usage: Usage = field(default_factory=Usage)
    """What the embeddings cost."""

    @property
    def files(self) -> int:
        """Files that were dealt with so far."""
        return self.read + self.unchanged + self.replaced + self.skipped + len(self.unread)

    def leave_out(self, unread: Unread) -> None:
        """Count a file that gave nothing."""
        if unread.skipped:
            self.skipped += 1
        else:
            self.unread.append(unread)
