"""A check of a test set as tables: how many items of each finding, which to look at again and why, and what else."""

from collections.abc import Iterable
from typing import get_args

from saiten.testsets.upkeep.findings import FindingKind, ItemFinding, SetCheck, listed
from saiten.views.table import Cell, Table
from saiten.words import Composed, Message

_BY_DOCUMENTS: frozenset[FindingKind] = frozenset({"lost", "answerable", "elsewhere"})
"""Findings that take a knowledge base."""


def check_tables(found: SetCheck) -> list[Table]:
    """Return the counts, the items to look at again, and what else was found; empty lists are left out."""
    others = [finding for finding in found.findings if not finding.again]
    tables = [_counts(found), _listed("look_again", found.again, found), _listed("also_found", others, found)]
    return [table for table in tables if table.rows]


def _counts(found: SetCheck) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for kind in get_args(FindingKind):
        of_kind = [finding for finding in found.findings if finding.kind == kind]
        if of_kind or found.documents is not None or kind not in _BY_DOCUMENTS:
            again = any(finding.again for finding in of_kind) if of_kind else ItemFinding("", kind, "").again
            rows.append((Message("finding", kind), len({finding.item for finding in of_kind}), again))
    rows.append((Message("cell", "any_of_them"), len({finding.item for finding in found.again}), True))
    captions = [Message("caption", "references_compared", n=found.pairs)]
    if found.left_out:
        captions.append(Message("caption", "references_left_out", n=found.left_out))
    documents = found.documents
    if documents is None:
        captions.append(Message("caption", "without_documents"))
    else:
        counts = {name: getattr(documents, name) for name in ("named", "unchanged", "changed", "removed", "others")}
        captions.append(Message("caption", "documents_compared", **counts))
    title = Message("title", "test_set_checked", n=len(found.items))
    return Table(title, ("finding", "items", "look_again"), tuple(rows), tuple(captions))


def _listed(title: str, findings: Iterable[ItemFinding], found: SetCheck) -> Table:
    questions = {item.id: item.question for item in found.items}
    rows = tuple(
        (
            finding.item,
            Message("finding", finding.kind),
            questions[finding.item],
            Composed(finding.reason),
            listed(finding.where),
        )
        for finding in findings
    )
    return Table(Message("title", title), ("item", "finding", "question", "reason", "where"), rows)
