"""What indexing did, and what a search found, as tables."""

from collections.abc import Sequence

from saiten.rag.knowledge.base import Contents
from saiten.rag.knowledge.indexed import Indexed
from saiten.records import Passage
from saiten.views.table import Table


def index_tables(done: Indexed, contents: Contents, *, pruned: bool) -> list[Table]:
    """What was done with the documents, and which gave nothing."""
    rows: list[tuple[str, int]] = [
        ("documents new", done.read),
        ("documents replaced", done.replaced),
        ("documents unchanged", done.unchanged),
        ("documents removed", done.removed) if pruned else ("documents not given, kept", done.absent),
        ("documents not read", len(done.unread)),
        ("files of other kinds, skipped", done.skipped),
        ("chunks embedded", done.chunks),
        ("chunks there from a run cut off", done.kept_chunks),
        ("documents in the base", contents.documents),
        ("chunks in the base", contents.chunks),
    ]
    tables = [Table("Index", ("what", "number"), tuple(rows))]
    if done.unread:
        reasons = tuple((unread.source, unread.reason) for unread in done.unread)
        tables.append(Table("Not read", ("document", "reason"), reasons))
    if done.notes:
        tables.append(Table("Remarks", ("document", "remark"), tuple(done.notes)))
    return tables


def search_table(passages: Sequence[Passage], query: str) -> Table:
    """The passages, the best first."""
    rows = tuple(
        (rank, each.score, each.source, each.start, each.end, each.text) for rank, each in enumerate(passages, 1)
    )
    return Table(f"Found for: {query}", ("rank", "score", "source", "from", "to", "text"), rows)
