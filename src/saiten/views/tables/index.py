"""The results of indexing and of a search as tables."""

from collections.abc import Sequence

from saiten.rag.knowledge.base import Contents
from saiten.rag.knowledge.indexing import Indexed
from saiten.records import Passage
from saiten.views.table import Name, Table
from saiten.words import Message


def index_tables(done: Indexed, contents: Contents, *, pruned: bool) -> list[Table]:
    """Return the counts of an indexing run, the documents that could not be read, and remarks."""
    counts = {
        "documents_new": done.read,
        "documents_replaced": done.replaced,
        "documents_unchanged": done.unchanged,
        **({"documents_removed": done.removed} if pruned else {"documents_absent": done.absent}),
        "documents_unread": len(done.unread),
        "files_skipped": done.skipped,
        "chunks_embedded": done.chunks,
        "chunks_kept": done.kept_chunks,
        "documents_in_base": contents.documents,
        "chunks_in_base": contents.chunks,
    }
    rows = tuple((Message("cell", key), n) for key, n in counts.items())
    tables = [Table(Message("title", "index"), ("what", "number"), rows)]
    if done.unread:
        reasons = tuple((unread.source, unread.reason) for unread in done.unread)
        tables.append(Table(Message("title", "not_read"), ("document", "reason"), reasons))
    if done.notes:
        tables.append(Table(Message("title", "remarks"), ("document", "remark"), tuple(done.notes)))
    return tables


def search_table(passages: Sequence[Passage], query: str) -> Table:
    """Return the passages, best first."""
    rows = tuple(
        (rank, each.score, each.source, each.start, each.end, each.text) for rank, each in enumerate(passages, 1)
    )
    columns = ("rank", "score", "source", "start", "end", "text")
    return Table(Message("title", "found", query=Name(query)), columns, rows)
